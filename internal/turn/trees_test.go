package turn_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// works begins a turn of a minute.
func works(w *world) {
	w.Helper()
	w.asks("mend it")
	w.after(time.Minute)
	w.runs("git status", "clean")
}

// addTree makes another work tree of the repository and names its root.
func addTree(w *world, at string) string {
	w.Helper()
	w.git("worktree", "add", "-q", "-b", "feat", at)
	w.runs("git worktree add -b feat "+at, "Preparing worktree")
	return resolved(w, w.path(at))
}

// What an agent did in another work tree of the repository, or committed on a
// branch that it left, is the turn's work.
func TestWorkElsewhere(t *testing.T) {
	for _, place := range []string{"../wt", ".claude/worktrees/x"} {
		each(t, []story{
			{place + ": edited and not tested", func(w *world) {
				works(w)
				tree := addTree(w, place)
				w.edits(filepath.Join(tree, "main.go"), "package shop\n\nconst text = `1`\n")
				w.want(w.stops(), agent.ReasonHeld, "main.go", "go test")
			}},
			{place + ": edited, committed there and not tested", func(w *world) {
				works(w)
				tree := addTree(w, place)
				w.edits(filepath.Join(tree, "main.go"), "package shop\n\nconst text = `1`\n")
				w.git("-C", tree, "commit", "-qam", "mended")
				w.runs("git -C "+tree+" commit -qam mended", "1 file changed")
				w.want(w.stops(), agent.ReasonHeld, "main.go", "go test")
			}},
			{place + ": edited, tested and committed there", func(w *world) {
				works(w)
				tree := addTree(w, place)
				w.edits(filepath.Join(tree, "main.go"), "package shop\n\nconst text = `1`\n")
				w.runs("cd "+tree+" && go test ./...", "ok  \tshop\t0.1s")
				w.git("-C", tree, "commit", "-qam", "mended")
				w.runs("git -C "+tree+" commit -qam mended", "1 file changed")
				w.want(w.stops(), agent.ReasonClear, "1 file changed, `go test ./...` passed since")
			}},
			{place + ": looked at only", func(w *world) {
				tree := addTree(w, place)
				works(w)
				w.runs("cat "+tree+"/main.go", "package shop")
				w.want(w.stops(), agent.ReasonNothing)
			}},
			{place + ": a person's change there is not the agent's", func(w *world) {
				tree := addTree(w, place)
				works(w)
				w.write(filepath.Join(tree, "main.go"), "package shop\n\nconst text = `by the user`\n")
				w.runs("ls "+tree, "main.go")
				w.want(w.stops(), agent.ReasonNothing)
			}},
			{place + ": the session's own tree is verified, the other is not", func(w *world) {
				works(w)
				w.edits("main.go", "package shop\n\nconst text = `1`\n")
				w.runs("go test ./...", "ok  \tshop\t0.1s")
				tree := addTree(w, place)
				w.edits(filepath.Join(tree, "main.go"), "package shop\n\nconst text = `1`\n")
				w.want(w.stops(), agent.ReasonHeld, "In `"+place+"`: `main.go` changed, and its tests (`main_test.go`) have not run since")
			}},
		})
	}
	each(t, []story{
		{"committed on a branch that was left, not tested", func(w *world) {
			works(w)
			w.git("switch", "-qc", "feat")
			w.runs("git switch -c feat", "Switched to a new branch 'feat'")
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.git("commit", "-qam", "mended")
			w.git("switch", "-q", "main")
			w.runs("git commit -qam mended && git switch main", "1 file changed")
			w.want(w.stops(), agent.ReasonHeld, "main.go", "go test")
			if notes := w.decision().Notes; !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "not checked out: main.go") }) {
				w.Errorf("got the notes %q, want the branch that was left", notes)
			}
		}},
		{"tested, committed on a branch, and the branch left", func(w *world) {
			works(w)
			w.git("switch", "-qc", "feat")
			w.runs("git switch -c feat", "Switched to a new branch 'feat'")
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.git("commit", "-qam", "mended")
			w.git("switch", "-q", "main")
			w.runs("git commit -qam mended && git switch main", "1 file changed")
			w.want(w.stops(), agent.ReasonClear)
		}},
		{"a person's commit on another branch is not the agent's", func(w *world) {
			works(w)
			w.edits("README.md", "more\n")
			w.git("stash", "-q")
			w.git("switch", "-qc", "other")
			w.write("main.go", "package shop\n\nconst text = `by the user`\n")
			w.git("commit", "-qam", "mine")
			w.git("switch", "-q", "main")
			w.git("stash", "pop", "-q")
			w.git("commit", "-qam", "docs")
			w.runs("git commit -qam docs", "1 file changed")
			w.want(w.stops(), agent.ReasonFine)
		}},
	})
}

