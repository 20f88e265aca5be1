package e2e

import (
	"strings"
	"testing"
	"time"
)

func TestTurnThatWasInterruptedIsOneTurn(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.write("README.md", "# calc\n\nIt adds, says a person.\n") // before the turn
		w.model.script(swap()...)
		w.model.script(call(bash("hang")))
		x := w.open()
		x.say("swap the operands")
		x.hanging()
		x.key("Escape")
		x.see(c.screen().interrupted)
		const pause = 1500 * time.Millisecond
		time.Sleep(pause) // a person thinks

		w.model.script(call(editTool("calc.go", "b + a", "a + 0 + b")), say("It is done."), call(bash("go test ./...")), say("The tests pass."))
		between := time.Now()
		x.say("go on")
		x.stops(2)
		x.see(c.screen().held)
		list := w.reasons("held", "all_clear")
		held := list[0]
		if held.Turn != 1 || w.theSession().Turn != 1 {
			t.Errorf("got turn %d of %d, want one turn", held.Turn, w.theSession().Turn)
		}
		if got := held.owners(); len(got) != 1 || got["calc.go"] != "agent" {
			t.Errorf("got the files %v, want calc.go alone, of the agent", got)
		}
		if !held.TurnStart.Before(between.Add(-pause)) {
			t.Errorf("the turn began at %s, want a time before the interruption (%s)", held.TurnStart, between)
		}
		if wall := held.At.Sub(held.TurnStart); c.screen().tellsInterrupt && time.Duration(held.ElapsedMS)*time.Millisecond > wall-pause {
			t.Errorf("got %d ms of work in %s, want the %s between interruption and prompt left out", held.ElapsedMS, wall, pause)
		}
		x.leave()
	})
}

// In print mode the client ends before this hook does, and with it the hook.
func TestAPIErrorIsNoStop(t *testing.T) {
	w := newWorld(t, always)
	w.model.script(swap()...)
	w.model.script(reply{When: `no need to Read it back\)\s*$`, Status: 400, Repeat: true})
	x := w.open()
	x.say("swap the operands")
	x.until("the state as of the error", func() bool { return strings.HasSuffix(triggers(w.checkpoints()), "error") })
	w.reasons()

	w.model.script(say("It is done."), say("I leave it so."))
	x.say("go on")
	x.stops(2)
	if list := w.reasons("held", "no_activity"); list[0].Turn != 1 || list[0].owners()["calc.go"] != "agent" {
		t.Errorf("got the decision %+v, want a hold for calc.go in turn 1", list[0])
	}
	x.leave()
}

func TestBackgroundSubagent(t *testing.T) {
	w := newWorld(t, always)
	first, second := make(chan struct{}), make(chan struct{})
	w.model.subagent("PART ONE",
		call(writeTool("one.go", "package calc\n\n// One is one.\nconst One = 1\n")),
		reply{Text: "One is written.", after: first})
	w.model.subagent("PART TWO", reply{Text: "There is no second part.", after: second})
	w.model.script(call(agent("PART ONE: write the constant One")), say("The helper is at work."))
	x := w.open()
	x.say("write some constants")
	x.stops(1)
	running := w.reasons("background_subagent")[0]
	if running.Held {
		t.Error("held while the subagent runs")
	}

	// The first helper ends; its notice opens no turn, and its file counts.
	w.model.script(reply{When: "task-notification", Text: "The helper is done."}, call(agent("PART TWO: look for more")), say("Another helper looks."))
	close(first)
	x.stops(3)
	list := w.reasons("background_subagent", "held", "background_subagent")
	if got := list[1]; got.owners()["one.go"] != "agent" || got.Turn != 1 || got.BudgetLeft != 1 {
		t.Errorf("got the decision %+v, want the first hold of turn 1 for one.go", got)
	}

	// The second one's notice refills no budget.
	w.model.script(reply{When: "task-notification", Tools: []tool{editTool("one.go", "One is one", "One is 1")}}, say("All are done."), muse("That is all."))
	close(second)
	x.stops(5)
	list = w.reasons("background_subagent", "held", "background_subagent", "held", "budget_spent")
	if got := list[3]; got.Turn != 1 || got.BudgetLeft != 0 {
		t.Errorf("got turn %d with %d holds left, want turn 1 with none", got.Turn, got.BudgetLeft)
	}
	notices := 0
	for _, c := range w.hooks("UserPromptSubmit") {
		if strings.HasPrefix(c.Prompt, "<task-notification>") {
			notices++
		}
	}
	if notices != 2 || w.theSession().Turn != 1 {
		t.Errorf("got %d notices and turn %d, want 2 and turn 1", notices, w.theSession().Turn)
	}
	x.leave()
}

