package pane

import (
	"context"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/tmux"
)

// Find looks at the pane that a person has named for a session. The session's
// client must run in it, and where the process of the client is known it must be
// that one.
func (p Panes) Find(ctx context.Context, s agent.Session, socket, id string) (*agent.Pane, error) {
	op := "attach pane " + id + " to " + s.ID
	if !tmux.IsPane(id) {
		return nil, piton.Errorf(piton.Invalid, op, "'echo $TMUX_PANE' in the client's terminal names it, and so does: tmux list-panes -a", "%q is not the id of a pane, which is like %%3", id)
	}
	if _, ok := p.client(s.Agent); !ok {
		return nil, piton.Errorf(piton.Invalid, op, "", "the session has no agent that could be typed to")
	}
	v := view{server: tmux.Server{Socket: socket}}
	var err error
	if v.Pane, err = v.server.Look(ctx, id); err != nil {
		if _, refused := err.(*tmux.Refusal); refused {
			err = &piton.Error{Code: piton.NotFound, Op: op, Hint: "'socket PATH' names another tmux server", Err: err}
		}
		return nil, err
	}
	v.find(s.Agent)
	server, ok := identify(v.ServerPID)
	own, alive := identify(v.PID)
	switch {
	case v.client.PID == 0:
		return nil, piton.Errorf(piton.Conflict, op, "name the pane in which it does", "no %s runs in this pane", s.Agent)
	case s.Process.PID != 0 && same(s.Process) && !slices.ContainsFunc(v.tree, func(n proc.Node) bool { return n.PID == s.Process.PID }):
		return nil, piton.Errorf(piton.Conflict, op, "'sessions' lists the sessions: one of the others may be meant", "the client of this session is process %d, which does not run in this pane", s.Process.PID)
	case !ok || !alive:
		return nil, piton.Errorf(piton.Unavailable, op, "", "the pane's processes cannot be seen from here")
	}
	return &agent.Pane{Socket: v.Socket, Server: server, ID: id, Process: own, At: p.now()}, nil
}

// Opened waits until a client that was just started shows its input field in its pane, and
// goes on doing so: some draw it before they ask a person something. false: it does not
// yet. Unavailable where it has ended.
func (p Panes) Opened(ctx context.Context, name, socket, id string) (bool, error) {
	c, _ := p.client(name)
	var since time.Time // the field is there
	for end := time.Now().Add(maxStart); time.Now().Before(end) && ctx.Err() == nil; p.sleep(ctx, poll) {
		v := view{server: tmux.Server{Socket: socket}}
		var err error
		v.Pane, err = v.server.Look(ctx, id)
		if _, refused := err.(*tmux.Refusal); refused || v.Dead {
			return false, piton.Errorf(piton.Unavailable, "open "+name, "start "+name+" in this terminal to see why", "%s ended at once", name)
		}
		switch v.find(name); {
		case err != nil || v.usable(name) != "" || !v.stand(c, agent.Session{}).Composer:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > steady:
			return true, nil
		}
	}
	return false, ctx.Err()
}

// Put gives a session its pane, and takes it from any other session: one client
// runs in a pane. nil: none.
func (p Panes) Put(ctx context.Context, session string, at *agent.Pane) (agent.Session, error) {
	var others []agent.Session
	if at != nil {
		list, err := p.Local.Sessions(ctx, store.SessionQuery{})
		if err != nil {
			return agent.Session{}, err
		}
		others = slices.DeleteFunc(list, func(s agent.Session) bool {
			there := s.Pane != nil && s.Pane.ID == at.ID && s.Pane.Server == at.Server
			return s.ID == session || s.Damaged || !there
		})
	}
	var s agent.Session
	err := p.Local.Update(ctx, func(tx store.LocalTx) (err error) {
		for _, other := range others {
			if other, err = tx.Session(ctx, other.ID); err != nil {
				return err
			}
			other.Pane = nil
			if err := tx.PutSession(ctx, redact.Value(other)); err != nil {
				return err
			}
		}
		if s, err = tx.Session(ctx, session); err != nil {
			return err
		}
		s.Pane = at
		return tx.PutSession(ctx, redact.Value(s))
	})
	return s, err
}
