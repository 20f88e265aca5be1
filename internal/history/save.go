package history

import (
	"context"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Saved is the answer to a save.
type Saved struct {
	piton.Checkpoint
	Redacted  int       `json:"redacted"`       // secrets taken out
	Paths     []string  `json:"redacted_paths"` // where each stood, as JSON pointers into an exported checkpoint
	StateFrom StateFrom `json:"state_from"`
}

// saved is the answer for a checkpoint that was prepared as p.
func saved(c piton.Checkpoint, p store.Prepared, from StateFrom) Saved {
	s := Saved{Checkpoint: c, Redacted: len(p.TakenOut), Paths: p.TakenOut, StateFrom: from}
	if s.Paths == nil {
		s.Paths = []string{}
	}
	return s
}

// StateFrom tells where the state of a save came from.
type StateFrom string

// Where the state of a save came from.
const (
	FromCaller  StateFrom = "caller"
	FromSession StateFrom = "session" // what a hook would capture
	FromEarlier StateFrom = "earlier" // the one before it, again
	FromNothing StateFrom = "nothing" // {}
)

// Save keeps a state; it is durable when Save returns. Invalid: the draft is
// not acceptable. NotFound: the workflow or the parent is not there. Conflict:
// the branch has moved on from the expected parent. On any error nothing was
// written.
func (k Keeper) Save(ctx context.Context, d Draft) (Saved, error) {
	session, made, err := k.session(ctx, &d)
	if err != nil {
		return Saved{}, err
	}
	if k.OneOff {
		session.CurrentID = "" // it lies in another store
	}
	k = k.writer(ctx, firstOf(d.Workflow, session.CurrentID))
	w, fresh, err := k.workflow(ctx, d, session)
	if err != nil {
		return Saved{}, err
	}
	if !fresh {
		if err := k.foreign(w); err != nil {
			return Saved{}, err
		}
	}
	if !fresh && d.Type != "" && d.Type != w.Type {
		return Saved{}, piton.Errorf(piton.Invalid, "save to "+w.Label(), "leave --type out, or save to another workflow",
			"the workflow is of type %s, not %s", w.Type, d.Type)
	}
	if !fresh {
		d.Type = w.Type
		if w.Project != "" {
			d.Project = w.Project // all of a workflow belongs to one
		}
	}
	if err := k.known(ctx, w, fresh, cleanName(d.Branch)); err != nil {
		return Saved{}, err
	}
	from := FromCaller
	if d.State == nil {
		if d.State, from, err = k.defaultState(ctx, w, fresh, session, d); err != nil {
			return Saved{}, err
		}
		if from == FromSession && fresh && !k.OneOff && session.WorkflowID == "" && w.Name == "" && d.Type == "" && d.Phase == "" && d.PhaseNumber == 0 {
			// Saved before the hooks saved anything: it begins the session's own
			// workflow, which they will go on with.
			d.Type = piton.TypeSession
			if own, ok := k.own(); ok {
				k.Store = own // this machine writes to it
			}
		}
	}
	if d.Parent != "" {
		// A prefix will do here as everywhere; another id is a conflict the
		// transaction finds.
		c, err := k.checkpoint(ctx, d.Parent)
		if err != nil {
			return Saved{}, err
		}
		d.Parent = c.ID
	}
	if d.Origin.Agent == "" {
		d.Origin.Agent, d.Origin.ClientVersion = session.Agent, session.ClientVersion
	}
	p, _, err := k.Prepare(d)
	if err != nil {
		return Saved{}, err
	}
	p.Record.WorkflowID = w.ID
	if fresh {
		w.Type, w.CreatedAt = p.Record.WorkflowType, p.Record.CreatedAt
	}
	if p, err = k.Store.Prepare(ctx, p); err != nil {
		return Saved{}, err
	}
	var c piton.Checkpoint
	err = k.write(ctx, &session, made, func(tx store.Tx) (string, error) {
		p.Record.SessionID, p.Record.SessionName = session.ID, SessionName(session)
		if fresh {
			w.SessionID = session.ID
			if err := k.create(ctx, tx, &w, &p); err != nil {
				return "", err
			}
		}
		clean, _ := redact.By(k.Redact, p)
		if c, err = tx.Append(ctx, clean); err != nil {
			return "", err
		}
		return c.WorkflowID, tx.Count(ctx, "checkpoint_save_count", 1)
	})
	if err != nil {
		return Saved{}, err
	}
	return saved(c, p, from), nil
}

// create adds a workflow unless another process made one of that name since
// we looked; then it is used.
func (k Keeper) create(ctx context.Context, tx store.Tx, w *piton.Workflow, p *store.Prepared) error {
	if w.Name == "" {
		return tx.PutWorkflow(ctx, redact.Value(*w))
	}
	// Of two at the same moment one finds nothing and yet comes too late; the
	// second look shows it the other's.
	var err error
	for range 2 {
		var had piton.Workflow
		had, err = tx.Workflow(ctx, w.Name, w.Project)
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
		if err = tx.PutWorkflow(ctx, redact.Value(*w)); piton.CodeOf(err) != piton.Conflict {
			return err
		}
	}
	return err
}

// session finds the draft's session. One that is unknown is made, without an
// agent; it is written with the checkpoint.
func (k Keeper) session(ctx context.Context, d *Draft) (s agent.Session, made bool, err error) {
	if d.Session == "" || k.Local == nil {
		return s, false, nil
	}
	s, err = k.Local.Session(ctx, cleanName(d.Session))
	if err == nil {
		if d.Project == "" {
			d.Project = s.Project
		}
		return s, false, nil
	}
	if piton.CodeOf(err) != piton.NotFound || strings.HasPrefix(d.Session, piton.SessionPrefix) {
		return s, false, err
	}
	if err := newName("--session", d.Session); err != nil {
		return s, false, err
	}
	now := k.now()
	return agent.Session{ID: piton.SessionID("", d.Session), ClientID: d.Session, Project: d.Project, StartedAt: now, SeenAt: now}, true, nil
}

// newName checks a caller's name for something that is to be made under it.
func newName(flag, name string) error {
	if clean, n := redact.Text(name); n > 0 {
		return piton.Errorf(piton.Invalid, "save", "choose another name", "%s looks like a secret: %s", flag, clean)
	}
	if strings.TrimSpace(name) == "" {
		return piton.Errorf(piton.Invalid, "save", "choose another name", "%s is blank", flag)
	}
	return checkText(flag, name, maxName, false)
}

// workflow finds where to save to: the named one, else the session's current
// one, else a new one. fresh: it is not in the store yet.
func (k Keeper) workflow(ctx context.Context, d Draft, session agent.Session) (w piton.Workflow, fresh bool, err error) {
	ref := d.Workflow
	w = piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Project: d.Project}
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
	found, err := k.Workflow(ctx, ref, d.Project)
	switch {
	case err == nil:
		return found, false, nil
	case piton.CodeOf(err) != piton.NotFound || piton.IsID(piton.WorkflowPrefix, ref):
		return w, false, err
	case strings.HasPrefix(ref, piton.WorkflowPrefix):
		return w, false, piton.Errorf(piton.Invalid, "save", "choose another name", "a workflow's own name does not begin with %s: %q", piton.WorkflowPrefix, ref)
	}
	w.Name = ref
	return w, true, newName("--workflow", ref)
}

