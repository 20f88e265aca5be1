package marks_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
)

// at is the world with another tree.
func (w *world) at(tree string) *world {
	other := *w
	other.tree = w.path(tree)
	return &other
}

// same fails where files are not as they were.
func (w *world) same(was map[string]file) {
	w.Helper()
	if diff := differences(was, w.files()); len(diff) > 0 {
		w.Errorf("%q", diff)
	}
}

// TestWithoutGit: what a call names is kept, and a folder that a command names.
func TestWithoutGit(t *testing.T) {
	for _, x := range []struct {
		name  string
		do    func(s *session)
		comes bool
	}{
		{"an edit", func(s *session) {
			s.call("Write", map[string]any{"file_path": s.path("a"), "content": "gone"}, func() { s.write("a", "gone") })
		}, true},
		{"an edit of a file in a folder", func(s *session) {
			s.call("Edit", map[string]any{"file_path": s.path("d/e/b"), "old_string": "mine", "new_string": "gone"}, func() { s.write("d/e/b", "gone") })
		}, true},
		{"rm", func(s *session) { s.runs("rm a d/c") }, true},
		{"rm of a folder", func(s *session) { s.runs("rm -rf d") }, true},
		{"rm of a pattern", func(s *session) { s.runs("rm -rf *") }, true},
		{"rm in a folder", func(s *session) { s.runs("cd d && rm -rf ./* && cd .. && rm a") }, true},
		{"a redirection", func(s *session) { s.runs("echo gone > a; echo gone > d/c") }, true},
		{"sed -i", func(s *session) { s.runs("sed -i s/m/x/ a d/*") }, true},
		{"what nobody names", func(s *session) { s.runs("sh -c \"$(echo cm0gLXJmIGQK | base64 -d)\"") }, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("a", "mine\n")
			w.write("d/c", "mine\n")
			w.write("d/e/b", "mine\n")
			before, s := w.files(), w.opens()
			x.do(s)
			s.stop()
			after := w.files()
			if len(differences(before, after)) == 0 {
				t.Fatal("nothing was destroyed")
			}
			if !x.comes {
				if _, err := w.undo(piton.UndoRequest{}); piton.CodeOf(err) != piton.NotFound {
					t.Errorf("got %v, want not found", err)
				}
				return
			}
			done := w.undone(piton.UndoRequest{})
			w.same(before)
			w.undone(piton.UndoRequest{Command: done.Undo})
			w.same(after)
		})
	}
}

// TestTrees: each tree has what was taken away in it, wherever the agent was then.
func TestTrees(t *testing.T) {
	for _, x := range []struct {
		name string
		make string // in the tree; it makes the other one
		tree string // the other one
		line string
		sub  bool // a subagent does it, with its folder in the other one
	}{
		{"a worktree, by a path", "git worktree add -q ../second", "../second", "rm -rf ../second/d ../second/a", false},
		{"a worktree, by cd", "git worktree add -q ../second", "../second", "cd ../second && git checkout -q -- . && git clean -fdq", false},
		{"a worktree, by -C", "git worktree add -q ../second", "../second", "git -C ../second reset -q --hard; git -C ../second clean -fdq", false},
		{"a worktree inside, of a subagent", "git worktree add -q inner/second", "inner/second", "git reset -q --hard && git clean -fdq", true},
		{"a worktree, of a subagent", "git worktree add -q ../second", "../second", "rm -rf d a", true},
		{"a nested repository", "git init -q nested && cd nested && git config user.email a@b.example && git config user.name A && echo first > a && git add a && git commit -qm x", "nested", "cd nested && git checkout -q -- . && git clean -fdq", false},
		{"a submodule", "git clone -q . ../module && git -c protocol.file.allow=always submodule --quiet add ../module module && git commit -qm module", "module", "cd module && git checkout -q -- . && git clean -fdq", false},
		{"a worktree, removed", "git worktree add -q ../second", "../second", "git worktree remove --force ../second; mkdir ../second", false},
		{"a worktree, removed by rm", "git worktree add -q ../second", "../second", "rm -rf ../second; mkdir ../second", false},
		{"a folder without git", "mkdir ../second && echo first > ../second/a", "../second", "cd ../second && rm -rf a d", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newRepository(t)
			w.write("a", "first\n")
			w.bash(w.tree, "git add a && git commit -qm x")
			if out := w.bash(w.tree, x.make); strings.Contains(out, "fatal") {
				t.Fatal(out)
			}
			other := w.at(x.tree)
			other.write("a", "mine\n")
			other.write("d/b", "mine\n")
			w.write("own", "mine\n")
			was, before := w.files(), other.files()
			s := w.opens()
			if x.sub {
				s.subagent, s.cwd = "aeabea24d591dffdf", other.tree
			}
			s.runs(x.line)
			if s.subagent, s.cwd = "", w.tree; len(differences(before, other.files())) == 0 {
				t.Fatal("nothing was destroyed")
			}
			s.stop()
			after := other.files()
			if x.tree[:2] == ".." {
				if done, err := w.undo(piton.UndoRequest{}); piton.CodeOf(err) != piton.NotFound {
					t.Errorf("got %v, %v in the session's tree, want not found", done, err)
				}
			}
			x := other.undone(piton.UndoRequest{})
			other.same(before)
			w.same(was)
			other.undone(piton.UndoRequest{Command: x.Undo})
			other.same(after)
		})
	}
}

