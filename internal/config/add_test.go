package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
)

func TestAddTest(t *testing.T) {
	for _, c := range []struct{ name, old, command, want string }{
		{"no file", "", "make test", "debrief:\n  tests:\n    - make test\n"},
		{"comments only", "# ours\n", "make test", "# ours\ndebrief:\n  tests:\n    - make test\n"},
		{"no line end", "store: x", "make test", "store: x\ndebrief:\n  tests:\n    - make test\n"},
		{"other keys", "# a\nstore: x # b\n\n\nother: 1\n", "make test", "# a\nstore: x # b\n\n\nother: 1\ndebrief:\n  tests:\n    - make test\n"},
		{"debrief is there", "debrief: # ours\n    # short\n    min_turn:   5s\nstore: x\n", "make test", "debrief: # ours\n    tests:\n      - make test\n    # short\n    min_turn:   5s\nstore: x\n"},
		{"debrief without keys", "debrief:\nstore: x\n", "make test", "debrief:\n  tests:\n    - make test\nstore: x\n"},
		{"an empty map", "{}\n", "make test", "{\"debrief.tests\": [\"make test\"]}\n"},
		{"a flow map", "{debrief: {min_turn: 5s}}\n", "make test", "{debrief: {tests: [\"make test\"], min_turn: 5s}}\n"},
		{"debrief as a flow map", "debrief: {min_turn: 5s} # x\n", "make test", "debrief: {tests: [\"make test\"], min_turn: 5s} # x\n"},
		{"a list", "debrief:\n  tests:\n  - go test ./... # all\n  min_turn: 5s\n", "make test", "debrief:\n  tests:\n  - go test ./... # all\n  - make test\n  min_turn: 5s\n"},
		{"an indented list", "debrief:\n  tests:\n      - a\n      - b", "make test", "debrief:\n  tests:\n      - a\n      - b\n      - make test\n"},
		{"a list whose last item has two lines", "debrief:\n  tests:\n    - go test\n      ./...\n", "make test", "debrief:\n  tests:\n    - make test\n    - go test\n      ./...\n"},
		{"a flow list", "debrief:\n  tests: [a, 'b]c']  # d]\n", "make test", "debrief:\n  tests: [a, 'b]c', \"make test\"]  # d]\n"},
		{"a flow list with a comma at its end", "debrief:\n  tests: [\n    a,\n  ]\n", "make test", "debrief:\n  tests: [\"make test\", \n    a,\n  ]\n"},
		{"an empty flow list", "debrief:\n  tests: []\n", "make test", "debrief:\n  tests: [\"make test\"]\n"},
		{"a list without a value", "debrief:\n  tests:\n  mode: on\n", "make test", "debrief:\n  tests:\n    - make test\n  mode: on\n"},
		{"a dotted name", "debrief.tests:\n  - a\n", "make test", "debrief.tests:\n  - a\n  - make test\n"},
		{"line ends of another system", "debrief:\r\n  tests:\r\n    - a\r\n", "make test", "debrief:\r\n  tests:\r\n    - a\r\n    - make test\r\n"},
		{"it is there", "debrief:\n  tests: [make test]\n", "make test", "debrief:\n  tests: [make test]\n"},
		{"it is the only one", "debrief.tests: make test\n", "make test", "debrief.tests: make test\n"},
		{"a command that needs quotes", "", "go test ./... # all: 'x' \"y\"", "debrief:\n  tests:\n    - 'go test ./... # all: ''x'' \"y\"'\n"},
		{"rules stay", "debrief:\n  rules:\n    - name: x\n      include: [\"**\"]\n", "make test", "debrief:\n  tests:\n    - make test\n  rules:\n    - name: x\n      include: [\"**\"]\n"},
		{"wide characters", "wörter: \"ü\"\ndebrief: {\"ü\": 1}\n", "make test", "wörter: \"ü\"\ndebrief: {tests: [\"make test\"], \"ü\": 1}\n"},

		{"one value", "debrief:\n  tests: make check\n", "make test", ""},
		{"broken", "debrief: {", "make test", ""},
		{"no map", "- a\n", "make test", ""},
		{"a second document", "a: 1\n---\nb: 2\n", "make test", ""},
		{"numbers for commands", "debrief:\n  tests: [1]\n", "make test", ""},
	} {
		path := filepath.Join(t.TempDir(), ".piton.yaml")
		if c.old != "" {
			if err := os.WriteFile(path, []byte(c.old), 0o640); err != nil {
				t.Fatal(err)
			}
		}
		changed, err := (config.File{Path: path, Within: filepath.Dir(path), Project: true}).AddTest(c.command)
		got, _ := os.ReadFile(path)
		if c.old == "" { // a new file names its schema
			_, rest, _ := strings.Cut(string(got), "\n")
			got = []byte(rest)
		}
		if c.want == "" {
			if piton.CodeOf(err) != piton.Invalid || string(got) != c.old {
				t.Errorf("%s: got %v and\n%s\nwant it refused and the file as it was", c.name, err, got)
			}
			continue
		}
		if err != nil || string(got) != c.want || changed != (c.want != c.old) {
			t.Errorf("%s: got changed %v, %v and\n%s\nwant\n%s", c.name, changed, err, got, c.want)
		}
		if again, err := (config.File{Path: path, Within: filepath.Dir(path), Project: true}).AddTest(c.command); again || err != nil {
			t.Errorf("%s, added twice: got changed %v, %v", c.name, again, err)
		}
		if info, err := os.Stat(path); err == nil && c.old != "" && info.Mode().Perm() != 0o640 {
			t.Errorf("%s: got mode %v, want it as it was", c.name, info.Mode())
		}
	}
}

func TestAddTestKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles"), filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		need.Missing(t, err.Error())
	}
	if _, err := (config.File{Path: link, Within: dir}).AddTest("make test"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if got, _ := os.ReadFile(target); err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.Contains(string(got), "make test") {
		t.Errorf("got %v, %v and %q, want the file behind the link changed", info, err, got)
	}
}

// Whatever the command, it is read back as it was given, and added once.
func TestAddedTestsAreReadBack(t *testing.T) {
	dir := t.TempDir()
	draw.Check(t, func(rt *rapid.T) {
		path := filepath.Join(dir, ".piton.yaml")
		begin := rapid.SampledFrom([]string{"", "store: x\n", "debrief:\n  min_turn: 5s\n", "debrief: {tests: [a]}", "debrief.tests: []\n"}).Draw(rt, "begin")
		if err := os.WriteFile(path, []byte(begin), 0o600); err != nil {
			rt.Fatal(err)
		}
		commands := rapid.SliceOfNDistinct(rapid.StringMatching(`[!-~]([ -~é]{0,20}[!-~])?`), 1, 4, rapid.ID[string]).Draw(rt, "commands")
		for _, c := range commands {
			if _, err := (config.File{Path: path, Within: dir, Project: true}).AddTest(c); err != nil {
				rt.Fatalf("add %q: %v", c, err)
			}
		}
		c := config.Load(config.Places{UserFile: path, Getenv: func(string) string { return "" }})
		for _, want := range commands {
			n := 0
			for _, got := range c.Debrief.Tests {
				if got == want {
					n++
				}
			}
			if n != 1 {
				text, _ := os.ReadFile(path)
				rt.Fatalf("%q: got it %d times in %q, want once\n%s", want, n, c.Debrief.Tests, text)
			}
		}
	})
}

