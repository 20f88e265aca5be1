package turn_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// program is the line that runs a script outside of the work tree.
func (w *world) program(text string) string {
	w.Helper()
	name := filepath.Join(filepath.Dir(w.ran()), "program.sh")
	if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
		w.Fatal(err)
	}
	return "sh " + name
}

// verify sets the commands that are to run. Each leaves a letter in a file
// outside the work tree, so that the runs can be counted.
func (w *world) verify(list ...debrief.Verify) {
	w.Helper()
	for i := range list {
		list[i].Run = "printf " + string(rune('a'+i)) + " >>'" + w.ran() + "'\n" + list[i].Run
	}
	w.set.Verify = list
}

func (w *world) ran() string { return filepath.Join(w.home, "ran") }

// runsSoFar are the letters of the commands that ran, as they began.
func (w *world) runsSoFar() string {
	b, _ := os.ReadFile(w.ran())
	return string(b)
}

// again is a stop that is looked at once more.
func (w *world) again() agent.Decision {
	w.Helper()
	w.runs("ls", "main.go")
	w.after(time.Minute)
	w.stops()
	return w.decision()
}

func TestVerify(t *testing.T) {
	tell(t, []story{
		{"what they give is recorded, and kept for the same tree", func(w *world) {
			w.verify(debrief.Verify{Run: "pwd; echo two >&2"}, debrief.Verify{Run: "cat; tty; echo FAIL; exit 3"})
			changed(w)
			w.stops()
			got := w.decision().Verified
			if len(got) != 2 || !got[0].OK || got[0].Cached || got[0].Output != w.root+"\ntwo\n" || !strings.HasSuffix(got[0].Command, "pwd; echo two >&2") ||
				got[1].OK || got[1].ExitCode != 3 || !strings.HasSuffix(got[1].Output, "FAIL\n") || got[1].At.IsZero() {
				w.Fatalf("got %+v, want one success in %s and one exit status 3", got, w.root)
			}
			before := w.runsSoFar()
			second := w.again().Verified
			if len(second) != 2 || !second[0].Cached || second[0].Output != got[0].Output || second[1].Cached || w.runsSoFar() != before+"b" {
				w.Errorf("got %+v after the runs %q, want the success from before and a second run of the failure", second, w.runsSoFar())
			}
		}},
		{"a failure that is mended beside the tree", func(w *world) {
			missing := filepath.Join(w.home, "package")
			w.verify(debrief.Verify{Run: "test -e '" + missing + "'"})
			changed(w)
			if d := w.stops(); d == "" {
				w.Fatal("got silence, want the agent held")
			}
			w.write(missing, "")
			if got := w.again(); len(got.Verified) != 1 || !got.Verified[0].OK {
				w.Errorf("got %+v, want a success", got)
			}
		}},
		{"only where something is unproven", func(w *world) {
			w.write("main_test.go", "package shop\n")
			w.verify(debrief.Verify{Run: "true", When: debrief.WhenUnproven})
			changed(w)
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.stops()
			if d := w.decision(); len(d.Verified) != 0 || w.runsSoFar() != "" {
				w.Errorf("got %+v after the runs %q, want nothing run: the agent's own run passed", d.Verified, w.runsSoFar())
			}
		}},
		{"red as it was before: tried twice, held against the tree of the beginning, and a line for the person", func(w *world) {
			w.write("main_test.go", "package shop\n")
			w.set.Verify = []debrief.Verify{{Run: "sh -c 'printf a >>" + w.ran() + "; exit 3'", When: debrief.WhenUnproven}, {Run: "make docs", Files: []string{"docs/**"}, When: debrief.WhenUnproven}}
			changed(w)
			got := w.stops()
			d := w.decision()
			if len(d.Verified) != 1 || d.Verified[0].ExitCode != 3 || d.Verified[0].Before != agent.BeforeFailed || w.runsSoFar() != "aaa" {
				w.Errorf("got %+v after the runs %q, want two tries and one without the changes", d.Verified, w.runsSoFar())
			}
			w.want(got, agent.ReasonNotice, "`main.go` changed, and the agent has run no test of it since; Piton ran `sh -c", "which failed with exit status 3, as it did on a copy of the tree")
		}},
		{"red, and nobody knows how it was before: held with what failed", func(w *world) {
			w.write("main_test.go", "package shop\n")
			w.write("other.go", "package shop\n") // the tree has changes
			w.set.Verify = []debrief.Verify{{Run: w.program("echo '--- FAIL: TestMain (0.00s)'; exit 1"), When: debrief.WhenUnproven}}
			changed(w)
			got := w.stops()
			w.want(got, agent.ReasonHeld, "the agent has run no test of it since; Piton ran `sh ", "(`--- FAIL: TestMain (0.00s)`), which failed with exit status 1; whether it did so before this turn is not known, as the tree had changes then: fix it, then run")
			if strings.Count(got, "exit status 1") != 1 {
				w.Errorf("got %q, want it said once", got)
			}
		}},
		{"red, and green on the tree of the beginning: held", func(w *world) {
			w.write("main_test.go", "package shop\n")
			w.set.Verify = []debrief.Verify{{Run: w.program("! grep -q const main.go"), When: debrief.WhenUnproven}}
			changed(w)
			w.want(w.stops(), agent.ReasonHeld, "fails (Piton ran it, exit status 1)")
			if d := w.decision(); len(d.Actions) != 1 || d.Verified[0].Before != agent.BeforePassed || len(d.Open) != 1 || d.Open[0].Kind != "red" {
				w.Errorf("got %+v, want the failure alone", d)
			}
		}},
		{"green at the second try: let go", func(w *world) {
			w.write("main_test.go", "package shop\n")
			w.set.Verify = []debrief.Verify{{Run: w.program("printf a >>" + w.ran() + "; test $(wc -c <" + w.ran() + ") -gt 1"), When: debrief.WhenUnproven}}
			changed(w)
			w.want(w.stops(), agent.ReasonClear)
			if w.runsSoFar() != "aa" {
				w.Errorf("got the runs %q, want two", w.runsSoFar())
			}
		}},
		{"files that change while it runs: it says nothing", func(w *world) {
			w.write("main_test.go", "package shop\n")
			w.set.Verify = []debrief.Verify{{Run: "echo x >>made", When: debrief.WhenUnproven}}
			changed(w)
			w.want(w.stops(), agent.ReasonHeld, "have not run since", "files changed while it ran")
		}},
		{"another session measures: it says nothing", func(w *world) {
			w.write("main_test.go", "package shop\n")
			w.set.Verify = []debrief.Verify{{Run: "true", When: debrief.WhenUnproven}}
			changed(w)
			w.stops() // makes the folder of locks
			locks, err := filepath.Glob(filepath.Join(w.home, "measuring", "*"))
			if err != nil || len(locks) != 1 {
				w.Fatalf("got the locks %q (%v), want one", locks, err)
			}
			release, err := localfs.TryLock(locks[0])
			if err != nil {
				w.Fatal(err)
			}
			defer release()
			w.edits("main.go", "package shop\n\nconst text = `once more`\n")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonHeld, "for another session")
		}},
		{"another tree, another run", func(w *world) {
			w.verify(debrief.Verify{Run: "true"})
			changed(w)
			w.stops()
			w.edits("main.go", "package shop\n\nconst text = `again`\n")
			if got := w.again().Verified; len(got) != 1 || got[0].Cached || w.runsSoFar() != "aa" {
				w.Errorf("got %+v after the runs %q, want a second run", got, w.runsSoFar())
			}
		}},
		{"only those whose files changed", func(w *world) {
			w.verify(debrief.Verify{Run: "true", Files: []string{"**/*.py"}}, debrief.Verify{Run: "true", Files: []string{"**/*.go"}})
			changed(w)
			w.stops()
			if got := w.decision().Verified; len(got) != 1 || w.runsSoFar() != "b" {
				w.Errorf("got %+v after the runs %q, want the second alone", got, w.runsSoFar())
			}
		}},
		{"a command that takes too long is ended, and runs again", func(w *world) {
			w.verify(debrief.Verify{Run: "echo begun; sleep 60", Timeout: 2 * time.Second})
			changed(w)
			w.stops()
			got := w.decision().Verified
			if len(got) != 1 || !got[0].TimedOut || got[0].OK || got[0].Output != "begun\n" {
				w.Fatalf("got %+v, want a time-out that keeps the output", got)
			}
			if w.again(); w.runsSoFar() != "aa" {
				w.Errorf("got the runs %q, want two", w.runsSoFar())
			}
		}},
		{"a command that changes the tree runs again", func(w *world) {
			w.verify(debrief.Verify{Run: "date +%s%N >>made"})
			changed(w)
			w.stops()
			if w.again(); w.runsSoFar() != "aa" {
				w.Errorf("got the runs %q, want two", w.runsSoFar())
			}
		}},
		{"secrets and long outputs are not kept", func(w *world) {
			secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
			w.verify(debrief.Verify{Run: "echo begin " + secret + "; head -c 400000 /dev/zero | tr '\\0' x; echo; echo end " + secret})
			changed(w)
			w.stops()
			got := w.decision().Verified
			if len(got[0].Output) > agent.OutputKept || strings.Contains(got[0].Output+got[0].Command, secret[:10]) ||
				!strings.HasPrefix(got[0].Output, "begin [REDACTED:") || !strings.Contains(got[0].Output, "bytes left out") || !strings.Contains(got[0].Output[len(got[0].Output)-60:], "end [REDACTED:") {
				w.Errorf("got %.300q, want beginning and end without the secret", got[0].Output)
			}
		}},
		{"a hook that is ended ends them, and decides without", func(w *world) {
			w.verify(debrief.Verify{Run: "kill -TERM $PPID; sleep 3600"}) // longer than any test may take
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			if got := w.decision().Verified; len(got) != 0 {
				w.Errorf("got %+v, want nothing", got)
			}
		}},
		{"in audit mode too", func(w *world) {
			w.set.Mode = debrief.ModeAudit
			w.verify(debrief.Verify{Run: "false"})
			changed(w)
			w.stops()
			if got := w.decision().Verified; len(got) != 1 || got[0].OK {
				w.Errorf("got %+v, want a failure", got)
			}
		}},
	})
}

