package turn_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// A second hold says something that the first has not said, or does not come;
// the person then reads what is left open, also with all_clear silent.
func TestSecondHold(t *testing.T) {
	each(t, []story{
		{"nothing was done about what was asked: let go, and said", func(w *world) {
			w.set.AllClear = debrief.AllClearSilent
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.runs("ls", "main.go")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonAsked, "notice: ", "let go after 1 debrief with this left open: ", "main.go")
		}},
		{"the file was written in the millisecond of the hold: not again", func(w *world) {
			changed(w)
			w.dated("main.go", w.now.Add(2*time.Second+700*time.Microsecond)) // a stop comes two seconds later
			w.want(w.stops(), agent.ReasonHeld)
			w.runs("ls", "main.go")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonAsked, "left open")
		}},
		{"the file was edited again: held, and it says so", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			mends(w)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonHeld, "edited since the last debrief: `main.go`. `main.go` changed, and its tests (`main_test.go`) have not run since")
		}},
		{"the tests ran and failed: held for that", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.fails("go test ./...", "--- FAIL: TestShop (0.00s)\nFAIL\tshop\t0.1s")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonHeld, "go test ./...", "FAIL")
			w.fails("go test ./...", "--- FAIL: TestShop (0.00s)\nFAIL\tshop\t0.1s")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonBudget)
		}},
		{"the same failure again, nothing edited: let go, and said", func(w *world) {
			changed(w)
			w.fails("go test ./...", "--- FAIL: TestShop (0.00s)\nFAIL\tshop\t0.1s")
			w.want(w.stops(), agent.ReasonHeld)
			w.fails("go test ./...", "--- FAIL: TestShop (0.00s)\nFAIL\tshop\t0.1s")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonAsked, "left open")
		}},
		{"the tool is missing: shown once, not held for it again", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.fails("go test ./...", "/bin/bash: line 1: go: command not found")
			mends(w)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonNoCheck, "notice: ", "main.go", "not installed here: `go`")
		}},
		{"the tool was missing and then ran: held for what it says", func(w *world) {
			changed(w)
			w.fails("go test ./...", "/bin/bash: line 1: go: command not found")
			w.want(w.stops(), agent.ReasonNoCheck, "not installed here: `go`")
			w.after(time.Minute)
			w.fails("go test ./...", "--- FAIL: TestShop (0.00s)\nFAIL\tshop\t0.1s")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonHeld, "FAIL")
		}},
		{"nothing but talk: let go, and said", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonNoActivity, "notice: ", "left open")
		}},
		{"an answer at once: let go, and said once", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.want(w.stops(), agent.ReasonNoActivity, "notice: ", "left open")
			if got := w.stops(); got != "" {
				w.Errorf("got %q, want it said once", got)
			}
		}},
	})
}

func TestWordsOfAStopLetThrough(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		play  func(w *world)
		want  agent.Reason
		words string
	}{
		{"verified", nil, func(w *world) { changed(w); w.runs("go test ./...", "ok  \tshop\t0.1s") }, agent.ReasonClear, "all clear: 1 file changed, `go test ./...` passed since."},
		{"passed as far as the status tells", nil, func(w *world) { changed(w); w.runs("go test ./...", "") }, agent.ReasonClear, "all clear: 1 file changed, `go test ./...` passed since."},
		{"a count of failures", nil, func(w *world) { changed(w); w.runs("go test ./... 2>&1 | grep -c FAIL", "2") }, agent.ReasonNotice, "`main.go` changed; no check of it was seen to pass here"},
		{"the end of an output, of a package without tests", nil, func(w *world) {
			changed(w)
			w.runs("set -o pipefail; go test ./... | tail -1", "?   \tshop/c\t[no test files]")
		}, agent.ReasonNotice, "`main.go` changed; no check of it was seen to pass here"},
		{"a log that nobody read", nil, func(w *world) { changed(w); w.runs("go test ./... > /tmp/o.txt; echo done", "done") }, agent.ReasonNotice, "`main.go` changed; no check of it was seen to pass here"},
		{"built only, tests elsewhere", []string{"cart/cart.go", "package cart\n"}, func(w *world) {
			w.asks("x")
			w.after(time.Minute)
			w.edits("cart/cart.go", "package cart\n\nconst text = `1`\n")
			w.runs("go vet ./...", "")
		}, agent.ReasonNotice, "`cart/cart.go` changed; nothing but static checks ran"},
		{"no project", nil, func(w *world) {
			for _, name := range []string{"go.mod", "main.go", "main_test.go"} {
				w.git("rm", "-q", "--cached", name)
				if err := os.Remove(w.path(name)); err != nil {
					w.Fatal(err)
				}
			}
			w.git("commit", "-qm", "second")
			w.asks("x")
			w.after(time.Minute)
			w.edits("x.go", "package x\n")
		}, agent.ReasonNotice, "`x.go` changed; it belongs to no project that is known here"},
		{"a document", nil, func(w *world) { w.asks("x"); w.after(time.Minute); w.edits("README.md", "more\n") }, agent.ReasonFine, "1 file changed; nothing asks for a check of that."},
		{"code without a test command", []string{"tool.lua", "print(1)\n", "a.swift", "x\n"}, func(w *world) { w.asks("x"); w.after(time.Minute); w.edits("a.swift", "y\n") }, agent.ReasonNoCheck,
			"`a.swift` changed; no test command is known here (`piton rules accept 'CMD'` names one)"},
		{"code with one, and code without", []string{"a.swift", "x\n"}, func(w *world) { changed(w); w.edits("a.swift", "y\n"); w.runs("go test ./...", "ok  \tshop\t0.1s") }, agent.ReasonNoCheck,
			"`a.swift` changed; no test command is known here (`piton rules accept 'CMD'` names one)"},
		{"two kinds without", []string{"a.swift", "x\n", "b.dart", "x\n"}, func(w *world) { w.asks("x"); w.after(time.Minute); w.edits("a.swift", "y\n"); w.edits("b.dart", "y\n") }, agent.ReasonNoCheck,
			"`a.swift`, `b.dart` changed; no test command is known here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t, c.files...)
			c.play(w)
			w.want(w.stops(), c.want, "notice: "+agent.Prefix+c.words)
			if d := w.decision(); d.AllClear != (c.want == agent.ReasonClear) {
				t.Errorf("got all clear %v, want it where tests were seen to pass", d.AllClear)
			}
		})
		t.Run(c.name+", in silence", func(t *testing.T) {
			w := shop(t, c.files...)
			w.set.AllClear = debrief.AllClearSilent
			c.play(w)
			if got := w.stops(); got != "" {
				t.Errorf("got %q, want silence", got)
			}
		})
	}
}

