package turn

import (
	"os"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/proc"
)

// ThisOwner is this process as the owner of a run, without its host's name.
func ThisOwner() piton.Owner {
	me, _ := proc.Identify(os.Getpid()) // without a /proc it is the pid alone
	return piton.Owner{PID: me.PID, Start: me.Start, Boot: me.Boot, Space: me.Space}
}

// OwnerAlive reports whether the process that owns a run is alive, and whether that
// can be known here: within one boot and pid namespace.
func OwnerAlive(o piton.Owner) (alive, known bool) {
	i := proc.Identity{PID: o.PID, Start: o.Start, Boot: o.Boot, Space: o.Space}
	if !i.Visible() {
		return false, false
	}
	if host, _ := os.Hostname(); o.Boot == "" && o.Host != host {
		return false, false
	}
	return i.Alive()
}

// RunAlive reports whether somebody works on a run: its owner's process is alive, or
// cannot be seen from here and has a lease that has not run out.
func RunAlive(r piton.Run, now piton.Time) bool {
	if r.Owner.PID == 0 || r.Status != piton.RunRunning {
		return false
	}
	alive, known := OwnerAlive(r.Owner)
	return known && alive || !known && r.LeaseUntil.After(now.Time)
}
