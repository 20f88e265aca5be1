package e2e

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// always makes every turn long enough to be looked at.
const always = "PITON_DEBRIEF_MIN_TURN=0s"

const prefix = "[Piton Checkpoint] - "

// debriefs are the requests whose newest words are Piton's.
func (w *world) debriefs() (list []request) {
	for _, r := range w.model.all() {
		if strings.Contains(r.News, prefix) {
			list = append(list, r)
		}
	}
	return list
}

func TestUnverifiedEditIsHeldAndATestRunLetsGo(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.script(swap()...)
		w.model.script(say("The operands are swapped."),
			call(bash("go test ./...")), say("The tests pass."))
		w.ask("swap the operands")

		list := w.reasons("held", "all_clear")
		if got := list[0]; !got.Held || !slices.Contains(got.Categories, "Go code") || got.BudgetLeft != 1 || got.owners()["calc.go"] != "agent" {
			t.Errorf("got the decision %+v, want it to hold for Go code in calc.go", got)
		}
		if got := list[1]; got.Held || len(got.Actions) > 0 || len(got.Evidence) != 1 || !got.Evidence[0].Counts {
			t.Errorf("got the decision %+v, want the test run to count", got)
		}
		if got := len(w.hooks(c.events().stop)); got != 2 {
			t.Errorf("got %d stops, want 2", got)
		}
		held := w.debriefs()
		if len(held) != 1 {
			t.Fatalf("the model was told of it in %d requests, want 1", len(held))
		}
		for _, part := range []string{prefix, "`calc.go` changed", "calc_test.go", "run `go test .`"} {
			if !strings.Contains(held[0].News, part) {
				t.Errorf("the message lacks %q: %s", part, held[0].News)
			}
		}
		w.ownTextChangedNothing(list)
	})
}

// ownTextChangedNothing checks that a debrief counted as nobody's input: one
// turn, of one prompt, with one beginning.
func (w *world) ownTextChangedNothing(list []decision) {
	w.t.Helper()
	if got := w.theSession().Turn; got != 1 {
		w.t.Errorf("got turn %d, want the first", got)
	}
	for _, d := range list {
		if d.Turn != 1 {
			w.t.Errorf("got a decision in turn %d, want the first", d.Turn)
		}
	}
	for _, c := range w.checkpoints() {
		if c.Task != "swap the operands" {
			w.t.Errorf("got %q as the last message of the checkpoint at %s, want the person's", c.Task, c.Trigger)
		}
	}
}

func TestHooksInTheirOrder(t *testing.T) {
	w := newWorld(t, always)
	w.model.script(swap()...)
	w.model.script(say("Done."), call(bash("go test ./...")), say("Done."))
	w.ask("swap the operands")
	var events []string
	for _, c := range w.hooks() {
		events = append(events, c.Event)
	}
	if got := strings.Join(events, " "); got != "SessionStart UserPromptSubmit PreToolUse PostToolUse Stop PreToolUse PostToolUse Stop SessionEnd" {
		t.Errorf("got the hooks %s", got)
	}
}

func TestFailingTestsDoNotCount(t *testing.T) {
	for name, command := range map[string]string{
		"plainly":       "go test ./...",
		"behind a pipe": "go test ./... 2>&1 | tail -5",
		"before ok":     "go test ./... || true",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, always)
			w.model.script(slip()...)
			w.model.script(say("Done."), call(bash(command)), say("Done."),
				call(editTool("calc.go", "a - b", "b + a")), call(bash("go test ./...")), say("Done."))
			w.ask("swap the operands")

			list := w.reasons("held", "held", "budget_spent")
			second := list[1]
			if len(second.Evidence) == 0 || second.Evidence[0].Counts {
				t.Errorf("got the evidence %+v, want the failed run not to count", second.Evidence)
			}
			if !strings.Contains(second.Message, "fail") {
				t.Errorf("the second message does not speak of a failure: %s", second.Message)
			}
			if got := list[2]; len(got.Actions) > 0 {
				t.Errorf("got the actions %v after a successful run, want none", got.Actions)
			}
		})
	}
}

// told is the line that a person reads of the last stop so far, which was let go.
func (w *world) told() string {
	w.t.Helper()
	stops := w.hooks(w.client.events().stop)
	var line struct {
		Message  string `json:"systemMessage"`
		Decision string
		Specific any `json:"hookSpecificOutput"`
	}
	if out := stops[len(stops)-1].stdout; json.Unmarshal([]byte(out), &line) != nil || line.Decision != "" || line.Specific != nil || strings.Contains(line.Message, "\n") {
		w.t.Errorf("got the answer %q to the last stop, want one line for the person", out)
	}
	return line.Message
}

// left checks that the person reads of an open end.
func (w *world) left(how, what string) {
	w.t.Helper()
	if got := w.told(); !strings.HasPrefix(got, prefix+how) || !strings.Contains(got, what) {
		w.t.Errorf("the person reads %q, want %q and %q", got, how, what)
	}
}

// A second hold would say what the first has said.
func TestSayingTheCommandDoesNotCount(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.script(swap()...)
		w.model.script(say("Done."), call(bash(`echo "go test ./..."`)), say("Done."))
		w.ask("swap the operands")
		list := w.reasons("held", "asked_before")
		if got := list[1].Evidence; len(got) > 0 || len(list[1].Actions) != 1 {
			t.Errorf("got the evidence %+v for the actions %v, want none for one", got, list[1].Actions)
		}
		w.left("let go after 1 debrief with this left open: ", "`go test .`")
	})
}