func TestSubagentsTestRunCounts(t *testing.T) {
	w := newWorld(t, always)
	w.model.subagent("RUN THEM", call(bash("go test ./...")), say("They pass."))
	w.model.script(swap()...)
	w.model.script(call(agent("RUN THEM: the tests")), say("The helper runs the tests."), reply{When: "task-notification", Text: "The tests pass."})
	x := w.open()
	x.say("swap the operands")
	x.stops(2)
	list := w.reasons("background_subagent", "all_clear")
	if got := list[1].Evidence; len(got) != 1 || !got[0].Counts {
		t.Errorf("got the evidence %+v, want the subagent's test run to count", got)
	}
	x.leave()
}

func TestOpenTodosKeepTheWorkOpen(t *testing.T) {
	w := newWorld(t, always, "CLAUDE_CODE_ENABLE_TODO_TOOLS=1")
	w.model.script(call(tool{Kind: "TaskCreate", Input: map[string]any{"subject": "write the docs", "description": "All of them", "activeForm": "Writing"}}), say("Planned."))
	a := w.ask("plan it")
	if got := w.checkpoints("--open"); len(got) != 1 {
		t.Fatalf("got %v open, want the plan", got)
	}
	if brief := w.piton("resume"); !strings.Contains(brief, "write the docs") {
		t.Errorf("the brief lacks the todo: %s", brief)
	}
	w.model.script(say("There is unfinished work."))
	w.ask("hello")
	if told := w.model.all(); !strings.Contains(told[len(told)-1].News, prefix+"Checkpoint: Resume from plan it?") {
		t.Errorf("the model was not told: %s", short(told[len(told)-1].News))
	}
	w.model.script(call(tool{Kind: "TaskUpdate", Input: map[string]any{"taskId": "1", "status": "completed"}}), say("Done."))
	w.again(a.Session, "it is written")
	if got := w.checkpoints("--open"); len(got) != 0 {
		t.Errorf("got %v open after the last todo, want none", got)
	}
}

func TestSessionInAWorktree(t *testing.T) {
	w := newWorld(t, always)
	w.model.script(call(bash("printf 'package calc\\n\\nconst One = 1\\n' > one.go")), say("Done."), call(bash("go test ./...")), say("Done."))
	w.ask("write the constant One", "--worktree", "feature")
	list := w.reasons("held", "all_clear")
	if got := list[0].owners(); len(got) != 1 || got["one.go"] != "agent" {
		t.Errorf("got the files %v, want one.go of the agent", got)
	}
}

