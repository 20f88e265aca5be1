package e2e

import (
	"strings"
	"testing"
)

const phaseState = `{"phase":"BUILD","phase_number":4,"task_summary":"swap the operands","isc_criteria":[{"id":1,"subject":"keep the name Add","status":"pending"}]}`

// unfinished saves work of the kind that only a resume ends.
func (w *world) unfinished() {
	w.t.Helper()
	w.write(w.root+"/state.json", phaseState)
	w.piton("save", "--workflow", "job", "--type", "phases", "--state", w.root+"/state.json")
}

func TestUnfinishedWorkIsOfferedOnce(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.unfinished()
		w.model.script(call(readTool("README.md")), say("There is unfinished work."))
		a := w.ask("hello")
		w.model.script(say("Still."))
		w.again(a.Session, "and now?")
		var told []int
		for _, r := range w.model.all() {
			if strings.Contains(r.News, prefix+"Checkpoint: Resume from Phase 4? (swap the operands)") && strings.Contains(r.News, "piton resume") {
				told = append(told, r.N)
			}
		}
		if len(told) != 1 || told[0] != w.model.all()[0].N {
			t.Errorf("the model was told in the requests %v, want the first alone", told)
		}
	})
}

// Work that one client has begun is ended by another.
func TestWorkIsHandedOver(t *testing.T) {
	for _, pair := range [][2]client{{claude, gemini}, {gemini, codex}, {codex, claude}} {
		from, to := pair[0], pair[1]
		t.Run(from.name()+" to "+to.name(), func(t *testing.T) {
			needClient(t, to)
			w := newWorldOf(t, from, always)
			w.add(to)
			w.piton("init", "--agent", to.name())
			w.write(w.root+"/state.json", phaseState)
			w.model.script(
				call(bash("piton save --workflow job --type phases --state "+w.root+"/state.json")),
				call(readTool("calc.go")), call(editTool("calc.go", "a + b", "b + a")), say("Half of it is done."),
				call(bash("go test ./...")), say("That half is tested."))
			w.ask("swap the operands and say so")
			w.reasons("held", "all_clear")

			w.use(to)
			w.model.script(
				call(readTool("calc.go")), call(editTool("calc.go", "(a, b int)", "(b, a int)")), say("Its parameters are swapped too."),
				call(bash("go test ./...")), call(bash("piton complete --workflow job")), say("All of it is done."))
			x := w.start(w.bin+"/piton", "resume", "--agent", to.name(), "--exec")
			x.stops(4)
			list := w.reasons("held", "all_clear", "held", "all_clear")
			if list[2].Session == list[1].Session || list[2].owners()["calc.go"] != "agent" {
				t.Errorf("got the decision %+v, want one of another session for calc.go", list[2])
			}
			brief := w.model.all()[6].News
			for _, part := range []string{"BUILD", "swap the operands", "keep the name Add"} {
				if !strings.Contains(brief, part) {
					t.Errorf("%s's brief lacks %q: %s", to.name(), part, short(brief))
				}
			}
			if open := w.checkpoints("--open", "--workflow", "job"); len(open) != 0 {
				t.Errorf("still open: %v", open)
			}
			agents := map[string]bool{}
			for _, s := range w.sessions() {
				agents[s.Agent] = true
			}
			if !agents[from.name()] || !agents[to.name()] {
				t.Errorf("got sessions of %v, want %s and %s", agents, from.name(), to.name())
			}
			x.leave()
		})
	}
}

