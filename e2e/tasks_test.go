package e2e

import (
	"os"
	"strings"
	"testing"
)

func TestSubagentsWorkCounts(t *testing.T) {
	test := func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.subagent("PART ONE",
			call(writeTool("one.go", "package calc\n\n// One is one.\nconst One = 1\n")), c.report("One is written."))
		w.model.subagent("PART TWO", call(bash("go test ./...")), c.report("They pass."))
		w.model.script(c.delegate("PART ONE: write the constant One")...)
		w.model.script(say("One is written."))
		w.model.script(c.delegate("PART TWO: run the tests")...)
		w.model.script(say("The tests pass."))
		w.ask("write the constant One")
		list := w.reasons("held", "all_clear")
		if got := list[0].owners(); len(got) != 1 || got["one.go"] != "agent" {
			t.Errorf("got the files %v, want one.go of the agent", got)
		}
		if got := list[1].Evidence; len(got) != 1 || !got[0].Counts {
			t.Errorf("got the evidence %+v, want the subagent's test run to count", got)
		}
		if got := w.theSession().Turn; got != 1 {
			t.Errorf("got turn %d, want the first", got)
		}
	}
	for _, c := range []client{gemini, codex} { // the third's run in the background: TestBackgroundSubagent
		t.Run(c.name(), func(t *testing.T) { test(t, c) })
	}
}

// A command that runs on in the background is no reason to wait with a debrief,
// unless it is a check at whose end the client wakes its agent; and it proves
// nothing by having been started.
func TestBackgroundCommandDoesNotPutOffTheDebrief(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.script(swap()...)
		w.model.script(call(background("sleep 3; ls")), say("Done."), reply{Text: "I leave it so."})
		if c == claude { // it is told of the command's end
			w.model.script(reply{When: "task-notification", Text: "It has ended."})
		}
		w.ask("swap the operands")
		list := w.decisions()
		if len(list) == 0 || list[0].Reason != "held" || list[0].owners()["calc.go"] != "agent" {
			t.Fatalf("got the decisions %+v, want a hold for calc.go first", list)
		}
		for _, e := range list[0].Evidence {
			if e.Counts {
				t.Errorf("a command that was only started counts: %+v", e)
			}
		}
	})
}

func TestStateIsSavedBeforeARiskyCommand(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		check(t, os.Mkdir(w.path("old"), 0o755))
		w.write("old/notes.txt", "notes\n")
		w.model.script(call(bash("rm -r old")), say("It is gone."))
		w.ask("remove the old folder")
		if got := triggers(w.checkpoints()); !strings.Contains(got, "pre_risky_operation") {
			t.Errorf("got checkpoints made by %q, want pre_risky_operation among them", got)
		}
		if _, err := os.Stat(w.path("old")); !os.IsNotExist(err) {
			t.Errorf("the folder is still there (%v)", err)
		}
	})
}

func TestCheckpointCommand(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.unfinished()
		w.piton("complete", "--workflow", "job") // an offer would stand before the command, and Gemini would not know it for one
		w.model.script(call(bash("piton list --workflow job")), say("That is all there is."))
		w.ask(c.screen().command + " list --workflow job")
		all := w.model.all()
		for _, part := range []string{"`piton list", "--workflow job"} {
			if !strings.Contains(all[0].News, part) {
				t.Errorf("the model was not given our command, with %q: %s", part, short(all[0].News))
			}
		}
		if id := w.checkpoints("--workflow", "job")[0].ID; !strings.Contains(all[1].News, id) {
			t.Errorf("the command shows no checkpoint: %s", short(all[1].News))
		}
	})
}
