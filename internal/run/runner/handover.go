package runner

// handOver says what others have to carry out and to keep until the next turn. done: the run
// is given back.
func (e *engine) handOver(done bool) {
	h := e.Hands
	if e.starting != nil { // nothing was kept, and no time counted
		e.Busy = h.Memory.Busy
	}
	h.Memory, h.Memory.Stale = e.Memory, nil
	for i, f := range e.flight {
		if f.stale {
			h.Memory.Stale = append(h.Memory.Stale, Attempt{e.state.Plan[i].ID, e.state.Plan[i].Attempt})
		}
	}
	h.Wake = e.wakes()
	for _, x := range e.state.Plan {
		if x.Asks() {
			h.Asks = append(h.Asks, Asking{x.ID, x.Shown})
		}
	}
	if h.Over = done; done {
		h.Status, h.Error = e.run.Status, e.run.Error
	}
}
