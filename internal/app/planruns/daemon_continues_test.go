package planruns

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
)

// TestDaemonContinues: a person is told that the daemon goes on only where one runs
// that has worked on the run.
func TestDaemonContinues(t *testing.T) {
	a, k, r := ownedRun(t, caller.ThisOwner())
	row := RunRow{Run: r}
	row.Status = piton.RunQueued
	check := func(name string, ours bool, want Stand) {
		f, _, err := a.facts(t.Context(), k, k.Store.Runs(), row)
		f.ours = ours
		if got := f.stands(row)[0].Is; err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, want)
		}
	}
	check("no daemon runs", true, StandNoDaemon)
	check("the daemon of another home has it", false, StandQueued)
	release, err := a.BeDaemon()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	check("its daemon runs", true, StandQueued)
}