func TestSecondStopWithoutActivityPasses(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.script(swap()...)
		w.model.script(say("Done."), say("I leave it so."))
		w.ask("swap the operands")
		w.reasons("held", "no_activity")
		w.left("let go after 1 debrief with this left open: ", "`go test .`")
	})
}

func TestNeverMoreThanTwoHoldsForOnePrompt(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.script(swap()...)
		w.model.script(say("Done."),
			call(editTool("calc.go", "b + a", "a + 0 + b")), say("Done."),
			call(editTool("calc.go", "a + 0 + b", "b + 0 + a")), say("Done."))
		a := w.ask("swap the operands")
		list := w.reasons("held", "held", "budget_spent")
		if list[2].BudgetLeft != 0 {
			t.Errorf("got %d holds left, want 0", list[2].BudgetLeft)
		}
		if !strings.Contains(list[1].Message, "edited since the last debrief: `calc.go`") {
			t.Errorf("the second message does not say what is new: %s", list[1].Message)
		}
		w.ownTextChangedNothing(list)

		// The next human prompt has a budget of its own.
		w.model.script(call(editTool("calc.go", "b + 0 + a", "a + b + 0")), say("Done."), say("Done."))
		w.again(a.Session, "once more")
		if list := w.reasons("held", "held", "budget_spent", "held", "no_activity"); list[3].Turn != 2 || list[3].BudgetLeft != 1 {
			t.Errorf("got turn %d with %d holds left, want turn 2 with 1", list[3].Turn, list[3].BudgetLeft)
		} else if strings.Contains(list[3].Message, "without having been read") {
			t.Errorf("the first turn has read the file: %s", list[3].Message)
		}
	})
}

func TestThreshold(t *testing.T) {
	t.Run("a turn that is long enough is held", func(t *testing.T) {
		w := newWorld(t, "PITON_DEBRIEF_MIN_TURN=2s")
		w.model.script(swap()...)
		w.model.script(reply{Text: "Done.", Delay: 2100 * time.Millisecond}, say("I leave it so."))
		w.ask("swap the operands")
		// The second stop comes a moment after the first, and nothing ran between them.
		if list := w.reasons("held", "no_activity"); list[0].ElapsedMS < 2000 {
			t.Errorf("held after %d ms, want 2000 at least", list[0].ElapsedMS)
		}
	})
	t.Run("a shorter one passes", func(t *testing.T) {
		w := newWorld(t) // 30 s
		w.model.script(swap()...)
		w.model.script(reply{Text: "Done.", Delay: time.Second})
		w.ask("swap the operands")
		if list := w.reasons("too_short"); list[0].ElapsedMS < 1000 {
			t.Errorf("got %d ms of work, want 1000 at least", list[0].ElapsedMS)
		}
	})
}

func TestAuditDecidesAndNeverHolds(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always, "PITON_DEBRIEF_MODE=audit")
		w.model.script(swap()...)
		w.model.script(say("Done."))
		w.ask("swap the operands")
		if got := w.reasons("audit")[0]; got.Held || len(got.Actions) == 0 {
			t.Errorf("got the decision %+v, want actions and no hold", got)
		}
	})
}

func TestModeOff(t *testing.T) {
	w := newWorld(t, always, "PITON_DEBRIEF_MODE=off")
	w.model.script(swap()...)
	w.model.script(say("Done."))
	w.ask("swap the operands")
	w.reasons("off")
}

func TestActivityTimer(t *testing.T) {
	w := newWorld(t, always, "PITON_DEBRIEF_TIMER=activity") // hooks at every tool
	w.model.script(say("Hello."))
	a := w.ask("hello")
	w.model.script(swap()...)
	w.model.script(say("Done."), say("I leave it so."))
	w.again(a.Session, "swap the operands")
	list := w.reasons("no_tool_use", "held", "no_tool_use")
	if used := w.hooks("PreToolUse"); len(used) != 2 || list[1].TurnStart.Before(used[0].at.Add(-time.Second)) {
		t.Errorf("got a turn since %s and %d tools, want it to begin at the first of 2", list[1].TurnStart, len(used))
	}
}

func TestWithoutGitTheEditedFilesAreJudged(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		for name, test := range map[string]struct {
			script []reply
			want   []string
			says   string
		}{
			"code that nothing has tested": {append(swap(), say("Done."), call(bash("go test ./...")), say("Done.")), []string{"held", "all_clear"}, "`go test .`"},
			"documents":                    {[]reply{call(writeTool("NOTES.md", "# Notes\n")), say("Done.")}, []string{"nothing_asked"}, ""},
			"code that no known command tests": {[]reply{call(writeTool("calc.py", "def add(a, b):\n    return a + b\n")), say("Done."), call(bash("ls")), say("I leave it so.")},
				[]string{"held_generic", "nothing_changed"}, "validate your work"},
		} {
			t.Run(name, func(t *testing.T) {
				w := newWorldOf(t, c, always)
				w.troubled = true
				check(t, os.RemoveAll(w.project+"/.git"))
				w.model.script(test.script...)
				w.ask("swap the operands", outsideGit(c)...)
				if got := w.reasons(test.want...)[0].Message; !strings.HasPrefix(got, prefix) || !strings.Contains(got, test.says) {
					t.Errorf("got the message %q, want %q in it", got, test.says)
				}
			})
		}
	})
}

// outsideGit is what a client wants to be told to work in a folder without git.
func outsideGit(c client) []string {
	if c == codex {
		return []string{"--skip-git-repo-check"}
	}
	return nil
}
