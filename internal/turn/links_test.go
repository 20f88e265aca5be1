package turn_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/turn"
)

// link makes a symbolic link, and gives its path.
func (w *world) link(to, name string) string {
	w.Helper()
	path := w.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		w.Fatal(err)
	}
	return path
}

// TestEditsThroughLinks: a file is the agent's whatever way a call names it.
func TestEditsThroughLinks(t *testing.T) {
	for _, x := range []struct {
		name  string
		files []string                // besides those of the shop
		links []string                // where one leads and its name, by turns; committed
		turn  func(w *world) []string // the agent's work; the files that are its own
	}{
		{"the work tree's root is a link", nil, nil, func(w *world) []string {
			w.edits(filepath.Join(w.link(w.root, filepath.Join(w.TempDir(), "tree")), "main.go"), "package shop\n\nconst text = `1`\n")
			return []string{"main.go"}
		}},
		{"a folder above it is one", nil, nil, func(w *world) []string {
			up := w.link(filepath.Dir(w.root), filepath.Join(w.TempDir(), "up"))
			w.edits(filepath.Join(up, filepath.Base(w.root), "main.go"), "package shop\n\nconst text = `1`\n")
			return []string{"main.go"}
		}},
		{"links to links", nil, nil, func(w *world) []string {
			dir := w.TempDir()
			w.edits(filepath.Join(w.link(w.link(w.link(w.root, dir+"/a"), dir+"/b"), dir+"/c"), "main.go"), "package shop\n\nconst text = `1`\n")
			return []string{"main.go"}
		}},
		{"a relative link", nil, nil, func(w *world) []string {
			dir := filepath.Dir(w.root)
			w.edits(filepath.Join(w.link(filepath.Base(w.root), filepath.Join(dir, "beside")), "main.go"), "package shop\n\nconst text = `1`\n")
			return []string{"main.go"}
		}},
		{"a linked folder inside", []string{"lib/a.go", "package lib\n"}, []string{"lib", "api"}, func(w *world) []string {
			w.edits("api/a.go", "package lib\n\nconst text = `1`\n")
			return []string{"lib/a.go"}
		}},
		{"a new file in a linked folder", []string{"lib/a.go", "package lib\n"}, []string{"../lib", "pkg/api"}, func(w *world) []string {
			w.edits("pkg/api/new.go", "package lib\n\nconst text = `1`\n")
			return []string{"lib/new.go"}
		}},
		{"a linked file inside", []string{"AGENTS.md", "read me\n"}, []string{"AGENTS.md", "CLAUDE.md"}, func(w *world) []string {
			w.edits("CLAUDE.md", "read me twice\n")
			return []string{"AGENTS.md"}
		}},
		{"a linked file through a linked root", []string{"lib/a.go", "package lib\n"}, []string{"lib/a.go", "b.go"}, func(w *world) []string {
			w.edits(filepath.Join(w.link(w.root, filepath.Join(w.TempDir(), "tree")), "b.go"), "package lib\n\nconst text = `1`\n")
			return []string{"lib/a.go"}
		}},
		{"a link from elsewhere to one file", nil, nil, func(w *world) []string {
			w.edits(w.link(w.path("main.go"), filepath.Join(w.TempDir(), "there.go")), "package shop\n\nconst text = `1`\n")
			return []string{"main.go"}
		}},
		{"the shell writes through one", []string{"lib/a.go", "package lib\n"}, []string{"lib", "api"}, func(w *world) []string {
			w.write("lib/a.go", "package lib\n\nconst text = `1`\n")
			w.runs("echo 'package lib // 1' > api/a.go", "")
			return []string{"lib/a.go"}
		}},
		{"a file deleted behind one", []string{"lib/a.go", "package lib\n"}, []string{"lib", "api"}, func(w *world) []string {
			if err := os.Remove(w.path("lib/a.go")); err != nil {
				w.Fatal(err)
			}
			w.runs("rm api/a.go", "")
			return []string{"lib/a.go"}
		}},
		{"all of a folder deleted through the linked root", []string{"lib/a.go", "package lib\n"}, nil, func(w *world) []string {
			tree := w.link(w.root, filepath.Join(w.TempDir(), "tree"))
			if err := os.RemoveAll(w.path("lib")); err != nil {
				w.Fatal(err)
			}
			w.runs("rm -r "+tree+"/lib", "")
			return []string{"lib/a.go"}
		}},
		{"a link out of the tree", nil, nil, func(w *world) []string {
			w.link(w.TempDir(), "out")
			w.edits("out/x.go", "package x\n")
			return nil
		}},
		{"links that lead nowhere, and in a cycle", nil, nil, func(w *world) []string {
			dir := w.TempDir()
			w.link(dir+"/b", dir+"/a")
			w.link(dir+"/a", dir+"/b")
			w.link(dir+"/none", dir+"/c")
			for _, name := range []string{"a/main.go", "b", "c/main.go"} {
				w.call("Write", `{"file_path":`+quoted(filepath.Join(dir, name))+`}`, "ok", false, `{"type":"update"}`)
			}
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			return []string{"main.go"}
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := shop(t, x.files...)
			w.set.MinTurn = 0
			for i := 0; i+1 < len(x.links); i += 2 {
				w.link(x.links[i], x.links[i+1])
			}
			if len(x.links) > 0 {
				w.git("add", "-A")
				w.git("commit", "-q", "-m", "links")
			}
			w.asks("mend it")
			want := x.turn(w)
			w.stops()
			w.owns(want...)
		})
	}
}

