// Package storetest is the suite every store passes: the contracts of
// store.Checkpoints and store.Local, written down as tests. Tests only.
package storetest

import (
	"testing"

	"github.com/piton-project/piton/internal/store"
)

// Run checks what every store of checkpoints promises. open returns an empty
// store and closes it when the test ends.
func Run(t *testing.T, open func(testing.TB) store.Checkpoints) {
	for _, c := range []struct {
		name  string
		check func(*suite)
	}{
		{"numbers rise by one while the clock jumps back", numbersRise},
		{"no order follows a clock", clocksJump},
		{"numbers never fall after a delete", numbersNeverFall},
		{"numbers are without gaps under goroutines", numbersUnderGoroutines},
		{"one order over all workflows", orderOverWorkflows},
		{"two plans in one session", twoPlans},
		{"a record comes back as it was saved", recordComesBack},
		{"the store gives what the caller leaves out", storeGivesDefaults},

		{"the expected parent is the head", expectedParent},
		{"a stale parent conflicts and nothing is written", staleParent},
		{"one of many with the same parent wins", oneWins},
		{"an unknown workflow or parent is not found", unknownParent},
		{"a fork starts a branch", forkStartsBranch},
		{"branches are listed as they began", branchesListed},
		{"branches share one sequence of numbers", branchesShareNumbers},
		{"a fork's branch that is deleted", branchDeleted},

		{"a name is unique in its project", nameUnique},
		{"a workflow put again changes its mark and session", workflowPutAgain},
		{"a workflow is found by id, beginning and name", workflowFound},
		{"a checkpoint is found by its beginning", checkpointFound},
		{"an ambiguous beginning lists the candidates", ambiguousPrefix},

		{"list filters", listFilters},
		{"a list of a project and of none", listShared},
		{"list finds tags as they are written", listTags},
		{"list since includes the moment", listSince},
		{"pages are stable under appends", pagesStable},
		{"pages are stable under goroutines", pagesUnderGoroutines},
		{"the newest pages while others save and delete", pagesBesideSavers},

		{"open lists the heads of open workflows", openHeads},
		{"the last phase closes", lastPhaseCloses},
		{"close and keep", closeAndKeep},
		{"completing closes and a later save opens", completeCloses},
		{"open pages and filters", openPages},
		{"open heads are counted by session", openCounted},

		{"children are listed oldest first", childrenListed},
		{"delete gives children the nearest ancestor", deleteReparents},
		{"delete reaches over branches", deleteOverBranches},
		{"delete of the head moves it", deleteMovesHead},
		{"delete of all leaves a workflow to save to", deleteEmpties},
		{"delete of an emptied fork leaves a parent that exists", deleteEmptiesFork},
		{"delete of a head leaves the workflow as its new head is", deleteReopens},
		{"delete of something unknown deletes nothing", deleteUnknown},
		{"delete says what it set free", deleteFrees},

		{"states come back byte for byte", statesComeBack},
		{"equal states of many checkpoints", equalStates},
		{"a state that is not there", stateNotThere},

		{"an error rolls all back", errorRollsBack},
		{"a panic rolls all back", panicRollsBack},
		{"a cancelled save writes nothing", cancelledSave},
		{"a transaction sees its own writes", seesOwnWrites},
		{"set aside once", setAsideOnce},
		{"a mark is taken away", markTaken},

		{"an import keeps id, number and times", importKeeps},
		{"importing twice changes nothing", importTwice},
		{"an import out of order", importOutOfOrder},
		{"an import links parents that come later", importLinks},
		{"an import of a cycle", importCycle},
		{"what an import sets aside leads nothing", importAside},
		{"an import whose number is taken conflicts", importConflicts},
		{"an import closes as its head is", importCloses},
		{"what was deleted comes back by an import", importBack},
		{"numbers go on behind those of both stores", importNumbers},
		{"an import whose name is taken gets another", importNames},
		{"an import with branches", importBranches},
		{"an archived state is dropped", archiveDrops},
		{"archiving again names another file", archiveTwice},
		{"nothing is wrong", nothingWrong},
		{"space is given back", reclaims},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(newSuite(t, open(t))) })
	}
	RunSearch(t, open)
}

// RunLocal checks what the store of this machine promises on top: all of Run,
// and sessions, turns, decisions, projects and letters.
func RunLocal(t *testing.T, open func(testing.TB) *store.Local) {
	Run(t, func(t testing.TB) store.Checkpoints { return open(t).Checkpoints })
	for _, c := range []struct {
		name  string
		check func(*suite, *store.Local)
	}{
		{"a session comes back as it was put", sessionComesBack},
		{"a session put again is replaced", sessionReplaced},
		{"a session is found by id, beginning and client", sessionFound},
		{"sessions are listed last seen first", sessionsListed},
		{"completing clears the current workflow", completeClearsCurrent},
		{"turns", turnsKept},
		{"decisions", decisionsKept},
		{"decisions are bounded", decisionsBounded},
		{"a project is known by path, then origin", projectAliases},
		{"a project is made once by many", projectMadeOnce},
		{"what commands gave", verifiedKept},
		{"a letter is posted once", letterPosted},
		{"a letter is carried by one at a time, until it is done", letterCarried},
		{"letters of one session to one recipient are carried in their order", letterOrder},
		{"a letter of a courier that has died is taken once", letterOfTheDead},
		{"a letter that waits is replaced by one with its key", letterReplaced},
		{"what cannot be taken back is noted before it begins", letterSending},
		{"letters expire", letterExpired},
		{"what is old expires", oldExpires},
		{"an update rolls all back", updateRollsBack},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := open(t)
			c.check(newSuite(t, st.Checkpoints), st)
		})
	}
}
