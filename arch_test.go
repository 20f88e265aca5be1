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

// rooms is the plan of the house: each package under internal and the packages
// that it uses (docs/architecture.md). The root is "piton", which every package
// may use. The table is exact: an arrow that nobody uses fails too. Programs
// under cmd and bench may use all.
var rooms = map[string][]string{
	"piton": {},
	// What is saved, and where.
	"store":           {"agent", "redact"},
	"store/localfs":   {},
	"store/words":     {},
	"store/pack":      {},
	"store/pages":     {},
	"store/record":    {"agent"},
	"store/sqlstore":  {"agent", "redact", "store", "store/pack", "store/record", "store/words"},
	"store/sqlite":    {"store", "store/localfs", "store/pages", "store/sqlstore"},
	"store/postgres":  {"store/sqlstore"},
	"store/filestore": {"redact", "store", "store/localfs", "store/sqlite", "store/sqlstore"},
	"store/archive":   {"redact", "store", "store/localfs"},
	"store/repair":    {"history", "store", "store/localfs", "store/pages", "store/sqlite", "store/sqlstore"},
	"states":          {"agent", "redact", "store/words"},
	"history":         {"agent", "redact", "states", "store"},
	"redact":          {},
	"diff":            {},
	"kind":            {},
	"nearest":         {},
	"span":            {},
	// What an agent did, and whether that is enough.
	"agent":             {},
	"client":            {"agent", "client/rawjson", "store/localfs"},
	"client/rawjson":    {},
	"edit":              {"client/rawjson"},
	"client/logfile":    {"store/localfs"},
	"client/claude":     {"agent", "client", "client/logfile", "client/rawjson"},
	"client/gemini":     {"agent", "client", "client/logfile", "client/rawjson"},
	"client/codex":      {"agent", "client", "client/logfile", "client/rawjson"},
	"client/clients":    {"client", "client/claude", "client/codex", "client/gemini"},
	"judge/tools":       {},
	"judge/found":       {"judge/tools"},
	"judge/tools/gen":   {"judge/tools"},
	"judge/shell":       {"judge/tools"},
	"judge/project":     {"judge/found", "judge/shell", "judge/tools", "store/localfs"},
	"judge/debrief":     {"agent", "judge/found", "judge/shell", "judge/tools"},
	"judge/debrief/gen": {"judge/debrief", "judge/tools"},
	"git":               {"proc", "store/localfs"},
	"mark":              {},
	"mark/keep":         {"git", "mark", "store/localfs"},
	"mark/reach":        {"agent", "git", "judge/shell", "mark", "mark/keep", "redact"},
	"mark/restore":      {"git", "mark", "mark/keep", "store/localfs"},
	"proc":              {},
	"turn": {
		"agent", "client", "client/clients", "git", "history", "judge/debrief", "judge/project", "judge/shell", "judge/tools", "mark", "mark/keep", "mark/reach", "proc",
		"redact", "store", "store/localfs",
	},
	// Runs of plans.
	"run/cron":     {},
	"run/plan":     {"nearest", "run/cron", "span"},
	"run/action":   {"proc", "redact", "run/plan", "store/localfs"},
	"run/runner":   {"history", "redact", "run/action", "run/plan", "states", "store", "store/localfs"},
	"run/headless": {"agent", "client", "git", "proc", "run/action", "run/plan"},
	// Doors.
	"hook":     {"agent", "client", "client/clients", "redact", "turn"},
	"announce": {"agent", "courier", "proc", "redact"},
	"courier":  {"agent", "client", "client/clients", "proc", "redact", "store"},
	"config":   {"agent", "client/clients", "edit", "judge/debrief", "nearest", "span", "store/localfs"},
	"tmux":     {"proc"},
	"pane":     {"agent", "client", "client/clients", "courier", "proc", "redact", "store", "tmux"},
	"setup":    {"agent", "client", "client/clients", "edit", "store/localfs"},
	// Where a caller is, and what it asks for.
	"app/place": {"config", "git", "mark/keep", "redact"},
	"app/event": {"agent", "app/place", "config", "hook", "judge/debrief", "mark/keep", "proc", "store", "store/sqlite", "store/sqlstore", "turn"},
	"app/caller": {
		"agent", "app/place", "client", "client/clients", "config", "diff", "git", "history", "hook", "judge/debrief", "kind", "proc", "redact", "run/runner", "setup", "span",
		"states", "store", "store/archive", "store/filestore", "store/localfs", "store/postgres", "store/sqlite", "store/sqlstore", "turn",
	},
	"app/planruns": {
		"agent", "app/caller", "client", "client/clients", "git", "history", "judge/debrief", "nearest", "redact", "run/action", "run/headless", "run/plan",
		"run/runner", "store", "store/localfs", "turn",
	},
	"app/schedules": {"app/caller", "app/planruns", "history", "nearest", "redact", "run/cron", "run/plan", "store", "store/localfs"},
	"app/installation": {
		"agent", "app/caller", "app/place", "app/planruns", "config", "git", "judge/debrief", "judge/project", "judge/shell", "mark/keep", "redact", "setup",
		"store/localfs", "store/postgres", "turn",
	},
	"app/insight": {
		"agent", "app/caller", "app/place", "client", "client/clients", "config", "history", "judge/debrief", "mark/keep", "redact", "store",
		"store/localfs", "turn",
	},
	"app/marks": {
		"agent", "app/caller", "app/place", "config", "git", "history", "mark", "mark/keep", "mark/reach", "mark/restore", "setup", "store", "turn",
	},
	"app": {
		"agent", "announce", "app/caller", "app/insight", "app/installation", "app/marks", "app/place", "app/planruns", "app/schedules", "client", "client/clients", "config", "courier",
		"git", "history", "judge/debrief", "kind", "nearest", "pane", "proc", "redact", "request", "setup", "states", "store", "store/archive", "store/filestore",
		"store/localfs", "store/postgres", "store/repair", "store/sqlite", "tmux", "turn",
	},
	// What a verb is asked, at every door.
	"request": {"states"},
	"verbs":   {"app", "app/planruns", "history", "request"},
	"mcp":     {"app", "app/caller", "app/marks", "app/planruns", "history", "redact", "request", "states", "store/localfs", "verbs"},
	"api":     {"app", "app/caller", "app/insight", "app/planruns", "history", "mcp", "redact", "request", "states", "verbs"},
	"page": {
		"agent", "app", "app/caller", "app/insight", "app/marks", "app/place", "app/planruns", "diff", "history", "mark", "mark/keep", "states", "store", "verbs",
	},
	"page/gen": {},
	"daemon":   {"api", "app", "app/caller", "app/installation", "app/place", "app/planruns", "page", "redact", "screen", "store/localfs"},
	"screen":   {"nearest", "redact", "states"},
	"cli":      {"app", "app/caller", "config", "proc", "redact", "request", "screen", "states", "store/localfs", "verbs"},
	"demo":     {"agent", "app", "app/caller", "app/insight", "app/installation", "client/claude", "config", "history", "proc", "redact", "store"},
	// The library.
	"checkpoints": {"app", "app/caller", "history", "states", "verbs"},
	"runs":        {"app", "app/caller", "app/planruns", "checkpoints", "run/action", "run/plan", "run/runner"},
	// For tests only.
	"testkit/need":       {},
	"testkit/draw":       {},
	"testkit/disktest":   {"history", "store", "testkit/need"},
	"testkit/hometest":   {},
	"testkit/runtest":    {"run/action", "run/plan"},
	"testkit/schematest": {},
	"testkit/line":       {},
	"testkit/ratchet":    {},
	"testkit/hidden":     {},
	"testkit/screentest": {"cli", "screen"},
	"testkit/pgtest":     {"testkit/line", "testkit/need"},
	"testkit/clienttest": {"agent", "client/rawjson"},
	"testkit/storetest":  {"agent", "redact", "store"},
	"testkit/filltest":   {"agent", "redact", "store"},
	"testkit/crashtest":  {"history", "redact", "store", "store/archive", "testkit/draw", "testkit/need"},
	"testkit/verbtest":   {"agent", "history", "redact", "store", "store/archive", "store/filestore", "store/sqlite", "store/sqlstore", "testkit/need"},
}