func TestVerifyRunsNothing(t *testing.T) {
	for _, tc := range []struct {
		name string
		play func(w *world)
	}{
		{"at a prompt or a tool", func(w *world) { w.asks("mend it"); w.edits("main.go", "package shop\n\nconst text = `1`\n") }},
		{"at a short stop", func(w *world) { w.asks("mend it"); w.edits("main.go", "package shop\n\nconst text = `1`\n"); w.stops() }},
		{"in mode off", func(w *world) { w.set.Mode = debrief.ModeOff; changed(w); w.stops() }},
		{"where the agent changed nothing", func(w *world) {
			w.asks("explain it")
			w.after(time.Minute)
			w.runs("cat main.go", "package shop")
			w.stops()
		}},
		{"with the way out", func(w *world) {
			changed(w)
			w.write(filepath.Join(w.home, "sessions", "checkpoint_clear_"+w.session().ID), "")
			w.stops()
		}},
		{"inside another run of them", func(w *world) { w.TB.(*testing.T).Setenv("PITON_VERIFYING", "1"); changed(w); w.stops() }},
		{"without a repository", func(w *world) { changed(w); os.RemoveAll(w.path(".git")); w.stops() }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := shop(t)
			w.verify(debrief.Verify{Run: "true"})
			tc.play(w)
			if got := w.runsSoFar(); got != "" {
				t.Errorf("got the runs %q, want none", got)
			}
		})
	}
}

// A cache that fails costs a run, nothing else.
func TestVerifyWithoutCache(t *testing.T) {
	w := shop(t)
	w.verify(debrief.Verify{Run: "true"})
	w.store = noCache(w.store)
	changed(w)
	w.stops()
	if got := w.decision().Verified; len(got) != 1 || !got[0].OK {
		t.Errorf("got %+v, want a success", got)
	}
}

func noCache(l *store.Local) *store.Local {
	n := *l
	n.SessionStore = noVerified{l.SessionStore}
	return &n
}

type noVerified struct{ store.SessionStore }

func (noVerified) Verified(context.Context, string) (agent.Verified, error) {
	return agent.Verified{}, errors.New("no such table")
}