// TestARepositoryOfItsOwn: what lies in another repository is not kept with a tree, and that is said before.
func TestARepositoryOfItsOwn(t *testing.T) {
	for _, line := range []string{"rm -rf nested", "rm -rf around", "git clean -qffdx", "rm -rf *"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			w := newRepository(t)
			w.write(".gitignore", "nested/\n")
			w.write("nested/a", "mine\n")
			w.write("around/nested/a", "mine\n")
			w.write("around/b", "mine\n")
			w.bash(w.tree, "git init -q nested; git init -q around/nested")
			before, s := w.files(), w.opens()
			s.runs(line)
			s.stop()
			acts := w.marksOf(keep.Query{Kind: mark.AtCommand})
			_, err := w.undo(piton.UndoRequest{})
			if err != nil && piton.CodeOf(err) != piton.NotFound {
				t.Fatal(err)
			}
			if line == "rm -rf nested" { // it is marked as the tree that it is
				other := w.at("nested")
				if _, err := other.undo(piton.UndoRequest{}); piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "is gone") {
					t.Errorf("got %v, want that the folder is gone", err)
				}
				w.ok(os.Mkdir(other.tree, 0o700))
				other.undone(piton.UndoRequest{})
			}
			for _, name := range differencesOf(before, w.files()) {
				if !named(acts, name) {
					t.Errorf("%s did not come back, and nobody had said so; the marks lack %v", name, acts[0].Lacking())
				}
			}
		})
	}
}

// TestTwoSessions work in one tree: what the one changed, the other's undo does not touch.
func TestTwoSessions(t *testing.T) {
	begin := func(t *testing.T) (w *world, a, b *session) {
		t.Parallel()
		w = newRepository(t)
		for _, name := range []string{"x", "y", "z"} {
			w.write(name, "mine\n")
		}
		return w, w.opens(), w.opens()
	}
	end := func(s ...*session) {
		for _, s := range s {
			s.stop()
		}
	}
	t.Run("one after the other", func(t *testing.T) {
		w, a, b := begin(t)
		a.runs("rm x y; echo a > z")
		b.runs("echo b > x; echo b > z")
		end(a, b)
		w.undone(piton.UndoRequest{Command: "2"})
		if w.read("x") != "b\n" || w.read("y") != "mine\n" || w.read("z") != "b\n" {
			t.Errorf("got %q %q %q, want back y alone", w.read("x"), w.read("y"), w.read("z"))
		}
	})
	t.Run("a turn", func(t *testing.T) {
		w, a, b := begin(t)
		a.runs("rm x")
		b.runs("rm y")
		a.runs("echo a > z")
		end(b, a)
		w.undone(piton.UndoRequest{Turn: true})
		if w.read("x") != "mine\n" || w.read("y") != "" || w.read("z") != "mine\n" {
			t.Errorf("got %q %q %q, want back all but y", w.read("x"), w.read("y"), w.read("z"))
		}
	})
	for name, order := range map[string][]int{"the one during the other": {1, 2, 2, 1}, "the one into the other": {1, 2, 1, 2}, "one without an end": {1, 2, 1}} {
		t.Run(name, func(t *testing.T) {
			w, a, b := begin(t)
			lineOfA, lineOfB := map[string]any{"command": "rm y; sh slow.sh"}, map[string]any{"command": "echo b > x"}
			a.begins("Bash", lineOfA)
			b.begins("Bash", lineOfB)
			w.bash(w.tree, "echo b > x; rm y")
			for _, who := range order[2:] {
				map[int]func(){1: func() { a.ends("Bash", lineOfA) }, 2: func() { b.ends("Bash", lineOfB) }}[who]()
			}
			end(a, b)
			acts := w.marksOf(keep.Query{Kind: mark.AtCommand})
			i := slices.IndexFunc(acts, func(m mark.Mark) bool { return strings.HasPrefix(m.Line, "rm") })
			done := w.undone(piton.UndoRequest{Command: acts[i].ID})
			if w.read("x") != "b\n" || w.read("y") != "mine\n" {
				t.Errorf("got %q %q, want back y alone: %+v", w.read("x"), w.read("y"), done.Files)
			}
		})
	}
}

