package runner

import (
	"fmt"
	"time"

	"github.com/piton-project/piton"
)

// claim is what may be done with a run that another process may be working on.
type claim struct {
	Take  bool
	Watch bool   // its lease is not to be believed: see whether it is renewed
	Why   string // who has it, where it may not be taken
}

// mayTake decides whether a run may be taken over: a pure function of the row, of
// what is known of its owner, and of the wall clock (docs/spec.md, "Runs").
//
// A run without an owner may. One whose owner's process can be seen from here is
// decided by that: it runs, or it has died and the run may be taken at once. Where
// it cannot be seen (another machine, another pid namespace) the lease decides. A
// lease that ends later than any lease made now would is that of a clock that was
// set back, or of another machine's: it is believed only if it is being renewed.
func mayTake(r piton.Run, alive, known bool, now time.Time, lease time.Duration) claim {
	works := fmt.Sprintf("process %d%s works on it", r.Owner.PID, behind(" on ", r.Owner.Host))
	if !r.UpdatedAt.IsZero() {
		works += ", and saved it at " + r.UpdatedAt.String()
	}
	switch {
	case r.Owner == (piton.Owner{}) || known && !alive:
		return claim{Take: true}
	case known:
		return claim{Why: works}
	case !r.LeaseUntil.After(now):
		return claim{Take: true}
	}
	why := fmt.Sprintf("%s, and cannot be seen from here; its lease is until %s", works, r.LeaseUntil)
	return claim{Watch: r.LeaseUntil.After(now.Add(lease + lease/2)), Why: why}
}

// behind is a text behind the words that lead to it; nothing without a text.
func behind(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

// taken is the error for a run that another process works on.
func taken(op string, r piton.Run, why string) error {
	return piton.Errorf(piton.Conflict, op, "'runs show "+r.ID+"' shows it; 'runs pause "+r.ID+"' and 'runs cancel "+r.ID+"' steer it from any terminal",
		"the run %s is at work: %s", r.ID, why)
}
