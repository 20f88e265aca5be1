package planruns

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
)

// Which runs nobody works on, and which of them go on by themselves.
func TestUnattended(t *testing.T) {
	dead := RunRow{Run: piton.Run{Status: piton.RunRunning}, Alive: caller.OwnerDead}
	waits := RunRow{Run: piton.Run{Status: piton.RunWaiting}}
	stopped := RunRow{Run: piton.Run{Status: piton.RunStopped, Error: runner.HandedOver}}
	for _, c := range []struct {
		name string
		run  RunRow
		is   runFacts
		told bool // it is listed
		on   bool // it goes on
	}{
		{"a person's run has crashed", dead, runFacts{here: true}, true, false},
		{"a person's run that is to continue has crashed", dead, runFacts{here: true, onCrash: plan.Continue}, true, true},
		{"a run that is to continue has crashed on another machine", dead, runFacts{onCrash: plan.Continue}, true, false},
		{"a run of the daemon has crashed with it", dead, runFacts{ours: true}, true, true},
		{"a run of the daemon that is to ask has crashed", dead, runFacts{ours: true, here: true, onCrash: plan.Ask}, true, false},
		{"its process is alive", RunRow{Run: dead.Run, Alive: caller.OwnerAlive}, runFacts{ours: true, onCrash: plan.Continue}, false, false},
		{"its process cannot be seen", RunRow{Run: dead.Run, Alive: caller.OwnerUnknown}, runFacts{ours: true, onCrash: plan.Continue}, false, false},
		{"it waits for a person", waits, runFacts{ours: true}, false, false},
		{"a person has answered", waits, runFacts{ours: true, answered: true}, true, true},
		{"a person has answered a run of a terminal", waits, runFacts{answered: true, here: true, onCrash: plan.Continue}, false, false},
		{"its daemon was stopped", stopped, runFacts{ours: true}, true, true},
		{"another home's daemon was stopped", stopped, runFacts{here: true, onCrash: plan.Continue}, false, false},
		{"a person has interrupted it", RunRow{Run: piton.Run{Status: piton.RunStopped, Error: "interrupted"}}, runFacts{ours: true, onCrash: plan.Continue}, false, false},
		{"a person has paused it", RunRow{Run: piton.Run{Status: piton.RunPaused}}, runFacts{ours: true, onCrash: plan.Continue}, false, false},
		{"a step has failed", RunRow{Run: piton.Run{Status: piton.RunFailed}}, runFacts{ours: true, onCrash: plan.Continue}, false, false},
		{"a step is in doubt", RunRow{Run: piton.Run{Status: piton.RunInDoubt}}, runFacts{ours: true, onCrash: plan.Continue}, false, false},
	} {
		x, told := Unattended{}, mayGoOn(c.run)
		if told {
			x, told = unattended(c.run, c.is)
		}
		if told != c.told || x.GoesOn != c.on && told {
			t.Errorf("%s: got listed %t, goes on %t, want %t, %t", c.name, told, x.GoesOn, c.told, c.on)
		}
	}
}