// owns checks whose the changed files are: those of the agent.
func (w *world) owns(want ...string) {
	w.Helper()
	var got []string
	for _, f := range w.decision().Files {
		if f.Whose == agent.OwnerAgent {
			got = append(got, f.Path)
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		w.Errorf("got the agent's files %q, want %q (all: %v, reason %s)", got, want, w.decision().Files, w.decision().Reason)
	}
}

// TestLinkedPlaces: it is one project and one session, whichever way the client
// names the folder, with and without git, and with every client.
func TestLinkedPlaces(t *testing.T) {
	for _, git := range []bool{true, false} {
		for name, client := range map[string]fake{"claude": {name: "claude", takes: gemini().takes}, "gemini": gemini(), "codex": codex()} {
			w := plain(t, "main.go", "package shop\n")
			if git {
				w = shop(t)
			}
			w.client, w.set.MinTurn = client, 0
			real := w.root
			tree := w.link(w.root, filepath.Join(t.TempDir(), "tree"))
			w.env = map[string]string{}
			w.root = tree
			w.asks("mend it")
			if s := w.session(); s.Root != real {
				t.Errorf("%s, git %v: got the root %s, want %s", name, git, s.Root, real)
			}
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.root = real
			for range 2 { // where there is no git, it is held once
				w.stops()
			}
			if git {
				w.owns("main.go")
			}
			if s := w.state(); s["files_modified"].([]any)[0] != "main.go" {
				t.Errorf("%s, git %v: got the files %v in the state", name, git, s["files_modified"])
			}
			p, err := turn.Identify(t.Context(), w.store, tree, false)
			if err != nil || p.ID != w.session().Project {
				t.Errorf("%s, git %v: got the project %v (%v) by the link, want %s", name, git, p, err, w.session().Project)
			}
		}
	}
}

// TestLinksAreRead: what was read by one name and edited by another was read.
func TestLinksAreRead(t *testing.T) {
	for _, x := range [][2]string{{"api/a.go", "lib/a.go"}, {"lib/a.go", "api/a.go"}, {"api/a.go", "api/a.go"}} {
		w := shop(t, "lib/a.go", "package lib\n", "lib/a_test.go", "package lib\n")
		w.set.MinTurn = 0
		w.link("lib", "api")
		w.asks("mend it")
		w.call("Read", `{"file_path":`+quoted(w.path(x[0]))+`}`, "1\tpackage lib", false, `{"type":"text"}`)
		w.write("lib/a.go", "package lib\n\nconst text = `1`\n")
		w.call("Edit", `{"file_path":`+quoted(w.path(x[1]))+`}`, "ok", false, `{"type":"update"}`)
		w.want(w.stops(), agent.ReasonHeld)
		if got := w.decision().Observations; strings.Contains(strings.Join(got, " "), "without having been read") {
			t.Errorf("read %s, edited %s: got %q", x[0], x[1], got)
		}
	}
}

// TestReplayFollowsLinks: a turn that was kept is judged as it was, on a machine
// without the links.
func TestReplayFollowsLinks(t *testing.T) {
	w := shop(t, "lib/a.go", "package lib\n", "lib/a_test.go", "package lib\n")
	w.set.MinTurn = 0
	tree := w.link(w.root, filepath.Join(t.TempDir(), "tree"))
	w.link("lib", "api")
	w.asks("mend it")
	w.edits(filepath.Join(tree, "main.go"), "package shop\n\nconst text = `1`\n")
	w.edits("api/a.go", "package lib\n\nconst text = `1`\n")
	w.stops()
	x, err := w.turns().Replay(t.Context(), w.session().ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{tree, w.path("api")} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	d, r := x.Decide(w.set)
	if !d.Held || len(r.Files) == 0 {
		t.Errorf("got %+v", d)
	}
	for _, f := range debrief.Look(x.Input(w.set)).Files {
		if agents := f.Path != "api"; (f.Whose == agent.OwnerAgent) != agents {
			t.Errorf("got %+v, want it the agent's: %v", f, agents)
		}
	}
}

// TestRealClientsInALinkedTree: recorded turns are judged the same where the
// client was started by a path through a link, and whether its hooks, its log,
// or both say so.
func TestRealClientsInALinkedTree(t *testing.T) {
	for _, client := range clients.All {
		want := replay(t, client)
		for _, v := range []variant{{events: tree, logs: tree}, {events: tree}, {logs: tree}} {
			if got, _ := replayWith(t, client, v); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %+v: got %+v, want %+v", client.Name(), v, got, want)
			}
		}
	}
}

// TestRunsThroughLinks: a test run counts where it ran in this tree, whatever
// way its folder is named, and nowhere else.
func TestRunsThroughLinks(t *testing.T) {
	for _, x := range []struct {
		name, dir string
		counts    bool
	}{
		{"the tree", "", true},
		{"a link to the tree", "OUTSIDE/tree", true},
		{"a link to a folder of it", "api", true},
		{"a link out of it", "out", false},
		{"a folder behind a link out of it", "out/deep", false},
		{"a link from elsewhere to elsewhere", "OUTSIDE/other", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := shop(t, "lib/a.go", "package lib\n", "lib/a_test.go", "package lib\n")
			w.set.MinTurn = 0
			outside := t.TempDir()
			w.link(w.root, outside+"/tree")
			w.link(t.TempDir(), outside+"/other")
			w.link("lib", "api")
			out := w.link(t.TempDir(), "out")
			w.write("out/deep/go.mod", "module other\n")
			w.write("out/go.mod", "module other\n")
			w.asks("mend it")
			w.edits("lib/a.go", "package lib\n\nconst text = `1`\n")
			w.runs("cd "+strings.ReplaceAll(firstNonEmpty(x.dir, "."), "OUTSIDE", outside)+" && go test ./...", "ok  \tshop/lib\t0.01s")
			if held := strings.HasPrefix(w.stops(), "held: "); held == x.counts {
				t.Errorf("got it held: %v, want the run to count: %v (%v, %s)", held, x.counts, w.decision().Evidence, out)
			}
		})
	}
}

func firstNonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