// public are the packages that other programs can import.
var public = []string{"piton", "checkpoints", "runs"}

// TestRooms fails on any import that the plan does not show, on any arrow of
// the plan that no file uses, and on any package that others could import and
// that is not listed as public.
func TestRooms(t *testing.T) {
	used := map[string]map[string]bool{}
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
		dir := path.Dir(filepath.ToSlash(file))
		if strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "e2e") || strings.HasPrefix(dir, "bench") || strings.HasPrefix(dir, "temporal") {
			return nil
		}
		room, inside := strings.CutPrefix(dir, "internal/")
		if dir == "." {
			room = "piton"
		}
		allowed, ok := rooms[room]
		if !ok {
			t.Errorf("%s: the package %q is not in the plan", file, room)
			return nil
		}
		if !inside && !slices.Contains(public, room) {
			t.Errorf("%s: the package %q can be imported by other programs and is not listed as public", file, room)
		}
		if used[room] == nil {
			used[room] = map[string]bool{}
		}
		checkImports(t, file, room, allowed, used[room])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room, allowed := range rooms {
		if used[room] == nil {
			t.Errorf("the package %q is in the plan and not in the tree", room)
		}
		for _, to := range allowed {
			if !used[room][to] {
				t.Errorf("the plan lets %q use %q, and no file does", room, to)
			}
		}
	}
}

// checkImports holds a file's imports against the plan, and notes those of the
// product in used.
func checkImports(t *testing.T, file, room string, allowed []string, used map[string]bool) {
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
		to, ours := strings.CutPrefix(name, module+"/")
		if !ours || test && testMay(to) {
			continue
		}
		to = strings.TrimPrefix(to, "internal/")
		if !test {
			used[to] = true
		}
		if to != room && !slices.Contains(allowed, to) {
			t.Errorf("%s: %q may not use %q", file, room, to)
		}
	}
}

// testMay reports whether the tests of any package may use this one: real
// stores and what they take, real clients, the door of hooks, the verbs and the test kit.
func testMay(dir string) bool {
	return strings.HasPrefix(dir, "internal/testkit/") || strings.HasPrefix(dir, "internal/store") || strings.HasPrefix(dir, "internal/client") || dir == "internal/history" || dir == "internal/states" || dir == "internal/agent" || dir == "internal/redact" || dir == "internal/app/event"
}
