package turn_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton/internal/agent"
)

func TestWorkTrees(t *testing.T) {
	tell(t, []story{
		{"only new files", func(w *world) {
			w.asks("add it")
			w.after(time.Minute)
			w.edits("cart/cart.go", "package cart\n")
			w.want(w.stops(), agent.ReasonHeld, "cart/cart.go")
		}},
		{"a commit of the turn still asks for tests", func(w *world) {
			changed(w)
			w.git("commit", "-qam", "mended")
			w.runs("git commit -qam mended", "1 file changed")
			w.want(w.stops(), agent.ReasonHeld, "main.go")
		}},
		{"what was dirty before does not count", func(w *world) {
			w.write("main.go", "package shop\n\nconst text = `by the user`\n")
			w.write("new.go", "package shop\n")
			w.asks("explain it")
			w.after(time.Minute)
			w.runs("cat main.go", "package shop")
			w.want(w.stops(), agent.ReasonNothing)
			if files := w.decision().Files; len(files) != 0 {
				t.Errorf("got %v, want no files", files)
			}
		}},
		{"what was dirty before and is changed again does", func(w *world) {
			w.write("main.go", "package shop\n\nconst text = `by the user`\n")
			changed(w)
			w.want(w.stops(), agent.ReasonHeld, "main.go")
		}},
		{"a foreign change is shown and not held", func(w *world) {
			w.asks("explain it")
			w.after(time.Minute)
			w.write("main.go", "package shop\n\nconst text = `by the user`\n")
			w.want(w.stops(), agent.ReasonNothing)
			want := []agent.FileChange{{Path: "main.go", Whose: agent.OwnerForeign}}
			if diff := cmp.Diff(want, w.decision().Files); diff != "" {
				t.Errorf("files (want -, got +):\n%s", diff)
			}
		}},
		{"a change by a shell command is the agent's", func(w *world) {
			w.asks("mend it")
			w.after(time.Minute)
			w.write("main.go", "package shop\n\nconst text = `sed`\n")
			at := w.now.Add(2 * time.Second) // inside the call
			if err := os.Chtimes(w.path("main.go"), at, at); err != nil {
				t.Fatal(err)
			}
			w.runs("sed -i s/x/y/ main.go", "")
			w.want(w.stops(), agent.ReasonHeld, "main.go")
		}},
		{"a subagent's edit is the agent's", func(w *world) {
			w.asks("mend it")
			w.after(time.Minute)
			own := w.script
			w.script = filepath.Join(strings.TrimSuffix(own, ".jsonl"), "subagents", "agent-a1.jsonl")
			if err := os.MkdirAll(filepath.Dir(w.script), 0o700); err != nil {
				t.Fatal(err)
			}
			w.sidechain = true
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.script, w.sidechain = own, false
			w.want(w.stops(), agent.ReasonHeld, "main.go")
		}},
		{"tests in a folder below", func(w *world) {
			w.write("apps/web/package.json", `{"scripts":{"test":"vitest run"}}`)
			w.write("apps/web/src/price.test.ts", "test('price', () => {})\n")
			w.asks("mend it")
			w.after(time.Minute)
			w.edits("apps/web/src/cart.ts", "export const x = 1\n")
			w.want(w.stops(), agent.ReasonHeld, "npm test", "apps/web")
		}},
	})
}

