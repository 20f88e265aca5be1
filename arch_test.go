package piton_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/piton-project/piton"

// rooms is the plan of the house: each room and the rooms it may use
// (docs/architecture.md). The ground is "piton". Programs under cmd may use
// all; tests may use what their room may, storetest, crashtest and verbtest.
var rooms = map[string][]string{
	"piton":     {},
	"localfs":   {},
	"redact":    {},
	"pack":      {},
	"words":     {},
	"shell":     {},
	"proc":      {},
	"git":       {"proc"},
	"project":   {"piton", "shell"},
	"agent":     {"piton"},
	"debrief":   {"piton", "shell"},
	"sqlstore":  {"piton", "pack", "words"},
	"sqlite":    {"piton", "localfs", "pages", "sqlstore"},
	"postgres":  {"piton", "sqlstore"},
	"filestore": {"piton", "localfs", "words"},
	"archive":   {"piton", "localfs"},
	"pages":     {},
	"repair":    {"piton", "localfs", "pages", "history", "sqlite", "sqlstore"},
	"kind":      {"piton"},
	"history":   {"piton", "redact"},
	"turn":      {"piton", "agent", "debrief", "git", "project", "shell", "proc", "redact", "history"},
	"hook":      {"piton", "agent", "turn", "redact"},
	"courier":   {"piton", "agent", "proc", "redact"},
	"config":    {"piton", "debrief"},
	"setup":     {"piton", "agent", "config", "project", "proc"},
	// For tests only.
	"storetest": {"piton"},
	"filltest":  {"piton"},
	"pgtest":    {"need"},
	"crashtest": {"piton", "history", "archive"},
	"verbtest":  {"piton", "history", "archive", "sqlstore", "sqlite", "filestore"},
	"need":      {},
}

// TestRooms fails on any import that the plan does not show.
func TestRooms(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); file != "." && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		room := path.Dir(filepath.ToSlash(file))
		if room == "." {
			room = "piton"
		}
		if strings.HasPrefix(room, "cmd/") || strings.HasPrefix(room, "e2e") || strings.HasPrefix(room, "bench") {
			return nil
		}
		allowed, ok := rooms[room]
		if !ok {
			t.Errorf("%s: the room %q is not in the plan", file, room)
			return nil
		}
		seen[room] = true
		checkImports(t, file, room, allowed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room := range rooms {
		if !seen[room] {
			t.Errorf("the room %q is in the plan and not in the house", room)
		}
	}
}

func checkImports(t *testing.T, file, room string, allowed []string) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	test := strings.HasSuffix(file, "_test.go")
	for _, spec := range f.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if name != module && !strings.HasPrefix(name, module+"/") {
			continue
		}
		to := strings.TrimPrefix(strings.TrimPrefix(name, module), "/")
		if to == "" {
			to = "piton"
		}
		if to == room || slices.Contains(allowed, to) || test && testMay(to) {
			continue
		}
		t.Errorf("%s: %q may not use %q", file, room, to)
	}
}

// testMay tells what any room's tests may use beyond the room's own arrows:
// real stores and the suite every store passes.
func testMay(room string) bool {
	return slices.Contains([]string{"storetest", "filltest", "archive", "pgtest", "crashtest", "verbtest", "sqlstore", "sqlite", "postgres", "history", "need"}, room)
}