func TestCrashAndResume(t *testing.T) {
	w := newWorld(t, always)
	w.model.script(swap()...)
	w.model.script(say("Done."), call(bash("go test ./...")), say("The tests pass."))
	x := w.open()
	x.say("swap the operands")
	x.stops(2)
	w.reasons("held", "all_clear")
	x.say("/compact")
	x.until("the state from before the compaction", func() bool { return strings.HasSuffix(triggers(w.checkpoints()), "pre_compact") })
	x.until("the end of the compaction", func() bool {
		hooks := w.hooks("SessionStart")
		return len(hooks) > 0 && hooks[len(hooks)-1].Source == "compact"
	})

	w.model.script(call(writeTool("sub.go", "package calc\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a - b }\n")), call(bash("hang")))
	x.say("add a subtraction")
	x.hanging()
	crashed := w.theSession()
	x.until("the tool that hangs in the transcript", func() bool { return strings.Contains(w.transcript(crashed.ClientID), `"command":"hang"`) })
	x.crash()
	if got := w.theSession(); got.Alive || !got.TurnOpen || !got.Ended.IsZero() {
		t.Errorf("got %+v, want a session that broke off in its turn", got)
	}

	// Another session of the project is told of it, as context.
	w.model.script(say("There is unfinished work."))
	w.ask("hello")
	all := w.model.all()
	told := all[len(all)-1].News
	open := w.checkpoints("--open")
	if len(open) != 1 || !strings.Contains(told, prefix+"Checkpoint: Resume from ") || !strings.Contains(told, "piton resume "+open[0].ID) {
		t.Errorf("the model was not told of %v: %s", open, short(told))
	}
	brief := w.piton("resume")
	for _, part := range []string{"swap the operands", "- calc.go", "- go test ./..."} {
		if !strings.Contains(brief, part) {
			t.Errorf("the brief lacks %q: %s", part, brief)
		}
	}
	var resumption struct{ Command []string }
	w.pitonJSON(&resumption, "resume")
	if got := strings.Join(resumption.Command, " "); got != "claude --resume "+crashed.ClientID {
		t.Errorf("got the command %q, want the client's own resume", got)
	}

	// The client's own resume reopens the session, in the turn that broke off.
	w.model.script(say("It was written."), call(bash("go test ./...")), say("The tests pass."))
	w.again(crashed.ClientID, "go on")
	list := w.reasons("held", "all_clear", "nothing_changed", "held", "all_clear")
	if got := list[3]; got.Session != crashed.ID || got.Turn != 2 || got.owners()["sub.go"] != "agent" {
		t.Errorf("got the decision %+v, want a hold for sub.go in turn 2 of %s", got, crashed.ID)
	}
	if got := len(w.sessions()); got != 2 {
		t.Errorf("got %d sessions, want 2", got)
	}
	if got := w.checkpoints("--open"); len(got) != 0 {
		t.Errorf("still open: %v", got)
	}
}

// The client's own resume goes on in the turn that broke off, with the baseline
// it began with.
func TestCrashAndResumeInTheOpenTurn(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.write("README.md", "# calc\n\nIt adds, says a person.\n") // before the turn
		w.model.script(swap()...)
		w.model.script(call(bash("hang")))
		x := w.open()
		x.say("swap the operands")
		x.hanging()
		crashed := w.theSession()
		x.until("the edit in the transcript", func() bool { return strings.Contains(w.transcript(crashed.ClientID), "b + a") })
		x.crash()
		if got := w.theSession(); !got.TurnOpen || !got.Ended.IsZero() {
			t.Errorf("got %+v, want a session that broke off in its turn", got)
		}

		w.model.script(say("It was done."), call(bash("go test ./...")), say("The tests pass."))
		x = w.open(c.screen().resume(crashed.ClientID)...)
		x.say("go on")
		x.stops(2)
		list := w.reasons("held", "all_clear")
		if got := list[0]; got.Session != crashed.ID || got.Turn != 1 || len(got.owners()) != 1 || got.owners()["calc.go"] != "agent" {
			t.Errorf("got the decision %+v, want a hold for calc.go in turn 1 of %s", got, crashed.ID)
		}
		if got := w.theSession(); got.ID != crashed.ID || got.TurnOpen {
			t.Errorf("got %+v, want the session %s with its turn ended", got, crashed.ID)
		}
		x.leave()
	})
}

func TestCrashInTheFirstTurn(t *testing.T) {
	w := newWorld(t, always)
	w.model.script(swap()...)
	w.model.script(call(bash("hang")))
	x := w.open()
	x.say("swap the operands")
	x.hanging()
	x.crash()

	w.model.script(say("There is unfinished work."))
	w.ask("hello")
	all := w.model.all()
	if told := all[len(all)-1].News; !strings.Contains(told, prefix+"Checkpoint: Resume from swap the operands?") {
		t.Errorf("the model was not told: %s", short(told))
	}
	brief := w.piton("resume")
	for _, part := range []string{"**Task**: swap the operands", "- calc.go"} {
		if !strings.Contains(brief, part) {
			t.Errorf("the brief lacks %q: %s", part, brief)
		}
	}
}