// After Esc and another prompt, only the new prompt's own work is a reason to
// hold.
func TestAnotherTopicAfterAnInterruption(t *testing.T) {
	broken := func(w *world) {
		w.Helper()
		changed(w)
		w.interrupted()
		w.after(time.Hour)
		w.asks("forget it; what does the README say?")
		w.after(time.Minute)
	}
	each(t, []story{
		{"a question: let go, and what is older is named", func(w *world) {
			broken(w)
			w.runs("cat README.md", "shop")
			w.want(w.stops(), agent.ReasonEarlier, "notice: ", "left open from before the interruption: ", "main.go")
			if w.session().TurnOpen {
				w.Error("the turn is open, want it ended")
			}
		}},
		{"a document: let go", func(w *world) {
			broken(w)
			w.edits("README.md", "more\n")
			w.want(w.stops(), agent.ReasonEarlier, "main.go")
		}},
		{"code: held for it alone", func(w *world) {
			w.write("cart/cart.go", "package cart\n")
			w.write("cart/cart_test.go", "package cart\n")
			broken(w)
			w.edits("cart/cart.go", "package cart\n\nconst text = `1`\n")
			got := w.stops()
			w.want(got, agent.ReasonHeld, "cart/cart.go")
			if strings.Contains(got, "main.go") {
				w.Errorf("got %q, want nothing of before the interruption", got)
			}
		}},
		{"what is older was verified since: all clear", func(w *world) {
			broken(w)
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.want(w.stops(), agent.ReasonClear)
		}},
		{"a prompt without an interruption is more of the same work", func(w *world) {
			changed(w)
			w.asks("and hurry")
			w.runs("cat README.md", "shop")
			w.want(w.stops(), agent.ReasonHeld, "main.go")
		}},
	})
}

// A check that runs in the background is waited for where the client wakes.
func TestCheckInTheBackground(t *testing.T) {
	task := func(command, status string) map[string]any {
		return map[string]any{"background_tasks": []any{map[string]any{"id": "b1", "type": "shell", "status": status, "command": command}}}
	}
	tell(t, []story{
		{"a test run: let go with the turn open, decided at its end", func(w *world) {
			changed(w)
			w.want(w.stops(task("go test ./...", "running")), agent.ReasonRunning, "notice: ", "`go test ./...` still runs in the background")
			if s := w.session(); !s.TurnOpen || s.Holds != 0 {
				w.Errorf("got %+v, want the turn open and not held", s)
			}
			w.machine("<task-notification>\n<status>failed</status></task-notification>")
			w.fails("cat out.txt; false", "--- FAIL: TestShop\nFAIL\tshop")
			w.want(w.stops(), agent.ReasonHeld, "go test")
		}},
		{"packages that are fetched: let go", func(w *world) {
			changed(w)
			w.want(w.stops(task("npm install", "running")), agent.ReasonRunning, "notice: ", "`npm install` still runs in the background")
		}},
		{"a server: held", func(w *world) {
			changed(w)
			w.want(w.stops(task("python3 -m http.server", "running")), agent.ReasonHeld)
		}},
		{"a test run that is over: held", func(w *world) {
			changed(w)
			w.want(w.stops(task("go test ./...", "completed")), agent.ReasonHeld)
		}},
		{"a test run beside work that is verified: all clear", func(w *world) {
			changed(w)
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.want(w.stops(task("go test -race ./...", "running")), agent.ReasonClear)
		}},
	})
}
