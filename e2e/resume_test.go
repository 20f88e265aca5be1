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
				call(readTool("calc.go")), call(editTool("calc.go", "Add adds", "Add adds, the second first")), say("It says so."),
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
// known: Claude Code names it, Gemini CLI is above its hooks.
func TestCrashedWorkIsTakenUpByAnotherClient(t *testing.T) {
	for _, pair := range [][2]client{{claude, codex}, {gemini, claude}} {
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
			for _, part := range []string{"Current task: swap the operands", "- calc.go"} {
				if !strings.Contains(brief, part) {
					t.Errorf("the brief lacks %q: %s", part, short(brief))
				}
			}
			if got := w.decisions()[0]; got.Held || got.Session == crashed.ID {
				t.Errorf("got the decision %+v, want the new session let go, which changed nothing", got)
			}
			x.leave()
		})
	}
}
