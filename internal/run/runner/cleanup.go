package runner

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/piton-project/piton/internal/run/action"
)

// cleanUps are the steps with always() that begin though what they depend on never comes
// to its end: once nothing else runs, those first on which others of them depend. After a
// doubt they are those that depend on a step in doubt. calls are those that begin already.
func (e *engine) cleanUps(calls map[int]action.Call) (start []int) {
	doubt := e.Stop == nil
	expired := !e.Until.IsZero() && !e.now().Before(e.Until)
	if !doubt && !e.Stop.Cleans || expired || len(calls) > 0 {
		return nil
	}
	left, doubted := map[int]bool{}, map[int]bool{}
	for i, x := range e.state.Plan {
		if x.Status == InDoubt {
			doubted[i] = true
		}
		if x.Status == Running && e.plan.Steps[i].Always() || x.Status == Pending && e.cleansUp(i) {
			left[i] = true
		}
	}
	for i := range e.flight {
		if !left[i] {
			return nil
		}
	}
	later, behind := dependents(e.plan, left), dependents(e.plan, doubted)
	for _, i := range slices.Sorted(maps.Keys(left)) {
		x := &e.state.Plan[i]
		switch ready := x.Status == Pending && !later[i] && (!doubt || behind[i]); {
		case !ready:
		case !e.plan.Steps[i].IsEach():
			start = append(start, i)
		case x.Items == nil:
			e.expand(i)
			return e.cleanUps(calls)
		default:
			e.gather(i)
			return e.cleanUps(calls)
		}
	}
	if len(start)+len(e.flight) > 0 && e.Until.IsZero() {
		e.Until = e.now().Add(cmp.Or(time.Duration(e.plan.FinallyTimeout), maxCleanUp))
	}
	most := cmp.Or(e.plan.Parallel, defaultParallel)
	return start[:min(len(start), max(0, most-len(e.flight)))]
}

// cleansUp tells whether a step has always(), and its condition holds as things stand.
func (e *engine) cleansUp(i int) bool {
	if !e.plan.Steps[i].Always() {
		return false
	}
	run, _, err := e.condition(e.plan, i, e.state)
	return run && err == nil
}

// anew has what ran early run again, because a step begins that it depends on; what runs
// early itself is marked.
func (e *engine) anew(i int) {
	x := &e.state.Plan[i]
	x.Early = !e.Until.IsZero() && slices.ContainsFunc(x.Dependencies, func(d string) bool { return !e.state.Plan[e.state.step(d)].Status.Ended() })
	if !e.Until.IsZero() || !slices.ContainsFunc(e.state.Plan, func(x Step) bool { return x.Early }) {
		return
	}
	for at := range dependents(e.plan, map[int]bool{i: true}) {
		if y := &e.state.Plan[at]; y.Early && y.Status == Completed {
			y.Early = false
			e.state.renew(at)
		}
	}
}