// TestRefused: nothing is written where something else is under way, or where it would be too much.
func TestRefused(t *testing.T) {
	for _, x := range []struct{ name, line, after, reason string }{
		{"a merge", "git merge side", "git merge --abort", "a merge is under way"},
		{"a rebase", "git rebase side", "git rebase --abort", "a rebase is under way"},
		{"a cherry-pick", "git cherry-pick side", "git cherry-pick --abort", "a cherry-pick is under way"},
		{"a revert", "git revert HEAD~1", "git revert --abort", "a revert is under way"},
		{"am", "git format-patch -1 side --stdout > ../p; git am ../p", "git am --abort", "a rebase is under way"},
		{"another git", "touch .git/index.lock", "rm .git/index.lock", "another git command is under way"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newRepository(t)
			w.bash(w.tree, `commit() { echo $1 > c; git add c; git commit -qm $1; }
commit 1; git checkout -qb side; commit 2; git checkout -q main; commit 3; commit 4`)
			w.write("untracked", "mine\n")
			s := w.opens()
			s.runs("rm untracked")
			s.stop()
			w.bash(w.tree, x.line)
			was, git := w.files(), w.git()
			_, err := w.undo(piton.UndoRequest{})
			if piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), x.reason) {
				t.Errorf("got %v, want a conflict: %s", err, x.reason)
			}
			w.same(was)
			if w.git() != git {
				t.Error("git holds something else")
			}
			w.bash(w.tree, x.after)
			if w.undone(piton.UndoRequest{}); w.read("untracked") != "mine\n" {
				t.Error("it is not back when that is over")
			}
		})
	}
	t.Run("the home of Piton", func(t *testing.T) {
		w := newWorld(t)
		w.bash(w.home, "git init -q .")
		w = w.at(w.home)
		w.write("untracked", "mine\n")
		s := w.opens()
		s.runs("rm untracked")
		s.stop()
		if _, err := w.undo(piton.UndoRequest{Paths: []string{w.path("untracked")}}); piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "Piton's own files") {
			t.Errorf("got %v, want a conflict", err)
		}
	})
	t.Run("home", func(t *testing.T) {
		home, err := filepath.EvalSymlinks(os.Getenv("HOME"))
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t)
		w.tree = home
		w.write("mine-alone", "mine\n")
		defer os.Remove(w.path("mine-alone"))
		s := w.opens()
		s.runs("rm mine-alone")
		s.stop()
		if _, err := w.undo(piton.UndoRequest{}); piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "your home folder") {
			t.Errorf("got %v, want a conflict", err)
		}
	})
	t.Run("an agent at work", func(t *testing.T) {
		w := newRepository(t)
		w.write("untracked", "mine\n")
		w.sessions = 1
		s := w.opens()
		s.pid = os.Getppid()
		s.prompt()
		s.runs("rm untracked")
		if _, err := w.undo(piton.UndoRequest{}); piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "is at work here") {
			t.Errorf("got %v, want a conflict", err)
		}
		s.stop()
		if w.undone(piton.UndoRequest{}); w.read("untracked") != "mine\n" {
			t.Error("it is not back after the stop")
		}
	})
	t.Run("no person", func(t *testing.T) {
		w := newRepository(t)
		w.write("untracked", "mine\n")
		s := w.opens()
		s.runs("rm untracked")
		s.stop()
		p, closed := w.person()
		defer closed()
		shown, err := p.PreviewUndo(t.Context(), piton.UndoRequest{})
		w.ok(err)
		p.Options.Model = true
		if _, err := p.Undo(t.Context(), shown); piton.CodeOf(err) != piton.Invalid || w.read("untracked") != "" {
			t.Errorf("got %v, want that only a person may", err)
		}
	})
}