// known refuses a branch that the workflow does not have: a slip in its name
// must not hide the work behind a second beginning.
func (k Keeper) known(ctx context.Context, w piton.Workflow, fresh bool, branch string) error {
	if piton.IsAside(branch) {
		return piton.Errorf(piton.Invalid, "save to "+w.Label(), "'piton fork ID --branch NAME' goes on from it", "the branch %s holds what an import has set aside, and nothing is saved to it", branch)
	}
	if fresh || branch == "" || branch == piton.MainBranch {
		return nil
	}
	_, err := k.Store.Head(ctx, w.ID, branch)
	if piton.CodeOf(err) == piton.NotFound {
		return piton.Errorf(piton.NotFound, "save to "+w.Label(), "leave --branch out for main; 'piton fork ID --branch NAME' starts a branch", "the workflow has no branch %s", branch)
	}
	return err
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

// defaultState is what a save without a state keeps, and where it came from.
func (k Keeper) defaultState(ctx context.Context, w piton.Workflow, fresh bool, s agent.Session, d Draft) (state []byte, from StateFrom, err error) {
	if s.Agent != "" && k.Capture != nil {
		state, err := k.Capture(ctx, s)
		if err == nil {
			return state, FromSession, nil
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
			state, err := k.state(ctx, head)
			return state, FromEarlier, err
		}
		if piton.CodeOf(err) != piton.NotFound {
			return nil, "", err
		}
	}
	return []byte("{}"), FromNothing, nil
}