// A client that was killed is known to be dead at once where its process is
// known: Claude Code names it, Gemini CLI and Codex are above their hooks.
func TestCrashedWorkIsTakenUpByAnotherClient(t *testing.T) {
	for _, pair := range [][2]client{{claude, codex}, {gemini, claude}, {codex, gemini}} {
		from, to := pair[0], pair[1]
		t.Run(from.name()+" to "+to.name(), func(t *testing.T) {
			needClient(t, to)
			w := newWorldOf(t, from, always)
			w.add(to)
			w.piton("init", "--agent", to.name())
			w.model.script(swap()...)
			w.model.script(call(bash("hang")))
			x := w.open()
			x.say("swap the operands")
			x.hanging()
			x.crash()
			crashed := w.theSession()

			w.use(to)
			w.model.script(call(readTool("calc.go")), call(bash("go test ./...")), say("The operands are swapped, and the tests pass."))
			x = w.start(w.bin+"/piton", "resume", "--agent", to.name(), "--exec")
			x.stops(1)
			brief := w.model.all()[3].News
			for _, part := range []string{"**Task**: swap the operands", "- calc.go", "**Since the last save**: "} {
				if !strings.Contains(brief, part) {
					t.Errorf("the brief lacks %q: %s", part, short(brief))
				}
			}
			if strings.Contains(brief, "Checkpoint: Resume from") {
				t.Errorf("what is resumed is offered as well: %s", short(brief))
			}
			if got := w.decisions()[0]; got.Held || got.Session == crashed.ID {
				t.Errorf("got the decision %+v, want the new session let go, which changed nothing", got)
			}
			if open := w.checkpoints("--open"); len(open) != 0 {
				t.Errorf("still open: %v; want the old work finished with the new session's", open)
			}
			x.leave()
		})
	}
}

// Within a minute of the first edit hooks save once. What came after it is in the
// brief that another client gets, whichever client was killed.
func TestKilledWithinAMinuteOfTheFirstEdit(t *testing.T) {
	for _, pair := range [][2]client{{claude, codex}, {codex, gemini}, {gemini, claude}} {
		from, to := pair[0], pair[1]
		t.Run(from.name()+" to "+to.name(), func(t *testing.T) {
			needClient(t, to)
			w := newWorldOf(t, from, always)
			w.add(to)
			w.piton("init", "--agent", to.name())
			w.model.script(swap()...)
			w.model.script(call(writeTool("tax.go", "package calc\n")), call(writeTool("total.go", "package calc\n")),
				call(bash("go vet ./...")), call(bash("go build ./nowhere")), call(bash("hang")))
			x := w.open()
			x.say("swap the operands")
			x.hanging()
			killed := w.theSession()
			x.until("the last command's end in the transcript", func() bool { return strings.Contains(w.transcript(killed.ClientID), "directory not found") })
			x.crash()
			if got := w.theSession(); got.Alive {
				t.Errorf("got %+v, want it known to be dead at once", got)
			}
			saved := w.checkpoints("--session", killed.ID)
			brief := w.piton("resume")
			w.use(to)
			before := len(w.model.all())
			w.model.script(call(bash("piton resume")), reply{Text: "There is unfinished work.", Repeat: true})
			w.ask("go on with what is unfinished")
			all := w.model.all()[before:]
			told, taken := all[0].News, all[1].News
			for _, part := range []string{"Checkpoint: Resume from swap the operands?", "After that save its agent changed tax.go, total.go, ran "} {
				if !strings.Contains(told, part) {
					t.Errorf("the offer lacks %q: %s", part, short(told))
				}
			}
			for _, part := range []string{"**Task**: swap the operands", "total.go (new, after the save)", "go build ./nowhere (failed, after the save)"} {
				if !strings.Contains(taken, part) {
					t.Errorf("the brief that %s got lacks %q: %s", to.name(), part, short(taken))
				}
			}
			for _, part := range []string{"**Task**: swap the operands\n", "**Since the last save**: the session went on", "- calc.go\n", "- tax.go (new, after the save)\n", "- total.go (new, after the save)\n",
				"- go vet ./... (after the save)\n", "- go build ./nowhere (failed, after the save)\n"} {
				if !strings.Contains(brief, part) {
					t.Errorf("the brief lacks %q: %s", part, brief)
				}
			}
			if len(saved) != 1 {
				t.Errorf("got %d saves, want one", len(saved))
			}
		})
	}
}