func TestOddTrees(t *testing.T) {
	for _, s := range []struct {
		name string
		make func(t *testing.T) *world
		play func(w *world)
	}{
		{"no commit yet", func(t *testing.T) *world {
			w := plain(t, "go.mod", "module shop\n", "main_test.go", "package shop\n")
			w.git("init", "-q", "-b", "main")
			return w
		}, func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld, "main.go", "go test")
		}},
		{"the first commit in the turn", func(t *testing.T) *world {
			w := plain(t, "go.mod", "module shop\n", "main_test.go", "package shop\n")
			w.git("init", "-q", "-b", "main")
			return w
		}, func(w *world) {
			changed(w)
			w.git("add", "-A")
			w.git("commit", "-qm", "first")
			w.runs("git add -A && git commit -qm first", "")
			w.want(w.stops(), agent.ReasonHeld, "main.go")
		}},
		{"no repository and no project: said once", func(t *testing.T) *world { return plain(t, "main.go", "package shop\n") }, func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonNotice, "notice: ", "`main.go` changed; it belongs to no project that is known here")
			changed(w)
			if got := w.stops(); got != "" || w.decision().Reason != agent.ReasonNotice {
				w.Errorf("got %q (%v), want it told once", got, w.decision().Reason)
			}
			if got := w.state()["files_modified"]; !cmp.Equal(got, []any{"main.go"}) {
				w.Errorf("got files_modified %v, want what the calls name", got)
			}
		}},
		{"no repository, and code that no command is known to test: generic, once", func(t *testing.T) *world { return plain(t, "composer.json", "{}\n", "a.php", "x\n") }, func(w *world) {
			w.asks("mend it")
			w.after(time.Minute)
			w.edits("a.php", "y\n")
			w.want(w.stops(), agent.ReasonGeneric, "validate your work")
			w.runs("ls", "x")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonNothing)
		}},
		{"no repository and no edits", func(t *testing.T) *world { return plain(t, "main.go", "package shop\n") }, func(w *world) {
			w.asks("explain it")
			w.after(time.Minute)
			w.runs("cat main.go", "x")
			w.want(w.stops(), agent.ReasonNothing)
		}},
		{"git is broken, and edits: asked for by name", func(t *testing.T) *world { return shop(t) }, func(w *world) {
			changed(w)
			w.write(".git/index", "this is not an index")
			w.want(w.stops(), agent.ReasonHeld, "main.go", "go test")
			if notes := w.decision().Notes; len(notes) != 1 || !strings.HasPrefix(notes[0], "git: ") {
				w.Errorf("got the notes %q, want what was wrong with git", notes)
			}
		}},
		{"git is broken, no edits", func(t *testing.T) *world { return shop(t) }, func(w *world) {
			w.asks("explain it")
			w.after(time.Minute)
			w.write(".git/index", "this is not an index")
			w.want(w.stops(), agent.ReasonNothing)
		}},
		{"no git program, and edits: asked for by name", func(t *testing.T) *world { return shop(t) }, func(w *world) {
			w.Setenv("PATH", "")
			changed(w)
			w.want(w.stops(), agent.ReasonHeld, "main.go", "go test")
		}},
		{"the folder is gone", func(t *testing.T) *world { return shop(t) }, func(w *world) {
			changed(w)
			if err := os.RemoveAll(w.root); err != nil {
				w.Fatal(err)
			}
			w.want(w.stops(), agent.ReasonNotice, "it belongs to no project that is known here")
		}},
		{"the first event does not say where it is", func(t *testing.T) *world { return shop(t) }, func(w *world) {
			w.env = nil
			w.happens("SessionStart", map[string]any{"source": "startup", "cwd": ""})
			changed(w)
			w.want(w.stops(), agent.ReasonHeld, "main.go")
			if s := w.session(); s.Root != w.root || s.Project == "" {
				w.Errorf("got root %q and project %q, want %q and one", s.Root, s.Project, w.root)
			}
		}},
	} {
		t.Run(s.name, func(t *testing.T) { s.play(s.make(t)) })
	}
}

func TestTranscripts(t *testing.T) {
	replace := func(make func(path string) error) func(w *world) {
		return func(w *world) {
			if err := os.Remove(w.script); err != nil {
				w.Fatal(err)
			}
			if err := make(w.script); err != nil {
				w.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name   string
		damage func(w *world)
		known  bool // the calls still count
	}{
		{"missing", replace(func(string) error { return nil }), false},
		{"a pipe", replace(func(p string) error { return syscall.Mkfifo(p, 0o600) }), false},
		{"a folder", replace(func(p string) error { return os.Mkdir(p, 0o700) }), false},
		{"empty", replace(func(p string) error { return os.WriteFile(p, nil, 0o600) }), true},
		{"torn at its end", func(w *world) {
			f, err := os.OpenFile(w.script, os.O_WRONLY|os.O_APPEND, 0)
			if err == nil {
				_, err = f.WriteString(`{"parentUuid":"x","isSidechain":fal`)
				f.Close()
			}
			if err != nil {
				w.Fatal(err)
			}
		}, true},
		{"with lines of no sense", func(w *world) { w.line("\"type\":\"user\",\"message\":[]},\x00{") }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			changed(w)
			w.runs("go test ./...", "ok")
			c.damage(w)
			w.after(time.Second * 2)
			answer := w.answer(w.happens("Stop", map[string]any{"last_assistant_message": "Done."}))
			d := w.decision()
			switch {
			case !c.known && (!d.Held || !strings.Contains(answer, "go test") || len(d.Notes) == 0):
				t.Errorf("got held %v with %q and notes %q, want the action without suppression, and a note", d.Held, answer, d.Notes)
			case c.known && d.Held:
				t.Errorf("got %q, want it let go", answer)
			}
		})
	}
}

// TestPromptBesideAPipe: git waits for half of a hook's time at a pipe that it reads, at a prompt as at a stop.
func TestPromptBesideAPipe(t *testing.T) {
	w := shop(t)
	if err := syscall.Mkfifo(w.path(".git/shallow"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	x := w.turns()
	x.Patience, x.Log = 2*time.Second, slog.New(slog.NewTextHandler(&log, nil))
	if _, err := x.Handle(t.Context(), w.event("UserPromptSubmit", map[string]any{"prompt": "mend it"})); err != nil || !strings.Contains(log.String(), ".git/shallow is not a regular file") {
		t.Errorf("got %v and the log %q, want the pipe named", err, log.String())
	}
}

func TestTranscriptWithoutBeginning(t *testing.T) {
	w := shop(t)
	changed(w)
	f, err := os.OpenFile(w.script, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(strings.Repeat(`{"type":"mode"}`+"\n", 20_001)); err != nil {
		t.Fatal(err)
	}
	f.Close()
	w.write("README.md", "shop!\n")
	w.call("Write", `{"file_path":`+quoted(w.path("README.md"))+`}`, "updated", false, `{"type":"update"}`)
	w.stops()
	d := w.decision()
	if len(d.Observations) > 0 || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "longer than can be read") {
		t.Errorf("got the observations %q and notes %q, want no word on what may have been read before", d.Observations, d.Notes)
	}
}
