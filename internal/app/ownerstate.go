package app

import (
	"time"

	"github.com/piton-project/piton"
)

// OwnerState says whether the process that works on a run is alive.
type OwnerState string

// The states of an owner; "" of a run that nobody owns.
const (
	OwnerAlive   OwnerState = "alive"
	OwnerDead    OwnerState = "dead"
	OwnerUnknown OwnerState = "unknown" // on another machine, with a lease that has not ended
)

// ownerStateOf tells whether a run's owner is alive: within one boot and pid namespace
// its process decides, else its lease. A process that has given the run up is dead to it.
func ownerStateOf(r piton.Run, now time.Time, alive func(piton.Run) (alive, known bool)) OwnerState {
	if r.Owner.PID == 0 || r.Status != piton.RunRunning {
		return ""
	}
	is, known := alive(r)
	switch {
	case known && is:
		return OwnerAlive
	case known:
		return OwnerDead
	case r.LeaseUntil.After(now):
		return OwnerUnknown
	}
	return OwnerDead
}
