package store

import (
	"fmt"
	"time"

	"github.com/piton-project/piton"
)

// runsHint is what to do about a run that is not found.
const runsHint = "'runs list' shows what there is"

// NoRun is the error for a run that is not in the store.
func NoRun(op string) error {
	return piton.Errorf(piton.NotFound, op, runsHint, "no such run")
}

// Unfinished is the Conflict of a new run on a branch whose last one has not ended.
func Unfinished(op, run string) error {
	return piton.Errorf(piton.Conflict, op, "'run resume "+run+"' continues it, 'run PLAN new' begins another one beside it", "%s is unfinished on this branch", run)
}

// KeyTaken is the Conflict of a key under which something has begun.
func KeyTaken(op, key string) error {
	return piton.Errorf(piton.Conflict, op, "'runs list' shows the runs; another key begins another one", "something has begun under the key %q", key)
}

// RunEnded is the Conflict of asking something of a run that is over.
func RunEnded(op string, r piton.Run) error {
	return piton.Errorf(piton.Conflict, op, "'runs show "+r.ID+"' shows what it did", "the run is %s", r.Status)
}

// NotYours is the Conflict of a write to a run by a process that does not own it.
// r is the run as it is now.
func NotYours(op string, r piton.Run) error {
	switch {
	case r.Status.Ended():
		return RunEnded(op, r)
	case r.Owner == (piton.Owner{}):
		return piton.Errorf(piton.Conflict, op, "take the run first; it may have changed: read it again", "nobody owns it, it is %s", r.Status)
	}
	where := fmt.Sprint("process ", r.Owner.PID)
	if r.Owner.Host != "" {
		where += " on " + r.Owner.Host
	}
	return piton.Errorf(piton.Conflict, op, "'runs show "+r.ID+"' shows where it is worked on", "%s owns it", where)
}

// RunNeeds is the Conflict of deleting the checkpoint that an unfinished run
// continues from.
func RunNeeds(op, run, checkpoint string) error {
	return piton.Errorf(piton.Conflict, op, "finish the run, or end it with 'runs cancel "+run+"'", "the unfinished run %s continues from %s", run, checkpoint)
}

// AnsweredAt is when a person's word counts as given: after those to the same step that
// were there, though the clock was set back or another machine's is behind. Else a run
// that has heard an earlier word would not hear this one.
func AnsweredAt(a piton.Answer, before []piton.Answer) piton.Time {
	at := a.At
	for _, b := range before {
		if b.StepID == a.StepID && !at.After(b.At.Time) {
			at = piton.At(b.At.Add(time.Millisecond))
		}
	}
	return at
}
