package runner

import (
	"sync"

	"github.com/piton-project/piton"
)

// atWork are the claims of runs that this process works on. An owner is a process
// and a claim in it: a process may live on after it has given a run up (the store
// was away, a panic), and it may be asked twice for the same run.
var atWork = claims{n: map[claimed]int{}}

// claimed names one claim of a run: each has a fence of its own.
type claimed struct {
	run   string
	fence int64
}

// claims counts who holds what: the engine of a run, and each attempt that has not
// ended, also when nobody waits for it any more. Who tries for a claim holds it from
// before its row can be read.
type claims struct {
	mu sync.Mutex
	n  map[claimed]int
}

// hold takes hold of a claim; the function it returns lets go, once.
func (c *claims) hold(run string, fence int64) (letGo func()) {
	k := claimed{run, fence}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[k]++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.n[k]--; c.n[k] == 0 {
			delete(c.n, k)
		}
	})
}

func (c *claims) held(run string, fence int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[claimed{run, fence}] > 0
}

// Alive reports whether the owner of a run works on it, and whether that is known.
// Of a run of this very process (me) the process itself knows; of any other process
// see says whether it runs.
func Alive(r piton.Run, me piton.Owner, see func(piton.Owner) (alive, known bool)) (alive, known bool) {
	switch {
	case r.Owner == (piton.Owner{}):
		return false, true
	case r.Owner.Host == EngineHost: // it gives a run back when it has come to an end of it
		return me.Host != EngineHost || me == r.Owner, true
	case same(r.Owner, me):
		return atWork.held(r.ID, r.Fence), true
	case see == nil:
		return false, false
	}
	return see(r.Owner)
}

// same tells whether two owners are one process. Without a boot id, which is so
// where there is no /proc, the host's name tells machines apart.
func same(a, b piton.Owner) bool {
	if a.Boot != "" {
		b.Host = a.Host
	}
	return a == b
}
