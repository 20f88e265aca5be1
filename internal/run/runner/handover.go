package runner

import (
	"time"
)

// handOver says what others have to carry out and to keep until the next turn. done: the run
// is given back.
func (e *engine) handOver(done bool) {
	h := e.Hands
	was := h.Memory.Busy
	wake := e.wake
	if h.Memory = e.remembered(); e.starting != nil { // nothing was kept, and no time counted
		h.Memory.Busy = was
	}
	if e.stop != nil {
		wake = time.Time{}
	}
	ends := e.until
	if e.late {
		ends = time.Time{}
	}
	for _, at := range []time.Time{ends, e.spentAt()} {
		if !at.IsZero() && (wake.IsZero() || at.Before(wake)) {
			wake = at
		}
	}
	if !wake.IsZero() { // the clock of who waits may be another one
		h.Wake = max(wake.Sub(e.now()), time.Millisecond)
	}
	for _, x := range e.state.Plan {
		if x.Asks() {
			h.Asks = append(h.Asks, Asking{x.ID, x.Shown})
		}
	}
	if h.Over = done; done {
		h.Status, h.Error = e.run.Status, e.run.Error
	}
}

func (e *engine) remembered() Memory {
	m := Memory{Until: e.until, Late: e.late, Busy: e.busy, Looked: e.looked}
	if s := e.stop; s != nil {
		m.Stop = &Stopping{s.status, s.why, s.hard, s.cleans, s.cause}
	}
	for i, f := range e.flight {
		if f.stale {
			m.Stale = append(m.Stale, Attempt{e.state.Plan[i].ID, e.state.Plan[i].Attempt})
		}
	}
	return m
}

func (e *engine) recall(m Memory) {
	e.until, e.late, e.busy = m.Until, m.Late, m.Busy
	if m.Looked != nil {
		e.looked = m.Looked
	}
	if s := m.Stop; s != nil {
		e.stop = &stop{s.Status, s.Why, s.Hard, s.Cleans, s.Cause}
	}
}