// Without git the files that the calls name are judged.
func TestWithoutGit(t *testing.T) {
	with := func(files ...string) func(t *testing.T) *world {
		return func(t *testing.T) *world { return plain(t, files...) }
	}
	goFiles := []string{"go.mod", "module shop\n", "main.go", "package shop\n", "main_test.go", "package shop\n"}
	repos := func(t *testing.T) *world {
		w := plain(t, "a/go.mod", "module a\n", "a/main.go", "package a\n", "a/main_test.go", "package a\n", "b/README.md", "b\n")
		for _, dir := range []string{"a", "b"} {
			w.git("init", "-q", "-b", "main", dir)
			w.git("-C", dir, "add", "-A")
			w.git("-C", dir, "commit", "-qm", "first")
		}
		return w
	}
	for _, s := range []struct {
		name string
		make func(t *testing.T) *world
		play func(w *world)
	}{
		{"a document: let go", with("notes.md", "x\n"), func(w *world) {
			works(w)
			w.edits("notes.md", "y\n")
			w.want(w.stops(), agent.ReasonFine, "1 file changed; nothing asks for a check of that")
		}},
		{"code whose tests passed: let go", with(goFiles...), func(w *world) {
			works(w)
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.want(w.stops(), agent.ReasonClear, "1 file changed, `go test ./...` passed since")
		}},
		{"code whose tests did not run: asked for by name", with(goFiles...), func(w *world) {
			works(w)
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.want(w.stops(), agent.ReasonHeld, "main.go", "run `go test .`")
		}},
		{"code whose tests failed: held", with(goFiles...), func(w *world) {
			works(w)
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.fails("go test ./...", "--- FAIL: TestShop\nFAIL\tshop")
			w.want(w.stops(), agent.ReasonHeld, "go test")
		}},
		{"git is broken, code whose tests passed: let go", func(t *testing.T) *world { return shop(t) }, func(w *world) {
			works(w)
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.write(".git/index", "this is not an index")
			w.want(w.stops(), agent.ReasonClear)
		}},
		{"git is broken, a document: let go", func(t *testing.T) *world { return shop(t) }, func(w *world) {
			works(w)
			w.edits("README.md", "more\n")
			w.write(".git/index", "this is not an index")
			w.want(w.stops(), agent.ReasonFine)
		}},
		{"a folder of repositories: the edited one is judged", repos, func(w *world) {
			works(w)
			w.edits("a/main.go", "package a\n\nconst text = `1`\n")
			w.want(w.stops(), agent.ReasonHeld, "In `a`: `main.go` changed, and its tests (`main_test.go`) have not run since", "go test")
		}},
		{"a folder of repositories: tested and committed", repos, func(w *world) {
			works(w)
			w.edits("a/main.go", "package a\n\nconst text = `1`\n")
			w.runs("cd a && go test ./...", "ok  \ta\t0.1s")
			w.git("-C", "a", "commit", "-qam", "mended")
			w.runs("cd a && git commit -qam mended", "1 file changed")
			w.want(w.stops(), agent.ReasonClear, "1 file changed, `go test ./...` passed since")
		}},
		{"a folder of repositories: a document", repos, func(w *world) {
			works(w)
			w.edits("b/README.md", "more\n")
			w.want(w.stops(), agent.ReasonFine)
		}},
		{"a folder of repositories: two of them", repos, func(w *world) {
			works(w)
			w.edits("b/README.md", "more\n")
			w.edits("a/main.go", "package a\n\nconst text = `1`\n")
			w.want(w.stops(), agent.ReasonHeld, "In `a`: ")
			if files := w.decision().Files; len(files) != 2 {
				w.Errorf("got %v, want a file of each", files)
			}
		}},
		{"a file beside the repositories", repos, func(w *world) {
			works(w)
			w.edits("notes.md", "x\n")
			w.want(w.stops(), agent.ReasonFine)
			if _, err := os.Stat(w.path("notes.md")); err != nil {
				w.Fatal(err)
			}
		}},
	} {
		for _, client := range []string{"claude", "gemini", "codex"} {
			t.Run(client+", "+s.name, func(t *testing.T) {
				w := s.make(t)
				w.client = fake{name: client, takes: func(agent.Event) bool { return true }}
				s.play(w)
			})
		}
	}
}
