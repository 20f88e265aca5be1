package history

import (
	"context"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/redact"
)

// Saved is the answer to a save.
type Saved struct {
	piton.Checkpoint
	Redacted int `json:"redacted"` // secrets taken out
}

// Save keeps a state; it is durable when Save returns. Invalid: the draft is
// not acceptable. NotFound: the workflow or the parent is not there. Conflict:
// the branch has moved on from the expected parent. On any error nothing was
// written.
func (k Keeper) Save(ctx context.Context, d Draft) (Saved, error) {
	session, err := k.session(ctx, &d)
	if err != nil {
		return Saved{}, err
	}
	w, fresh, err := k.workflow(ctx, d, session)
	if err != nil {
		return Saved{}, err
	}
	if !fresh && d.Type != "" && d.Type != w.Type {
		return Saved{}, piton.Errorf(piton.Invalid, "save to "+w.Label(), "leave --type out, or save to another workflow",
			"the workflow is of type %s, not %s", w.Type, d.Type)
	}
	if !fresh {
		d.Type = w.Type
	}
	if d.State == nil {
		if d.State, err = k.defaultState(ctx, w, fresh, session, d); err != nil {
			return Saved{}, err
		}
	}
	if d.Parent != "" {
		// A prefix will do here as everywhere; another id is a conflict the
		// transaction finds.
		c, err := k.Store.Checkpoint(ctx, d.Parent)
		if err != nil {
			return Saved{}, err
		}
		d.Parent = c.ID
	}
	p, taken, err := k.Prepare(d)
	if err != nil {
		return Saved{}, err
	}
	p.Record.WorkflowID, p.Record.SessionID = w.ID, session.ID
	if fresh {
		w.Type, w.CreatedAt = p.Record.WorkflowType, p.Record.CreatedAt
	}
	var c piton.Checkpoint
	err = k.Store.Save(ctx, func(tx piton.CheckpointTx) error {
		if fresh {
			if err := k.create(ctx, tx, &w, &p); err != nil {
				return err
			}
		}
		if c, err = tx.Append(ctx, p); err != nil {
			return err
		}
		return tx.Count(ctx, "checkpoint_save_count", 1)
	})
	if err != nil {
		return Saved{}, err
	}
	if session.ID != "" && session.CurrentID != c.WorkflowID {
		if err := k.setCurrent(ctx, session.ID, c.WorkflowID); err != nil {
			// The state is safe; only the default of the next save is not set.
			k.log().WarnContext(ctx, "the session's current workflow was not noted", "session", session.ID, "err", err)
		}
	}
	return Saved{Checkpoint: c, Redacted: taken}, nil
}

// create adds a workflow unless another process made one of that name since
// we looked; then it is used.
func (k Keeper) create(ctx context.Context, tx piton.CheckpointTx, w *piton.Workflow, p *piton.Prepared) error {
	if w.Name != "" {
		had, err := tx.Workflow(ctx, w.Name, w.Project)
		if err == nil && had.Type != w.Type {
			return piton.Errorf(piton.Conflict, "save to "+w.Label(), "try again", "another process has just made it, with type %s", had.Type)
		}
		if err == nil {
			*w = had
			p.Record.WorkflowID = had.ID
			return nil
		}
		if piton.CodeOf(err) != piton.NotFound {
			return err
		}
	}
	return tx.PutWorkflow(ctx, *w)
}

// session finds the draft's session; one that is unknown is made, without an
// agent.
func (k Keeper) session(ctx context.Context, d *Draft) (piton.Session, error) {
	if d.Session == "" || k.Local == nil {
		return piton.Session{}, nil
	}
	s, err := k.Local.Session(ctx, d.Session)
	if err == nil {
		if d.Project == "" {
			d.Project = s.Project
		}
		return s, nil
	}
	if piton.CodeOf(err) != piton.NotFound || strings.HasPrefix(d.Session, piton.SessionPrefix) {
		return s, err
	}
	if err := checkText("--session", d.Session, maxName, false); err != nil {
		return s, err
	}
	now := k.now()
	s = piton.Session{ID: piton.NewID(piton.SessionPrefix), ClientID: d.Session, Project: d.Project, StartedAt: now, SeenAt: now}
	err = k.Local.Update(ctx, func(tx piton.LocalTx) error {
		if had, err := tx.SessionByClient(ctx, "", d.Session); err == nil {
			s = had
			return nil
		}
		return tx.PutSession(ctx, s)
	})
	return s, err
}

// workflow finds where to save to: the named one, else the session's current
// one, else a new one. fresh: it is not in the store yet.
func (k Keeper) workflow(ctx context.Context, d Draft, session piton.Session) (w piton.Workflow, fresh bool, err error) {
	ref := d.Workflow
	w = piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Project: d.Project, SessionID: session.ID}
	if ref == "" && session.CurrentID != "" {
		current, err := k.Store.Workflow(ctx, session.CurrentID, d.Project)
		if err == nil && fits(d, current) {
			return current, false, nil
		}
		if err != nil && piton.CodeOf(err) != piton.NotFound {
			return w, false, err
		}
	}
	if ref == "" {
		return w, true, nil
	}
	found, err := k.Store.Workflow(ctx, ref, d.Project)
	switch {
	case err == nil:
		return found, false, nil
	case piton.CodeOf(err) != piton.NotFound || strings.HasPrefix(ref, piton.WorkflowPrefix):
		return w, false, err
	}
	if clean, n := redact.Text(ref); n > 0 {
		return w, false, piton.Errorf(piton.Invalid, "save", "choose another name", "the workflow's name looks like a secret: %s", clean)
	}
	w.Name = ref
	return w, true, checkText("--workflow", ref, maxName, false)
}

// fits tells whether a save that names no workflow may go to the session's
// current one: a state or a phase of the caller's own does not belong among
// what the hooks captured of the conversation, nor a type into another's.
func fits(d Draft, w piton.Workflow) bool {
	if d.Type != "" {
		return d.Type == w.Type
	}
	if d.Phase != "" || d.PhaseNumber > 0 {
		return w.Type == piton.TypePhases
	}
	return d.State == nil || w.Type != piton.TypeSession
}

// defaultState is what a save without a state keeps.
func (k Keeper) defaultState(ctx context.Context, w piton.Workflow, fresh bool, s piton.Session, d Draft) ([]byte, error) {
	if s.Agent != "" && k.Capture != nil {
		state, err := k.Capture(ctx, s)
		if err == nil {
			return state, nil
		}
		k.log().WarnContext(ctx, "nothing was captured", "session", s.ID, "err", err)
	}
	if !fresh {
		branch := d.Branch
		if branch == "" {
			branch = piton.MainBranch
		}
		head, err := k.Store.Head(ctx, w.ID, branch)
		if err == nil {
			return k.state(ctx, head)
		}
		if piton.CodeOf(err) != piton.NotFound {
			return nil, err
		}
	}
	return []byte("{}"), nil
}

func (k Keeper) setCurrent(ctx context.Context, session, workflow string) error {
	return k.Local.Update(ctx, func(tx piton.LocalTx) error {
		s, err := tx.Session(ctx, session)
		if err != nil {
			return err
		}
		s.CurrentID = workflow
		return tx.PutSession(ctx, s)
	})
}
