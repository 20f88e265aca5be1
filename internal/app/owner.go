package app

import (
	"os"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/turn"
)

// thisOwner is this process as the owner of a run.
func thisOwner() piton.Owner {
	o := turn.ThisOwner()
	o.Host, _ = os.Hostname()
	return o
}

// runAlive reports whether the owner of a run works on it, and whether that can be
// known here.
func runAlive(r piton.Run) (alive, known bool) { return runner.Alive(r, thisOwner(), turn.OwnerAlive) }

// ownerState tells whether the owner of a run is alive, as far as that can be known here.
func (a *opened) ownerState(r piton.Run) OwnerState { return ownerStateOf(r, a.o.Now(), runAlive) }

// runWorkedOn reports whether somebody works on a run, or may do so on another
// machine.
func (a *opened) runWorkedOn(r piton.Run) bool {
	state := a.ownerState(r)
	return state == OwnerAlive || state == OwnerUnknown
}