// TestClients: what the agent of any client destroys comes back.
func TestClients(t *testing.T) {
	for _, client := range []string{"claude", "codex", "gemini"} {
		for _, x := range []struct {
			name, only string
			do         func(s *session)
		}{
			{"a command", "", func(s *session) { s.runs("git checkout -q -- . && git clean -fdq") }},
			{"two at once", "claude", func(s *session) {
				lines := []map[string]any{{"command": "git checkout -q -- ."}, {"command": "rm -rf new d"}}
				s.begins("Bash", lines[0])
				s.begins("Bash", lines[1])
				s.bash(s.tree, "git checkout -q -- .")
				s.ends("Bash", lines[1])
				s.bash(s.tree, "rm -rf new d")
				s.calls--
				s.ends("Bash", lines[0])
			}},
			{"a tool of a server", "", func(s *session) {
				s.call("mcp__fs__wipe", map[string]any{"path": "."}, func() { s.bash(s.tree, "rm -rf new d && git checkout -q -- .") })
			}},
			{"a tool that writes", "claude gemini", func(s *session) {
				for _, name := range []string{"tracked", "new", "d/e"} {
					s.call("Write", map[string]any{"file_path": s.path(name), "content": "gone"}, func() { s.write(name, "gone") })
				}
			}},
			{"a patch", "codex", func(s *session) {
				patch := "*** Begin Patch\n*** Update File: tracked\n@@\n-mine\n+gone\n*** Delete File: new\n*** Update File: d/e\n*** Move to: d/f\n@@\n-mine\n+gone\n*** End Patch\n"
				s.call("apply_patch", map[string]any{"command": patch}, func() { s.bash(s.tree, "echo gone > tracked; rm new; echo gone > d/f; rm d/e") })
			}},
		} {
			if x.only != "" && !strings.Contains(x.only, client) {
				continue
			}
			t.Run(client+"/"+x.name, func(t *testing.T) {
				t.Parallel()
				w := newRepository(t)
				w.write("tracked", "first\n")
				w.bash(w.tree, "git add -A && git commit -qm x")
				for _, name := range []string{"tracked", "new", "d/e"} {
					w.write(name, "mine\n")
				}
				s := &session{world: w, client: client, id: "00000001-1111-1111-1111-111111111111", cwd: w.tree}
				w.write(filepath.Join(w.home, s.id+".jsonl"), "")
				s.event("SessionStart", map[string]any{"source": "startup"})
				s.prompt()
				before := w.files()
				x.do(s)
				s.event("Stop", map[string]any{"stop_hook_active": false, "prompt": "do it", "prompt_response": "done"})
				if len(differencesOf(before, w.files())) != 3 {
					t.Fatalf("destroyed: %q", differences(before, w.files()))
				}
				for range 3 { // one more would take the last one back
					if len(differencesOf(before, w.files())) > 0 {
						w.undone(piton.UndoRequest{})
					}
				}
				if got := differencesOf(before, w.files()); len(got) > 0 {
					t.Errorf("%q did not come back\n%s", got, w.log())
				}
				for _, m := range w.marksOf(keep.Query{Kind: mark.AtCommand}) {
					if m.LookedAt.IsZero() || m.Agent != client {
						t.Errorf("the end of %q of %q was not looked at", m.Line+m.Tool, m.Agent)
					}
				}
			})
		}
	}
}

// TestInterrupted: of a command that a person has stopped no client tells the end. What it took away comes
// back, of itself and with its turn.
func TestInterrupted(t *testing.T) {
	for _, r := range []piton.UndoRequest{{}, {Turn: true}} {
		w := newRepository(t)
		w.write("tracked", "first\n")
		w.bash(w.tree, "git add -A && git commit -qm x")
		for _, name := range []string{"tracked", "a", "b", "c", "d/e"} {
			w.write(name, "mine\n")
		}
		before, s := w.files(), w.opens()
		if r.Turn {
			s.runs("echo agent > c")
		}
		s.begins("Bash", map[string]any{"command": "sh cleanup.sh"})
		w.bash(w.tree, "rm -rf a d; git checkout -q -- tracked")
		w.write("b", "of a person, since\n")
		s.stop()
		w.undone(r)
		if diff := differences(before, w.files()); len(diff) != 1 || w.read("b") != "of a person, since\n" {
			t.Errorf("turn %t: %q, want back all but what a person has written", r.Turn, diff)
		}
	}
}

