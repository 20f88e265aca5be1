package caller

import (
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/turn"
)

// ThisOwner is this process as the owner of a run.
func ThisOwner() piton.Owner {
	o := turn.ThisOwner()
	o.Host, _ = os.Hostname()
	return o
}

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

// runAlive reports whether the owner of a run works on it, and whether that can be
// known here.
func runAlive(r piton.Run) (alive, known bool) { return runner.Alive(r, ThisOwner(), turn.OwnerAlive) }

// OwnerState tells whether the owner of a run is alive, as far as that can be known here.
func (a *opened) OwnerState(r piton.Run) OwnerState {
	return ownerStateOf(r, a.Options.Now(), runAlive)
}

// runWorkedOn reports whether somebody works on a run, or may do so on another
// machine.
func (a *opened) runWorkedOn(r piton.Run) bool {
	state := a.OwnerState(r)
	return state == OwnerAlive || state == OwnerUnknown
}
