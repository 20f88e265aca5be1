package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// TestStateFolder: what doctor says of the folder that Piton keeps its state in.
func TestStateFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes are not those of the system")
	}
	dir := t.TempDir()
	made := func(name string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, says, hint string
		ok, warn         bool
	}{
		{"", "none named", "set PITON_HOME", false, false},
		{made("own", 0o700), filepath.Join(dir, "own"), "", true, false},
		{made("seen", 0o750), "has mode 0750: others can look into it", "run `chmod 700", true, true},
		{made("open", 0o702), "has mode 0702: everybody can change what is in it", "run `chmod 700", false, false},
		{filepath.Join(dir, "none/deep"), filepath.Join(dir, "none/deep") + " will be made at the first event", "", true, false},
		{file, "file is not a folder", "remove it, or set PITON_HOME", false, false},
		{filepath.Join(file, "x"), "not a directory", "make it readable, or set PITON_HOME", false, false},
	} {
		x := exam{}
		x.State = c.path
		got := x.stateFolder()
		if got.Name != "state folder" || got.OK != c.ok || got.Warn != c.warn || !strings.Contains(got.Detail, c.says) || !strings.HasPrefix(got.Hint, c.hint) || (c.hint == "") != (got.Hint == "") {
			t.Errorf("%s: got %+v", c.path, got)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "own")); err != nil || len(left) > 0 {
		t.Errorf("got %v left in the folder (%v)", left, err)
	}
	if got := nearestFolder(filepath.Join(dir, "a/b/c")); got != dir {
		t.Errorf("got the nearest folder %s", got)
	}
	if err := Writable(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v of a folder that is not there", err)
	}
}

// TestHookGone: whether the program that the hooks run is there, as far as files say.
func TestHookGone(t *testing.T) {
	x := sound(t)
	if got := HookGone(x.Target, x.probe()); got != (Check{}) {
		t.Errorf("a sound chain: got %+v", got)
	}
	other := x.Target
	other.Agent = "none"
	if got := HookGone(other, x.probe()); got != (Check{}) {
		t.Errorf("another client: got %+v", got)
	}
	if got := Prevented(other, x.probe()); got != (Check{}) {
		t.Errorf("another client: got %+v", got)
	}
	file := x.settings(User)
	text := string(load(t, file))
	write(t, file, strings.ReplaceAll(text, "/bin/piton-hook", "/gone/piton-hook"), 0o644)
	if got := HookGone(x.Target, x.probe()); got.OK || got.Name != "hook paths" || got.Hint == "" {
		t.Errorf("a program that is gone: got %+v", got)
	}
	write(t, file, "{", 0o644)
	if got := Prevented(x.Target, x.probe()); got.OK || got.Name != "settings" {
		t.Errorf("settings that are none: got %+v", got)
	}
}

// TestTOMLTexts: strings that TOML reads back, comments, and heads of tables.
func TestTOMLTexts(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "a b", `C:\piton`, "\"quoted\"", "a\nb\x7f\x01", "ü😀"} {
		var back struct{ X string }
		if err := toml.Unmarshal([]byte("x = "+tomlString(s)), &back); err != nil || back.X != s {
			t.Errorf("%q: got %q (%v)", s, back.X, err)
		}
	}
	if got := tomlString("a\x1f \x7f~\\"); got != `"a\u001F \u007F~\\"` {
		t.Errorf("got %s", got)
	}
	for text, want := range map[string]bool{"# a": true, "a = 1 # b\n": true, "a = \"# b\"\n": false, "a = 1\n\n": false, "a = '#' # b": true, "": false, "\n  # b": true} {
		if got := hasRemarks([]byte(text)); got != want {
			t.Errorf("%q: got %t", text, got)
		}
	}
	if got := words([]any{"a", 1, "b"}); !slices.Equal(got, []string{"a", "", "b"}) {
		t.Errorf("got the words %q", got)
	}
	if words("a") != nil || sub(map[string]any{"a": 1}, "a") != nil || sub(nil, "a") != nil {
		t.Error("got a list or a table of what is none")
	}
}

// TestEmptyContainer: what a memory may say was there: only empty containers, in the
// places where Init puts something.
func TestEmptyContainer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at, was string
		want    bool
	}{
		{"", "", true}, {"", " {} ", true}, {"", "[]", false}, {"", "null", false}, {"", "{", false}, {"", `{"a":1}`, false},
		{"/hooks", "{ }", true}, {"/hooks", "null", true}, {"/hooks", "[]", false}, {"/hooks", "", false},
		{"/hooks/Stop", "[]", true}, {"/hooks/Stop", "null", true}, {"/hooks/Stop", "{}", false}, {"/hooks/Stop", "[1]", false},
		{"/permissions", "{}", true}, {"/permissions/allow", "[ ]", true}, {"/permissions/allow", "{}", false}, {"/permissions/deny", "[]", false},
		{"/mcpServers", "{}", true}, {"/mcpServers/piton", "null", true}, {"/mcpServers/piton", "{}", false}, {"/mcpServers/other", "null", false},
		{"/statusLine", "null", true}, {"/statusLine", "{}", false}, {"/other", "{}", false}, {"/other", "null", false},
	} {
		if got := claude.emptyContainer(c.at, c.was); got != c.want {
			t.Errorf("%q at %q: got %t", c.was, c.at, got)
		}
	}
}
