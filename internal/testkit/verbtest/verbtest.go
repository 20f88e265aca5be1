// Package verbtest checks that the verbs of history do over any store what they
// promise: to fall back from what is damaged, to verify, to prune into an
// archive, to copy into another store. Each store's tests hand it a Fixture.
// Tests only.
package verbtest

import (
	"testing"
)

// Run checks the verbs over a store. open returns an empty one and closes it
// when the test ends.
func Run(t *testing.T, open func(testing.TB) Fixture) {
	for _, c := range []struct {
		name  string
		check func(*desk)
	}{
		{"a damaged one is refused, and its nearest intact ancestor is taken", fallsBack},
		{"damage over the edge of an epoch", fallsBackFar},
		{"nothing intact is left", nothingLeft},
		{"a damaged fork falls back to where it began", forkFallsBack},
		{"parents in a cycle", cycle},
		{"a line without an end", endless},
		{"verify finds damage and takes marks away", verifies},
		{"detection offers what is unfinished", detects},

		{"a dry run says what the real one does", dryRun},
		{"what is archived is listed, loaded, resumed and exported", archived},
		{"an archive file goes with the last that names it", filesGo},
		{"an archive file that nothing names goes after a while", orphansInAFolder},
		{"a damaged file of the archive", archiveDamaged},
		{"named, phases and open heads stay", protected},
		{"a damaged one stays where it is", damagedStays},
		{"pruning beside savers loses nothing", pruneBesideSavers},
		{"pruning beside deletes goes on", pruneBesideDeletes},
		{"what is pruned while it is read is found", loadBesidePrune},
		{"a purge while a file is written", purgeBesidePrune},
		{"a pruning while a purge reads", pruneBesidePurge},
		{"a purge takes secrets out of what was deleted from a file", purgeDeleted},
		{"a purge goes on where a file is not there", purgeWithoutFile},
		{"prunings at once", prunesAtOnce},
		{"the log says what was done", logged},

		{"sources that grow and shrink are imported again", importsAgain},
		{"what is set aside takes no name's and no session's place", asideTakesNoPlace},

		{"a flush copies all, and twice changes nothing", flushes},
		{"a flush carries completions and deletions", flushCarries},
		{"flushes at once", flushesAtOnce},
		{"one archive for two stores", flushShares},
		{"a flush of what was deleted and came back", flushOfWhatCameBack},
		{"a flush leaves out what is damaged", flushLeavesDamage},
		{"what was completed in the store is completed here", flushFinishes},
		{"flush to a store that is reached late", flushLate},
		{"a run of another machine is not offered while somebody works on it", flushRunAtWork},
		{"another machine's session is not written to", flushForeign},
		{"a workflow that has gone two ways keeps nothing from being carried", flushApart},
		{"flushes at once of what has gone two ways", flushApartAtOnce},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(newDesk(t, open(t))) })
	}
}