// TestToldOfLineEnds: a file that git writes with other ends of lines is as in HEAD all the same.
func TestToldOfLineEnds(t *testing.T) {
	for _, setting := range []string{"core.autocrlf false", "core.autocrlf true"} {
		w := newRepository(t, setting)
		w.write("a", "first\nof two lines\n")
		w.bash(w.tree, "git add -A && git commit -qm x")
		w.write("a", "mine\n")
		s := w.opens()
		s.runs("git checkout -q -- .")
		if told := s.stop(); !strings.Contains(told, "reverted your uncommitted file") {
			t.Errorf("%s: told %q", setting, told)
		}
	}
}

// TestToldOfOthers: what somebody has made is told, what the agent has made is not.
func TestToldOfOthers(t *testing.T) {
	for _, x := range []struct {
		name   string
		before string // by a person, before the turn
		during string // by a person, in the turn
		lines  []string
		told   string
		comes  string // what a plain undo brings back
	}{
		{"a scratch file of the agent's after a file of mine", "echo mine > notes", "", []string{"rm notes", "echo x > tmp", "rm tmp"}, "removed your uncommitted file `notes`; 'piton undo' brings it back", "notes"},
		{"a file that a person makes in the turn", "", "echo mine > notes", []string{"git clean -fdq"}, "removed your uncommitted file `notes`; 'piton undo' brings it back", "notes"},
		{"a file that a person edits in the turn", "", "echo mine > a", []string{"git checkout -q -- a"}, "reverted your uncommitted file `a`; 'piton undo' brings it back", "a"},
		{"a file that a person makes in the turn, and the agent edits", "", "echo mine > notes", []string{"sed -i s/m/n/ notes", "rm notes"}, "removed your uncommitted file `notes`; 'piton undo' brings it back", "notes"},
		{"an ignored file that the agent edits", "echo mine > k.pem", "", []string{"sed -i s/m/n/ k.pem", "rm k.pem"}, "removed your uncommitted file `k.pem`; 'piton undo' brings it back", "k.pem"},
		{"a committed file that the agent edits", "", "", []string{"sed -i s/f/g/ a", "sed -i s/g/h/ a", "git checkout -q -- a"}, "", "a"},
		{"a file that the agent makes unnamed", "", "", []string{"python3 -c 'open(\"out\", \"w\").write(\"x\")'", "rm out"}, "", "out"},
		{"an ignored file that is named", "echo key > k.pem", "", []string{"rm k.pem"}, "removed your uncommitted file `k.pem`; 'piton undo' brings it back", "k.pem"},
		{"a folder that is ignored", "mkdir build; echo o > build/o", "", []string{"rm -rf build"}, "", "build/o"},
		{"committed files", "", "", []string{"rm -rf a d"}, "", "a"},
		{"an ignored file that is moved and comes back", "echo key > k.pem", "", []string{"mv k.pem l.pem", "mv l.pem k.pem"}, "", "k.pem"},
		{"two commands", "echo 1 > k1; echo 2 > k2", "", []string{"rm k1", "rm k2"}, "and 1 more removed 2 of your uncommitted files; 'piton undo', once for each, brings them back", "k2"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newRepository(t)
			w.bash(w.tree, "echo first > a; mkdir d; echo first > d/b; printf '*.pem\nbuild/\n' > .gitignore; git add -A; git commit -qm x; "+x.before)
			s := w.opens()
			w.bash(w.tree, x.during)
			for _, line := range x.lines {
				s.runs(line)
			}
			told := s.stop()
			if x.told == "" && told != "" || !strings.Contains(told, x.told) {
				t.Errorf("told %q, want %q", told, x.told)
			}
			done := w.undone(piton.UndoRequest{})
			if len(done.Files) == 0 || done.Files[0].Path != x.comes {
				t.Errorf("came back: %v, want %s", done.Files, x.comes)
			}
		})
	}
}

