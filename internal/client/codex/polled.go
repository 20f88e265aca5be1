package codex

import "github.com/piton-project/piton/internal/client"

// polled takes what a command that went on behind has said since it was last
// asked, and its end: that is told to the call that asked for it.
func (f *fold) polled(l line, process string, a answer) {
	id := f.running[process]
	i, ok := f.calls[id]
	if !ok || f.items[id] || !f.t.Calls[i].Background {
		return
	}
	c := &f.t.Calls[i]
	cut := c.Cut
	a.said = c.Output + a.said // beginning and end are kept, however often it was asked
	if a.exit != nil {
		c.Background = false
		a.end(c, l)
	} else {
		client.Said(c, a.said)
	}
	c.Cut = c.Cut || cut
}