func TestSlashCommandInATerminal(t *testing.T) {
	w := newWorld(t, always)
	w.model.script(say("Hello."), call(bash("piton list")), say("That is all there is."))
	x := w.open()
	x.say("hello")
	x.stops(1)
	x.say("/checkpoint list")
	x.stops(2)
	all := w.model.all()
	// The client's own /rewind is also called checkpoint; ours goes first.
	if asked := all[1]; !strings.Contains(asked.News, "<arguments>list</arguments>") || !strings.Contains(asked.Model, "haiku") {
		t.Errorf("the model %s was not given our command: %s", asked.Model, short(asked.News))
	}
	if shown := all[2].News; !strings.Contains(shown, w.checkpoints("--trigger", "turn_end")[0].ID) {
		t.Errorf("the command shows no checkpoint: %s", short(shown))
	}
	x.leave()
	if got := w.theSession(); got.Ended.IsZero() {
		t.Errorf("got %+v after /exit, want an end", got)
	}
}

func TestPromptInsideATurn(t *testing.T) {
	for _, c := range []struct {
		name, prompt string
		want         []string
		left         int // holds, after the second
	}{
		{"a person's renews the budget", "and be quick", []string{"held", "held", "no_activity"}, 1},
		{"Piton's own does not", prefix + "validate your work", []string{"held", "held", "budget_spent"}, 0},
	} {
		for _, agent := range []client{claude, codex} { // the third waits with it: TestPromptThatWaitsForTheTurnsEnd
			t.Run(c.name+" with "+agent.name(), func(t *testing.T) {
				w := newWorldOf(t, agent, always)
				w.model.script(swap()...)
				w.model.script(say("Done."), call(editTool("calc.go", "b + a", "a + 0 + b")), call(bash("hang")))
				x := w.open()
				x.say("swap the operands")
				x.hanging()
				w.model.script(say("Done."), muse("I leave it so."))
				x.say(c.prompt)
				if agent == claude {
					x.until("the end of the queued prompt's hook", func() bool {
						prompts := w.hooks("UserPromptSubmit")
						return len(prompts) == 2 && prompts[1].status != ""
					})
				} else {
					x.see("to be submitted after next tool call")
				}
				w.release()
				x.stops(3)
				if got := w.reasons(c.want...)[1]; got.Turn != 1 || got.BudgetLeft != c.left {
					t.Errorf("got turn %d with %d holds left, want turn 1 with %d", got.Turn, got.BudgetLeft, c.left)
				}
				x.leave()
			})
		}
	}
}

// A client that keeps a prompt until it has ended its turn begins another one
// with it.
func TestPromptThatWaitsForTheTurnsEnd(t *testing.T) {
	w := newWorldOf(t, gemini, always)
	w.model.script(swap()...)
	w.model.script(call(bash("hang")))
	x := w.open()
	x.say("swap the operands")
	x.hanging()
	w.model.script(say("Done."), say("I leave it so."), reply{When: "be quick", Text: "I was."})
	x.say("and be quick")
	x.see("Queued")
	w.release()
	x.stops(3)
	list := w.reasons("held", "no_activity", "nothing_changed")
	if list[1].Turn != 1 || list[2].Turn != 2 {
		t.Errorf("got the turns %d and %d, want 1 and 2", list[1].Turn, list[2].Turn)
	}
	x.leave()
}

func TestWaitingForPermissionIsNoWork(t *testing.T) {
	w := newMachine(t, "PITON_DEBRIEF_MIN_TURN=1h") // no turn is long enough, however slow the machine
	w.write(w.config+"/settings.json", `{"permissions":{"defaultMode":"default","allow":["Read"]}}`)
	w.piton("init")
	w.record()
	w.model.script(swap()...)
	w.model.script(say("Done."))
	x := w.open()
	x.say("swap the operands")
	x.until("the hook of the question for permission to end", func() bool {
		asked := w.hooks("PermissionRequest")
		return len(asked) == 1 && asked[0].status != ""
	})
	x.see("Do you want")
	begin := time.Now() // the hook has noted by now that the agent waits
	time.Sleep(3 * time.Second)
	waited := time.Since(begin)
	x.answer("Enter", "Do you want")
	x.stops(1)
	got := w.reasons("too_short")[0]
	if wall, worked := got.At.Sub(got.TurnStart), time.Duration(got.ElapsedMS)*time.Millisecond; worked > wall-waited+10*time.Millisecond {
		t.Errorf("of a turn of %s, %s counted as work, want %s of waiting left out", wall, worked, waited)
	}
	x.leave()
}
