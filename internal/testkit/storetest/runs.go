package storetest

import (
	"testing"

	"github.com/piton-project/piton/internal/store"
)

// RunRuns checks what every store that keeps runs promises of them.
func RunRuns(t *testing.T, open func(testing.TB) store.Checkpoints) {
	for _, c := range []struct {
		name  string
		check func(*suite)
	}{
		{"a run comes back as it was added", runComesBack},
		{"a run is found by its beginning", runFound},
		{"a branch has one unfinished run", runOnce},
		{"a key begins one thing", runKeyed},
		{"of two homes of a project one begins a run", runOnceInNamespace},
		{"runs are listed newest first", runsListed},
		{"a run is claimed by its fence", runClaimed},
		{"of many who claim one wins", runClaimedOnce},
		{"a lost fence writes nothing", runFenced},
		{"a lost fence takes the checkpoint with it", runFencedAppend},
		{"a run that was given back is nobody's", runGivenBack},
		{"a run that has ended stays as it is", runEnds},
		{"a wish reaches the owner", runWished},
		{"a wish is kept until it was carried out", runWishKept},
		{"a plan is replaced", runPlanReplaced},
		{"the later answer holds", runAnswered},
		{"the checkpoint that a run continues from is not deleted", runKeepsHead},
		{"a run that has ended goes with its last checkpoint", runGoes},
		{"artifacts stay with the checkpoints of their run", runArtifacts},
		{"a schedule comes back as it was added", scheduleComesBack},
		{"schedules are found when they are due", schedulesDue},
		{"of many who move a schedule on one does", scheduleClaimed},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(newSuite(t, open(t))) })
	}
}
