package e2e

import (
	"strings"
	"testing"
)

// need is what `piton list --open --json` tells of work that is left open.
type openNeed struct {
	Kind  string
	Files []string
}

func (w *world) needs() []openNeed {
	w.t.Helper()
	var x struct{ Needs []openNeed }
	w.pitonJSON(&x, "list", "--open")
	return x.Needs
}

// takeovers are what an agent does that goes on with broken work and does not mend it.
var takeovers = []struct {
	name  string
	steps []reply
}{
	{"leaves it", []reply{call(readTool("README.md")), call(editTool("README.md", "It adds.", "It adds two numbers."))}},
	{"commits everything", []reply{call(readTool("README.md")), call(editTool("README.md", "It adds.", "It adds two numbers.")), call(bash("git add -A && git -c user.name=Ada -c user.email=ada@example.org commit -qm change"))}},
	{"edits and tests other files", []reply{call(readTool("tax/tax.go")), call(editTool("tax/tax.go", "return 19", "return 10 + 9")), call(bash("go test ./tax"))}},
}

// Work whose tests failed stays open, whoever goes on with it and whatever that agent
// does beside it, until the tests are seen to pass.
func TestTakeoverOfBrokenWork(t *testing.T) {
	pair := 0
	for _, from := range every {
		for _, to := range every {
			if from == to {
				continue
			}
			pair++
			for k, way := range takeovers {
				if !today(pair+k, claude) { // each pair one way
					continue
				}
				t.Run(from.name()+" to "+to.name()+", which "+way.name, func(t *testing.T) { takeover(t, from, to, way.steps) })
			}
		}
	}
}

func takeover(t *testing.T, from, to client, steps []reply) {
	needClient(t, to)
	w := newWorldOf(t, from, always)
	w.add(to)
	w.piton("init", "--agent", to.name())
	w.packages()
	w.model.script(slip()...)
	w.model.script(call(bash("go test ./...")), call(bash("hang")))
	x := w.open()
	x.say("swap the operands")
	x.hanging()
	x.crash()

	w.use(to)
	w.model.script(call(bash("piton resume")))
	w.model.script(steps...)
	w.model.script(reply{Text: "It is finished.", Repeat: true})
	a := w.ask("go on with what is unfinished")
	if got := w.verified(); got != "" {
		t.Errorf("broken work is called verified: %s", got)
	}
	first := w.decisions()[0]
	t.Logf("LIVE takeover|%s|held=%v %s|%s", t.Name(), first.Held, first.Reason, w.said())
	w.stillBroken()

	// It stays open for whoever comes next, too.
	w.model.afresh(call(readTool("calc.go")), reply{Text: "It is finished.", Repeat: true})
	w.again(a.Session, "is all done?")
	w.stillBroken()

	w.model.afresh(call(editTool("calc.go", "a - b", "b + a")), call(bash("go test ./...")), reply{Text: "It is mended, and the tests pass.", Repeat: true})
	w.again(a.Session, "mend it")
	list := w.decisions()
	if last := list[len(list)-1]; last.Reason != "all_clear" {
		t.Errorf("got the decision %+v once the tests passed, want all clear", last)
	}
	if needs, open := w.needs(), w.checkpoints("--open"); len(needs) > 0 || len(open) > 0 {
		t.Errorf("still open after the tests passed: %v %v", needs, open)
	}
}

// stillBroken checks that what an earlier agent left is open.
func (w *world) stillBroken() {
	w.t.Helper()
	needs := w.needs()
	if len(needs) == 0 || !strings.Contains(strings.Join(needs[0].Files, " "), "calc.go") {
		w.t.Errorf("got what is open %v, want calc.go", needs)
	}
	if open := w.checkpoints("--open"); len(open) == 0 {
		w.t.Error("the work is closed though its tests fail")
	}
}