// Whatever the file, it says what it said before, or is left alone.
func FuzzAddTest(f *testing.F) {
	for _, s := range []string{"", "debrief: {tests: [a]}", "debrief:\n  tests:\n  - a\n  - b # c\n", "debrief.tests: []", "? debrief\n: tests: [a]", "debrief: &x {tests: *x}", "\ufeffa: 1", "debrief:\n  tests: |\n    a\n"} {
		f.Add(s, "make test")
	}
	f.Fuzz(func(t *testing.T, text, command string) {
		path := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := (config.File{Path: path, Within: filepath.Dir(path)}).AddTest(command)
		got, _ := os.ReadFile(path)
		if err != nil && string(got) != text {
			t.Errorf("got %v and %q, want it left alone", err, got)
		}
		if err == nil && len(got) < len(text) {
			t.Errorf("got %q from %q, want nothing taken out", got, text)
		}
	})
}

// TestLineOf: a command is found on its line, in each form of the two lists.
func TestLineOf(t *testing.T) {
	const text = "debrief:\n  tests:\n    - make test\n    - go test ./...\n  verify:\n    - when: unproven\n      run: make lint\n    - make check\n"
	for command, want := range map[string]int{"make test": 3, "go test ./...": 4, "make lint": 6, "make check": 8, "make": 0, "unproven": 0} {
		if got := config.LineOf([]byte(text), command); got != want {
			t.Errorf("%s: got the line %d, want %d", command, got, want)
		}
	}
	if got := config.LineOf([]byte("debrief: {"), "make test"); got != 0 {
		t.Errorf("a file that cannot be read: got the line %d, want none", got)
	}
}

func TestAddVerify(t *testing.T) {
	for _, c := range []struct {
		name, old, command string
		timeout            time.Duration
		want               string
	}{
		{"no file", "", "make lint", 0, "debrief:\n  verify:\n    - {\"run\":\"make lint\",\"when\":\"unproven\"}\n"},
		{"with a time", "", "make lint", 90 * time.Second, "debrief:\n  verify:\n    - {\"run\":\"make lint\",\"when\":\"unproven\",\"timeout\":\"1m30s\"}\n"},
		{"beside others", "debrief:\n  verify:\n    - run: make test\n      when: unproven\n", "make lint", 0, "debrief:\n  verify:\n    - {\"run\":\"make lint\",\"when\":\"unproven\"}\n    - run: make test\n      when: unproven\n"},
		{"it is there", "debrief:\n  verify:\n    - run: make lint\n      when: unproven\n", "make lint", 0, "debrief:\n  verify:\n    - run: make lint\n      when: unproven\n"},
	} {
		path := filepath.Join(t.TempDir(), ".piton.yaml")
		if c.old != "" {
			if err := os.WriteFile(path, []byte(c.old), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		added, err := config.File{Path: path, Within: filepath.Dir(path), Project: true}.AddVerify(c.command, c.timeout)
		got, _ := os.ReadFile(path)
		if c.old == "" { // a new file names its schema
			_, rest, _ := strings.Cut(string(got), "\n")
			got = []byte(rest)
		}
		if err != nil || string(got) != c.want || added != (c.want != c.old) {
			t.Errorf("%s: got added %t, %v and\n%s\nwant\n%s", c.name, added, err, got, c.want)
		}
	}
}

// A file is replaced as a whole only by one that can be used.
func TestReplace(t *testing.T) {
	const was = "store: file:a\n"
	for name, c := range map[string]struct {
		text    string
		changed bool
		code    piton.Code
	}{
		"another one": {"store: file:b\n", true, ""}, "the same": {was, false, ""}, "no YAML": {"store: {", false, piton.Invalid}, "a value that cannot be": {"pane:\n  mode: 7\n", false, piton.Invalid},
	} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(was), 0o600); err != nil {
			t.Fatal(err)
		}
		changed, err := config.File{Path: path, Within: filepath.Dir(path), Getenv: func(string) string { return "" }}.Replace([]byte(was), []byte(c.text))
		got, _ := os.ReadFile(path)
		want := was
		if c.changed {
			want = c.text
		}
		if changed != c.changed || piton.CodeOf(err) != c.code || string(got) != want {
			t.Errorf("%s: got changed %t, %v and %q, want %q", name, changed, err, got, want)
		}
	}
}
