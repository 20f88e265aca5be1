package codex

import (
	"cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// fold goes through a turn's lines in their order: the session's, then
// those of each subagent.
type fold struct {
	t        agent.Transcript
	subagent string // whose lines they are; empty: the session's
	own      bool   // of a subagent's lines: none is a copy of another thread's
	ids      map[string]bool
	dir      string            // where the client is
	calls    map[string]int    // a call's id to its place in t.Calls
	items    map[string]bool   // calls of whose end the client itself told: what the model was told adds nothing
	running  map[string]string // a process that went on behind, by number, to its call
	plans    map[string][]byte // the arguments of the calls to update_plan
	polls    map[string]string // calls that ask for a process's output, to its number
	cells    map[string]*cell  // the model's scripts, by their call
	waits    map[string]string // calls that wait for a cell, to the cell's call
	goingOn  map[string]string // a cell that goes on behind, by number, to its call
	threads  []string          // subagents that the lines name
	count    counter           // by token_count, which older versions have alone
	counted  piton.TokenUsage  // likewise
}

func newFold() *fold {
	return &fold{
		calls:   map[string]int{},
		items:   map[string]bool{},
		running: map[string]string{},
		plans:   map[string][]byte{},
		polls:   map[string]string{},
		cells:   map[string]*cell{},
		waits:   map[string]string{},
		goingOn: map[string]string{},
	}
}

func (f *fold) begin(c agent.Call) {
	if _, twice := f.calls[c.ID]; !twice {
		f.calls[c.ID] = len(f.t.Calls)
		f.t.Calls = append(f.t.Calls, c)
	}
}

// put keeps a call. What the client tells at a call's end is all of it, and
// takes the place of its beginning and of what the model was told.
func (f *fold) put(c agent.Call) {
	i, known := f.calls[c.ID]
	if c.Dir == "" && !known {
		c.Dir = f.dir
	}
	switch {
	case !known:
		f.calls[c.ID] = len(f.t.Calls)
		f.t.Calls = append(f.t.Calls, c)
	case f.t.Calls[i].Subagent != c.Subagent || f.items[c.ID]:
		return // a copy
	default:
		was := f.t.Calls[i]
		c.Task = was.Task
		c.Command = cmp.Or(c.Command, was.Command)
		c.Dir = cmp.Or(c.Dir, was.Dir)
		if len(c.Paths) == 0 {
			c.Paths, c.Created = was.Paths, was.Created && !c.Failed && !c.Interrupted
		}
		f.t.Calls[i] = c
	}
	f.items[c.ID] = !c.EndedAt.IsZero()
}

// edited puts one call for the files that were new and one for the others.
func (f *fold) edited(c agent.Call, added, others []string) {
	twin := c.ID + "/new"
	_, both := f.calls[twin] // told at its beginning
	if len(others) > 0 || len(added) == 0 {
		c.Paths = others
		f.put(c)
		c.ID = twin
	}
	if len(added) > 0 || both {
		c.Paths, c.Created = added, !c.Failed && !c.Interrupted
		f.put(c)
	}
}

func (f *fold) absolute(path, dir string) string {
	dir = cmp.Or(dir, f.dir)
	return client.Absolute(dir, path)
}

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