// TestBehind: a command in the background has no end that was seen; what is gone at the stop is told as far as it is known.
func TestBehind(t *testing.T) {
	w := newRepository(t)
	w.write("notes", "mine\n")
	s := w.opens()
	input := map[string]any{"command": "sleep 1; rm notes", "run_in_background": true}
	s.begins("Bash", input)
	s.event("PostToolUse", map[string]any{"tool_name": "Bash", "tool_input": input, "tool_use_id": "toolu_" + s.id + "1", "tool_response": map[string]any{"backgroundTaskId": "b1"}})
	w.bash(w.tree, "rm notes")
	if told, want := s.stop(), "what ran since `sleep 1; rm notes` began removed your uncommitted file `notes`; 'piton undo' brings it back"; !strings.Contains(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	w.undone(piton.UndoRequest{})
	if w.read("notes") != "mine\n" {
		t.Error("it did not come back")
	}
}

// TestIgnoredSince: what git does not list any more is there all the same.
func TestIgnoredSince(t *testing.T) {
	w := newRepository(t)
	w.write("notes", "mine\n")
	s := w.opens()
	s.begins("Bash", map[string]any{"command": "make"})
	s.runs("echo notes > .gitignore")
	if told := s.stop(); told != "" {
		t.Errorf("told %q, and it is there", told)
	}
}

// TestWithoutItsGit: a tree without its git is found from below too, and what another repository says is not of it.
func TestWithoutItsGit(t *testing.T) {
	w := newRepository(t)
	w.bash(w.tree, "echo first | tee a b; git add -A; git commit -qm x; git worktree add -q -b other wt; cd wt; echo two > b; git commit -qam two")
	w.write("wt/a", "mine\n")
	w.write("d/e", "mine\n")
	s := w.opens()
	s.cwd = w.path("wt")
	s.begins("Bash", map[string]any{"command": "git checkout -q -- a"}) // its end is not told
	w.ok(os.Remove(w.path("wt/.git")))
	w.write("wt/a", "another's\n")
	s.cwd = w.tree
	s.runs("rm -rf .git d/e")
	s.stop()
	done := w.undone(piton.UndoRequest{InProject: piton.InProject{Project: w.path("wt")}, Command: "1"})
	if done.Returns != 0 || w.read("wt/a") != "another's\n" {
		t.Errorf("got %v, and the file holds %q", done.Files, w.read("wt/a"))
	}
	w.undone(piton.UndoRequest{InProject: piton.InProject{Project: w.path("d")}})
	if w.read("d/e") != "mine\n" {
		t.Error("it did not come back")
	}
}

// TestATreeIsNamed: of a tree that is removed as a whole ignored files are kept too.
func TestATreeIsNamed(t *testing.T) {
	w := newRepository(t)
	w.bash(w.tree, "echo '*.pem' > .gitignore; git add -A; git commit -qm x; git worktree add -q -b other ../wt; tee k.pem > ../wt/k.pem <<< mine")
	s := w.opens()
	s.runs("rm -rf ../wt")
	s.runs("cd .. && rm -rf tree")
	for _, m := range w.marksOf(keep.Query{Kind: mark.AtCommand}) {
		if f, _ := m.Find("k.pem"); !f.Kept() {
			t.Errorf("%s is marked without the ignored file", m.Root)
		}
	}
}

// TestAtOnce: of two calls at once both have seen the same, and all of it comes back with the turn.
func TestAtOnce(t *testing.T) {
	w := newRepository(t)
	w.write("p1", "mine\n")
	w.write("p2", "mine\n")
	before, s := w.files(), w.opens()
	one, two := map[string]any{"command": "rm p1"}, map[string]any{"command": "rm p2"}
	s.begins("Bash", one)
	s.begins("Bash", two)
	w.bash(w.tree, "rm p1 p2")
	s.ends("Bash", two)
	s.calls--
	s.ends("Bash", one)
	s.stop()
	w.undone(piton.UndoRequest{Turn: true})
	w.same(before)
}

// TestThroughALink: in a folder that is entered by way of a link, what is named is kept too.
func TestThroughALink(t *testing.T) {
	w := newRepository(t)
	w.write(".gitignore", "*.pem\n")
	w.write("k.pem", "mine\n")
	link := filepath.Join(w.home, "link")
	w.ok(os.Symlink(w.tree, link))
	before, s := w.files(), w.opens()
	s.cwd = link
	s.runs("rm k.pem")
	s.stop()
	w.undone(piton.UndoRequest{})
	w.same(before)
}

// TestAfterAFailedRequest: an agent whose request has failed is not at work.
func TestAfterAFailedRequest(t *testing.T) {
	w := newRepository(t)
	w.write("a", "mine\n")
	before, s := w.files(), w.opens()
	s.runs("rm a")
	if _, err := w.undo(piton.UndoRequest{}); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("got %v in the turn, want a conflict", err)
	}
	s.event("StopFailure", map[string]any{"error": "server_error"})
	w.undone(piton.UndoRequest{})
	w.same(before)
	s.begins("Bash", map[string]any{"command": "make"}) // it was asked again
	if _, err := w.undo(piton.UndoRequest{Command: "1"}); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("got %v while a tool runs, want a conflict", err)
	}
}
