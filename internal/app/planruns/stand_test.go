package planruns

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
)

// TestHowARunStands: each way in which a run stands still says what brings it on, and one
// that goes on by itself waits for nobody.
func TestHowARunStands(t *testing.T) {
	asks, said := Question{StepID: "ok", Text: "Ship it?\nmore"}, Question{StepID: "ok", Text: "Ship it?", Answer: &piton.Answer{}}
	two := Question{StepID: "two", Text: "?"}
	const approve, show, resume, waits = "piton runs approve run_1 ok", "piton runs show run_1", "piton run --resume run_1", "waits for a person"
	row := func(status piton.RunStatus, alive caller.OwnerState) RunRow {
		return RunRow{Run: piton.Run{ID: "run_1", Status: status}, Alive: alive}
	}
	stopped, waiting, dead := row(piton.RunStopped, ""), row(piton.RunWaiting, ""), row(piton.RunRunning, caller.OwnerDead)
	handed, budget := stopped, stopped
	handed.Error, budget.Cause = runner.HandedOver, piton.CauseBudgetTime
	asking, doubting := runFacts{questions: []Question{asks}}, runFacts{doubts: []string{"pay"}}
	done := runFacts{questions: []Question{said}, answered: true}
	byDaemon := runFacts{questions: []Question{said}, answered: true, ours: true, daemon: true}
	for _, c := range []struct {
		name string
		r    RunRow
		f    runFacts
		word string
		want []string // of what waits: kinds and commands
	}{
		{"a step asks", waiting, asking, waits, []string{"approval", approve}},
		{"a step asks, and Ctrl-C came", stopped, asking, waits, []string{"approval", approve}},
		{"a step asks, and it was paused", row(piton.RunPaused, ""), asking, waits, []string{"approval", approve}},
		{"a step asks, and its budget is used up", budget, asking, waits, []string{"approval", approve}},
		{"a step asks, and its process has died", dead, asking, waits, []string{"approval", approve}},
		{"a step asks, and somebody waits for the answer", row(piton.RunRunning, caller.OwnerAlive), asking, waits, []string{"approval", approve}},
		{"two steps ask", waiting, runFacts{questions: []Question{asks, two}}, waits, []string{"approval", approve, "approval", "piton runs approve run_1 two"}},
		{"one of two is answered", waiting, runFacts{questions: []Question{said, two}}, waits, []string{"approval", "piton runs approve run_1 two"}},
		{"all is answered", waiting, done, "answered", []string{"answered", resume}},
		{"all is answered after Ctrl-C", stopped, done, "answered", []string{"answered", resume}},
		{"all is answered after its budget was used up", budget, done, "answered", []string{"answered", resume + " --max-time DURATION"}},
		{"all is answered, and the daemon continues it", waiting, byDaemon, "goes on", nil},
		{"all is answered, and the daemon does not take up what a person stopped", stopped, byDaemon, "answered", []string{"answered", resume}},
		{"all is answered in a terminal that waits", row(piton.RunRunning, caller.OwnerAlive), done, "running", nil},
		{"a step is in doubt", row(piton.RunInDoubt, ""), doubting, "in doubt", []string{"in_doubt", show}},
		{"a step is in doubt, and Ctrl-C came", stopped, doubting, "in doubt", []string{"in_doubt", show}},
		{"a step is in doubt, and its budget is used up", budget, doubting, "in doubt", []string{"in_doubt", show}},
		{"two steps are in doubt", stopped, runFacts{doubts: []string{"pay", "mail"}}, "in doubt", []string{"in_doubt", show, "in_doubt", show}},
		{"in doubt, and its other steps are at work", row(piton.RunRunning, caller.OwnerAlive), doubting, "running", nil},
		{"in doubt, and a step asks", row(piton.RunInDoubt, ""), runFacts{doubts: []string{"pay"}, questions: []Question{asks}}, "in doubt", []string{"in_doubt", show, "approval", approve}},
		{"its process has died", dead, runFacts{}, "interrupted", []string{"interrupted", resume}},
		{"its process has died, and the daemon takes it over", dead, runFacts{ours: true, daemon: true}, "goes on", nil},
		{"its process has died, and its plan is to ask", dead, runFacts{ours: true, daemon: true, onCrash: plan.Ask}, "interrupted", []string{"interrupted", resume}},
		{"it is at work", row(piton.RunRunning, caller.OwnerAlive), runFacts{}, "running", nil},
		{"it may be at work elsewhere", row(piton.RunRunning, caller.OwnerUnknown), runFacts{}, "running", nil},
		{"it is queued", row(piton.RunQueued, ""), runFacts{ours: true, daemon: true}, "queued", nil},
		{"it is queued, and no daemon runs", row(piton.RunQueued, ""), runFacts{ours: true}, "queued", []string{"no_daemon", "piton serve"}},
		{"its daemon was stopped", handed, runFacts{ours: true}, "stopped", []string{"no_daemon", "piton serve"}},
		{"its daemon was stopped, and runs again", handed, runFacts{ours: true, daemon: true}, "goes on", nil},
		{"it has failed", row(piton.RunFailed, ""), runFacts{}, "failed", nil},
		{"it was cancelled while a step asked", row(piton.RunCancelled, ""), asking, "cancelled", nil},
	} {
		c.r.stand(c.f)
		var got []string
		for _, s := range c.r.Stood {
			if s.Waits {
				got = append(got, string(s.Is), s.Command)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || c.r.Word() != c.word {
			t.Errorf("%s: got %q, want %q (-want +got):\n%s", c.name, c.r.Word(), c.word, diff)
		}
	}
}
