package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/testkit/schematest"
)

func mine(t *testing.T, text string) File {
	f := File{Path: filepath.Join(t.TempDir(), "config.yaml"), Getenv: func(string) string { return "" }}
	f.Within = filepath.Dir(f.Path)
	if text != "" {
		if err := os.WriteFile(f.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestSet(t *testing.T) {
	for _, c := range []struct{ name, before, key, value, after string }{
		{"a new group behind the others", "store: file:/x # why\n", "debrief.min_turn", "1m", "store: file:/x # why\ndebrief:\n  min_turn: 1m\n"},
		{"a comment beside the value stays", "debrief:\n  # short\n  min_turn: 30s   # a minute is too long\n  reply: block\n", "debrief.min_turn", "1m",
			"debrief:\n  # short\n  min_turn: 1m   # a minute is too long\n  reply: block\n"},
		{"a key behind the last of its group", "debrief:\n    reply: block\n\n# the rest\nstore: file:/x\n", "debrief.min_turn", "0s", "debrief:\n    reply: block\n    min_turn: 0s\n\n# the rest\nstore: file:/x\n"},
		{"a list takes the place of a list", "debrief:\n  tests:\n  - make a\n  - make b\n  reply: block\n", "debrief.tests", "[make c, 'd e']", "debrief:\n  tests: [make c, 'd e']\n  reply: block\n"},
		{"one value for a list", "debrief: {}\n", "debrief.tests", "go test ./...", "debrief: {tests: [\"go test ./...\"]}\n"},
		{"in brackets", "debrief: {mode: on, min_turn: 30s, reply: block}\n", "debrief.min_turn", "5m", "debrief: {mode: on, min_turn: 5m, reply: block}\n"},
		{"a list in brackets", "debrief: {tests: [a, b], reply: block}\n", "debrief.tests", "[make]", "debrief: {tests: [make], reply: block}\n"},
		{"a key in one word", "debrief.min_turn: 30s\n", "debrief.min_turn", "1m", "debrief.min_turn: 1m\n"},
		{"a step in one word", "debrief.agents:\n  claude:\n    mode: on\n", "debrief.agents.claude.mode", "off", "debrief.agents:\n  claude:\n    mode: off\n"},
		{"steps that are missing", "debrief:\n  agents:\n    codex:\n      mode: off\n", "debrief.agents.claude.mode", "audit", "debrief:\n  agents:\n    codex:\n      mode: off\n    claude:\n      mode: audit\n"},
		{"a group that is empty", "debrief:\nstore: file:/x\n", "debrief.mode", "audit", "debrief:\n  mode: audit\nstore: file:/x\n"},
		{"what looks like something else is quoted", "a: &x\nstore: file:/y\n", "debrief.log_check", "tail -f # log", ""},
		{"a text with a sign in it", "store: file:/y\n", "debrief.log_check", "tail -f 'x: y' # log", "store: file:/y\ndebrief:\n  log_check: \"tail -f 'x: y' # log\"\n"},
		{"line ends stay", "debrief:\r\n  min_turn: 30s\r\n", "debrief.min_turn", "1m", "debrief:\r\n  min_turn: 1m\r\n"},
		{"no line end at the end", "debrief:\n  min_turn: 30s", "debrief.min_turn", "1m", "debrief:\n  min_turn: 1m\n"},
		{"what is set already", "debrief: {min_turn: 1m}", "debrief.min_turn", "1m", "debrief: {min_turn: 1m}"},
		{"a text of several lines gives way", "debrief:\n  log_check: >-\n    a\n    b\n  reply: block\n", "debrief.log_check", "c", "debrief:\n  log_check: c\n  reply: block\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := mine(t, c.before)
			changed, err := f.Set(c.key, c.value)
			if c.after == "" {
				return // any answer will do that changes nothing else
			}
			if err != nil || changed != (c.before != c.after) {
				t.Fatalf("got %v, %v", changed, err)
			}
			if got, _ := os.ReadFile(f.Path); string(got) != c.after {
				t.Errorf("got %q, want %q", got, c.after)
			}
		})
	}
}

func TestUnset(t *testing.T) {
	for _, c := range []struct{ name, before, key, after string }{
		{"a key", "debrief:\n  min_turn: 30s # why\n  reply: block\n", "debrief.min_turn", "debrief:\n  reply: block\n"},
		{"a list with its lines", "debrief:\n  tests:\n    - a # b\n    - c\n  # about reply\n  reply: block\n", "debrief.tests", "debrief:\n  # about reply\n  reply: block\n"},
		{"the last of its group", "store: file:/x\ndebrief:\n  agents:\n    claude:\n      mode: off\n", "debrief.agents.claude.mode", "store: file:/x\n"},
		{"in brackets", "debrief: {mode: on, min_turn: 30s, reply: block}\n", "debrief.min_turn", "debrief: {mode: on, reply: block}\n"},
		{"the last in brackets", "debrief: {mode: on, tests: [a, b]}\n", "debrief.tests", "debrief: {mode: on}\n"},
		{"what is not set", "debrief:\n  reply: block\n", "debrief.min_turn", "debrief:\n  reply: block\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := mine(t, c.before)
			changed, err := f.Unset(c.key)
			if err != nil || changed != (c.before != c.after) {
				t.Fatalf("got %v, %v", changed, err)
			}
			if got, _ := os.ReadFile(f.Path); string(got) != c.after {
				t.Errorf("got %q, want %q", got, c.after)
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct {
		name, before, key, value, says string
		project                        bool
	}{
		{name: "an unknown key", key: "debrief.min_trun", value: "1m", says: "did you mean debrief.min_turn?"},
		{name: "a group", key: "debrief", value: "1m", says: "debrief holds keys"},
		{name: "a value that cannot be read", key: "debrief.min_turn", value: "soon", says: `"soon" is not a duration`},
		{name: "a value that is none of a few", key: "debrief.mode", value: "maybe", says: `"maybe" is none of on, audit, off`},
		{name: "a rule with an unknown key", key: "debrief.rules", value: "[{name: x, globs: ['*']}]", says: `unknown key "globs"`},
		{name: "several lines", key: "debrief.log_check", value: "a\nb", says: "one line"},
		{name: "a list that is not closed", key: "debrief.tests", value: "[a, b", says: "is not a list"},
		{name: "nothing", key: "debrief.tests", value: "", says: "empty"},
		{name: "another program's spelling", key: "agent.checkpoints.auto" + "Checkpoint", value: "true", says: "spelling of another program"},
		{name: "a key for all projects in one", key: "store", value: "file:/x", says: "it is the same for all of them", project: true},
		{name: "what only a user may keep", key: "redact.allow.names", value: "[x]", says: "your own settings file only", project: true},
		{name: "a file that cannot be read", before: "a: [", key: "debrief.mode", value: "on", says: "did not find expected node content"},
		{name: "a file that is a list", before: "- a\n", key: "debrief.mode", value: "on", says: "keys with values"},
		{name: "a key that stands there twice", before: "debrief.mode: off\ndebrief: {mode: audit}\n", key: "debrief.mode", value: "on", says: "2 times"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := mine(t, c.before)
			f.Project = c.project
			_, err := f.Set(c.key, c.value)
			if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want invalid with %q", err, c.says)
			}
			if got, _ := os.ReadFile(f.Path); string(got) != c.before {
				t.Errorf("the file was changed: %q", got)
			}
		})
	}
}

func TestSuggest(t *testing.T) {
	for name, want := range map[string]string{
		"nope": "", "mod": "; did you mean debrief.mode?", "debrief.mdoe": "; did you mean debrief.mode?", "min_trun": "; did you mean debrief.min_turn?",
	} {
		if got := suggest(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestSetThroughLinks: a link of a repository leads to no other file of the user's; one
// within the folder is followed and stays.
func TestSetThroughLinks(t *testing.T) {
	home := t.TempDir()
	work := filepath.Join(home, "work")
	outside, inside := filepath.Join(home, "rc"), filepath.Join(work, "real.yaml")
	path := filepath.Join(work, ".piton.yaml")
	if err := os.MkdirAll(work, 0o755); err != nil {
		t.Fatal(err)
	}
	f := File{Path: path, Within: work, Project: true, Getenv: func(string) string { return "" }}
	for _, target := range []string{outside, inside, filepath.Join(work, "nothing")} {
		_ = os.Remove(path)
		if err := os.Symlink(target, path); err != nil {
			t.Skip("no links here")
		}
		if !strings.HasSuffix(target, "nothing") {
			if err := os.WriteFile(target, []byte("store: x\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := f.Set("debrief.min_turn", "1m")
		text, _ := os.ReadFile(target)
		if ok := target == inside; ok != (err == nil) || ok != strings.Contains(string(text), "min_turn") {
			t.Errorf("%s: got %v, the file says %q", target, err, text)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: the link has gone: %v", target, err)
		}
	}
}

// TestNewFilesNameTheirSchema: an editor finds the keys, and the file can be read.
func TestNewFilesNameTheirSchema(t *testing.T) {
	f := mine(t, "")
	if _, err := f.Set("debrief.mode", "audit"); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(f.Path)
	if want := "# yaml-language-server: $schema=" + schemaAt + "settings.json\ndebrief:\n  mode: audit\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

var update = flag.Bool("update", false, "write the schemas in docs anew")

// TestSchema: the schemas in docs/schema are those of this version, and they accept
// what can be used and refuse what is misspelt.
func TestSchema(t *testing.T) {
	for _, project := range []bool{false, true} {
		text := Schema(project)
		path := "../../docs/schema/" + schemaName(project) + ".json"
		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, _ := os.ReadFile(path); !bytes.Equal(have, text) {
			t.Errorf("%s is not what 'piton schema %s' prints: go test ./internal/config -run TestSchema -update writes it anew", path, schemaName(project))
		}
	}
	for _, c := range []struct {
		text             string
		user, theProject bool
	}{
		{"debrief: {mode: audit, min_turn: 1m, tests: [a, b], profiles: []}", true, true},
		{"debrief: {min_turn: 30, tests: make, hold_on_observations: yes}", true, true},
		{"debrief.min_turn: 30s", true, true},
		{"debrief:\n  verify: [make, {run: make check, files: ['*.go'], timeout: 5m, when: unproven}]", true, true},
		{"debrief:\n  rules: [{name: x, include: ['*.go'], precedence: 3, instruction: run it, evidence: [make], then: {instruction: y, evidence: [z]}}]", true, true},
		{"listeners: [{name: a, command: [b, c], events: [announcement], timeout: 3s}]", true, true},
		{"store: file:/x\nrun: {agent: claude, prices: {x: {input: 1, output: 2.5}}}", true, false},
		{"projects: {~/x: {debrief: {mode: off}}}", true, false},
		{"debrief:", true, true},
		{"debrief: {min_turn: 1d12h, profiles: [go, Node]}", true, true},
		{"debrief: {min_turn: 1.5}", true, true},
		{"checkpoints: {delete_after: 90d, warm_for: 0, warm: '5'}\nagent: {checkpoints: {pruneAfterDays: 7}}\ncheckpoint_retention: {warm_storage: {max_age: 7d}}", true, false},
		{"debrief: {min_turn: soon}", false, false},
		{"debrief: {profiles: [og]}", false, false},
		{"checkpoints: {delete_after: 90}", false, false},
		{"agent: {checkpoints: {pruneAfterDays: 7d}}", false, false},
		{"debrief: {mod: on}", false, false},
		{"debrief: {mode: maybe}", false, false},
		{"debrief: {rules: [{name: x, globs: ['*']}]}", false, false},
		{"checkpoints: {warm: many}", false, false},
		{"projects: {~/x: {store: file:/x}}", false, false},
	} {
		var v any
		if err := yaml.Unmarshal([]byte(c.text), &v); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(b, &v)
		}
		if err != nil {
			t.Fatal(err)
		}
		for project, want := range map[bool]bool{false: c.user, true: c.theProject} {
			err := schematest.Compile(t, Schema(project), "").Validate(v)
			if (err == nil) != want {
				t.Errorf("%s, project %v: got %v", c.text, project, err)
			}
		}
	}
}

// FuzzSet: whatever a file and a value say, a change leaves all else as it was.
func FuzzSet(f *testing.F) {
	f.Add("debrief:\n  min_turn: 30s # x\n", "1m")
	f.Add("debrief: {min_turn: 1, tests: [a]}\n", "5")
	f.Add("? debrief\n: min_turn: 3\n", "2")
	f.Add("debrief: &a {min_turn: 1}\nb: *a\n", "7")
	f.Add("\"debrief\":\n    \"min_turn\": 3\n    x: |\n      y\n", "2")
	f.Fuzz(func(t *testing.T, text, value string) {
		_, rest, err := apart([]byte(text), "debrief.min_turn")
		if err != nil || len(text) > 2000 {
			return
		}
		file := mine(t, text)
		_, err = file.Set("debrief.min_turn", value)
		got, _ := os.ReadFile(file.Path)
		if err != nil {
			if string(got) != text {
				t.Fatalf("refused, and changed: %q to %q", text, got)
			}
			return
		}
		_, now, err := apart(got, "debrief.min_turn")
		if a, _ := json.Marshal(rest); err == nil {
			if b, _ := json.Marshal(now); string(a) != string(b) {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}

func TestSetsAtOnce(t *testing.T) {
	keys := []string{"debrief.min_turn", "checkpoints.warm_for", "checkpoints.delete_after", "checkpoints.open_for"}
	for round := range 80 {
		f := mine(t, "")
		value := strconv.Itoa(round+1) + "h"
		errs := make([]error, len(keys))
		var wg sync.WaitGroup
		for i, key := range keys {
			wg.Go(func() { _, errs[i] = f.Set(key, value) })
		}
		wg.Wait()
		text, _ := os.ReadFile(f.Path)
		for i, key := range keys {
			_, name, _ := strings.Cut(key, ".")
			if errs[i] != nil || !strings.Contains(string(text), name+": "+value+"\n") {
				t.Fatalf("round %d, %s: got %v and %q, want it set", round, key, errs[i], text)
			}
		}
	}
}
