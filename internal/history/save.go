package history

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Saved is the answer to a save.
type Saved struct {
	piton.Checkpoint           // what was saved
	Redacted         int       `json:"redacted"`       // how many secrets were removed; 0 if none
	Paths            []string  `json:"redacted_paths"` // where each was, as a JSON pointer into an exported checkpoint: `/state/db/password`, `/tags/0`
	StateFrom        StateFrom `json:"state_from"`     // where the state came from
}

// StateFrom tells where the state of a save came from.
type StateFrom string

// Where the state of a save came from.
const (
	FromCaller  StateFrom = "caller"  // it was given
	FromSession StateFrom = "session" // what a hook would capture
	FromEarlier StateFrom = "earlier" // the parent's state again
	FromNothing StateFrom = "nothing" // it is `{}`
)

// Save keeps a state; it is durable when Save returns. Invalid: the draft is
// not acceptable. NotFound: the workflow or the parent is not there. Conflict:
// the branch has moved on from the expected parent. On any error nothing was
// written.
func (k Keeper) Save(ctx context.Context, d Draft) (Saved, error) {
	if err := k.ready("save"); err != nil {
		return Saved{}, err
	}
	if d.Episode != "" {
		d.Tags = append(slices.Clone(d.Tags), "episode:"+d.Episode)
	}
	s, err := k.session(ctx, &d)
	if err != nil {
		return Saved{}, err
	}
	if k.OneOff {
		s.CurrentID = "" // it lies in another store
	}
	k = k.writer(ctx, cmp.Or(d.Workflow, s.CurrentID))
	w, fresh, err := k.workflow(ctx, d, s)
	if err != nil {
		return Saved{}, err
	}
	if err := k.mayWrite(ctx, w, fresh, &d); err != nil {
		return Saved{}, err
	}
	from := FromCaller
	if d.State == nil {
		d.Verbatim = false // nobody but the caller says so of a state
		if d.State, from, err = k.defaultState(ctx, w, fresh, s, d); err != nil {
			return Saved{}, err
		}
		unnamed := w.Name == "" && d.Type == "" && !d.isPhase()
		first := fresh && s.WorkflowID == "" && !k.OneOff
		if from == FromSession && first && unnamed {
			// Saved before the hooks saved anything: it begins the session's own
			// workflow, which they will go on with.
			d.Type = piton.TypeSession
			if own, ok := k.own(); ok {
				k.Store = own // this machine writes to it
			}
		}
	}
	if d.Parent != "" && !piton.IsWholeID(piton.CheckpointPrefix, d.Parent) {
		// The beginning of an id will do here as everywhere; the transaction looks for a
		// whole one, and finds that another is a conflict.
		c, err := k.checkpoint(ctx, d.Parent)
		if err != nil {
			return Saved{}, err
		}
		d.Parent = c.ID
	}
	p, err := k.prepared(d, s)
	if err != nil {
		return Saved{}, err
	}
	p.Record.WorkflowID = w.ID
	if fresh {
		w.Type, w.CreatedAt = p.Record.WorkflowType, p.Record.CreatedAt
	}
	if !fresh {
		return k.commit(ctx, p, s, from, func(tx store.Tx, p *store.Prepared) error { return d.once(ctx, tx, p) })
	}
	saved, err := k.begin(ctx, p, s, from, func(tx store.Tx, p *store.Prepared) (*piton.Workflow, error) {
		w.SessionID, p.Record.WorkflowID = p.Record.SessionID, w.ID
		if err := d.once(ctx, tx, p); err != nil {
			return nil, err
		}
		if _, ok := tx.Writer.(store.Beginner); ok {
			return &w, nil
		}
		p.Record.WorkflowID, err = create(ctx, tx, w)
		return nil, err
	})
	if !errors.Is(err, store.ErrNameTaken) {
		return saved, err
	}
	return k.commit(ctx, p, s, from, func(tx store.Tx, p *store.Prepared) (err error) {
		w.SessionID = p.Record.SessionID
		if p.Record.WorkflowID, err = create(ctx, tx, w); err != nil {
			return err
		}
		return d.once(ctx, tx, p)
	})
}

// once notes the caller's key with the checkpoint.
func (d Draft) once(ctx context.Context, tx store.Tx, p *store.Prepared) error {
	switch {
	case d.Once == nil:
		return nil
	case tx.Runs == nil:
		return piton.Errorf(piton.Invalid, "save", "leave the key out, or choose a SQLite or PostgreSQL store", "this store keeps no keys")
	}
	key := *d.Once
	key.Ref = p.Record.ID
	return tx.Runs.PutStartKey(ctx, redact.Value(key))
}

// SaveWith saves a draft that has a state, to the workflow and branch that with
// gives it; the draft names them too, the workflow by its id, so that the store can
// lean on what they hold. with runs in the same transaction ahead of the checkpoint,
// and may write what belongs to it, such as the row of a run. No session's current
// workflow changes. Where with fails nothing is written. It may run more than once
// (store.Checkpoints.Save). The id of the checkpoint is its Record's.
func (k Keeper) SaveWith(ctx context.Context, d Draft, with func(tx store.Tx, p *store.Prepared) error) (Saved, error) {
	if err := k.ready("save"); err != nil {
		return Saved{}, err
	}
	p, err := k.prepared(d, caller{})
	if err != nil {
		return Saved{}, err
	}
	p.Record.WorkflowID = d.Workflow
	return k.commit(ctx, p, caller{}, FromCaller, with)
}

// caller is the session of a save, and whether it is still to be written.
type caller struct {
	agent.Session
	made bool
}

// session finds the draft's caller. One that is unknown is made, without an
// agent; it is written with the checkpoint.
func (k Keeper) session(ctx context.Context, d *Draft) (caller, error) {
	if d.Session == "" || k.Local == nil {
		return caller{}, nil
	}
	s, err := k.Local.Session(ctx, cleanName(d.Session))
	if err == nil {
		d.Project = cmp.Or(d.Project, s.Project)
		return caller{Session: s}, nil
	}
	if !notFound(err) || strings.HasPrefix(d.Session, piton.SessionPrefix) {
		return caller{}, err
	}
	if err := newName("the session's name", d.Session); err != nil {
		return caller{}, err
	}
	now := k.now()
	return caller{agent.Session{Identity: agent.Identity{ID: piton.SessionID("", d.Session), ClientID: d.Session, Project: d.Project, StartedAt: now, SeenAt: now}}, true}, nil
}

// writer is the keeper over the one store that may write to a workflow: what
// hooks save has its final numbers on this machine, so whatever else is saved
// to it is saved here too and copied from here.
func (k Keeper) writer(ctx context.Context, workflow string) Keeper {
	own, ok := k.own()
	if !ok || workflow == "" || k.OneOff {
		return k
	}
	if w, err := own.Workflow(ctx, workflow, ""); err == nil && w.Type == piton.TypeSession {
		k.Store = own
	}
	return k
}

// workflow finds where to save to: the named one, else the session's current
// one, else a new one. fresh: it is not in the store yet.
func (k Keeper) workflow(ctx context.Context, d Draft, s caller) (w piton.Workflow, fresh bool, err error) {
	ref := d.Workflow
	w = piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Project: d.Project, Name: ref}
	if ref == "" && s.CurrentID != "" {
		current, err := k.Store.Workflow(ctx, s.CurrentID, d.Project)
		if err == nil && fits(d, current) {
			return current, false, nil
		}
		if err != nil && !notFound(err) {
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
	case !notFound(err) || piton.IsID(piton.WorkflowPrefix, ref):
		return w, false, err
	case strings.HasPrefix(ref, piton.WorkflowPrefix):
		return w, false, piton.Errorf(piton.Invalid, "save", "choose another name", "a workflow's own name does not begin with %s: %q", piton.WorkflowPrefix, ref)
	}
	return w, true, newName("the workflow's name", ref)
}

// fits reports whether a save that names no workflow may go to the session's
// current one: a state or a phase of the caller's own does not belong among
// what the hooks captured of the conversation, nor a type into another's.
func fits(d Draft, w piton.Workflow) bool {
	switch {
	case d.Type != "":
		return d.Type == w.Type
	case d.isPhase():
		return w.Type == piton.TypePhases
	}
	return d.State == nil || w.Type != piton.TypeSession
}

// mayWrite refuses a draft that does not fit its workflow, and gives it the
// workflow's type and project. A branch that the workflow does not have is
// refused too: a slip in its name must not hide the work behind a second
// beginning.
func (k Keeper) mayWrite(ctx context.Context, w piton.Workflow, fresh bool, d *Draft) error {
	op := "save to " + w.Label()
	if !fresh {
		if err := k.foreign(w); err != nil {
			return err
		}
		if d.Type != "" && d.Type != w.Type {
			return piton.Errorf(piton.Invalid, op, "leave 'type' out, or save to another workflow", "the workflow is of type %s, not %s", w.Type, d.Type)
		}
		d.Type, d.Project = w.Type, cmp.Or(w.Project, d.Project) // all of a workflow belongs to one
	}
	branch := cleanName(d.Branch)
	if piton.IsAside(branch) {
		return piton.Errorf(piton.Invalid, op, "'fork ID branch NAME' goes on from it", "the branch %s holds what an import has set aside, and nothing is saved to it", branch)
	}
	if fresh || branch == "" || branch == piton.MainBranch {
		return nil
	}
	_, err := k.Store.Head(ctx, w.ID, branch)
	if notFound(err) {
		return piton.Errorf(piton.NotFound, op, "leave 'branch' out for main; 'fork ID branch NAME' starts a branch", "the workflow has no branch %s", branch)
	}
	return err
}

// foreign refuses to write to a session's workflow that another machine writes
// to: both would give out the same numbers.
func (k Keeper) foreign(w piton.Workflow) error {
	if _, ok := k.own(); !ok || w.Type != piton.TypeSession {
		return nil
	}
	return piton.Errorf(piton.Conflict, "save to "+w.Label(), "go on in a workflow of your own: 'workflow NAME'; 'resume' gives an agent what is there",
		"the workflow belongs to a session on another machine")
}

// defaultState is what a save without a state keeps, and where it came from.
func (k Keeper) defaultState(ctx context.Context, w piton.Workflow, fresh bool, s caller, d Draft) (state []byte, from StateFrom, err error) {
	if s.Agent != "" && k.Capture != nil {
		state, err := k.Capture(ctx, s.Session)
		if err == nil {
			return state, FromSession, nil
		}
		k.log().WarnContext(ctx, "nothing was captured", "session", s.ID, "err", err)
	}
	if !fresh {
		head, err := k.Store.Head(ctx, w.ID, cmp.Or(d.Branch, piton.MainBranch))
		if err == nil {
			state, err := k.state(ctx, head)
			return state, FromEarlier, err
		}
		if !notFound(err) {
			return nil, "", err
		}
	}
	return []byte("{}"), FromNothing, nil
}

// prepared is what Prepare makes of a draft of a session.
func (k Keeper) prepared(d Draft, s caller) (store.Prepared, error) {
	if d.Origin.Agent == "" {
		d.Origin.Agent, d.Origin.ClientVersion = s.Agent, s.ClientVersion
	}
	p, _, err := k.Prepare(d)
	return p, err
}

// commit saves what was prepared, in one transaction in which place gives it
// its place first.
func (k Keeper) commit(ctx context.Context, p store.Prepared, s caller, from StateFrom, place func(store.Tx, *store.Prepared) error) (Saved, error) {
	return k.begin(ctx, p, s, from, func(tx store.Tx, p *store.Prepared) (*piton.Workflow, error) { return nil, place(tx, p) })
}

// begin is commit where a workflow that place returns begins with the checkpoint
// (store.Beginner).
func (k Keeper) begin(ctx context.Context, p store.Prepared, s caller, from StateFrom, place func(store.Tx, *store.Prepared) (*piton.Workflow, error)) (Saved, error) {
	p, err := k.Store.Prepare(ctx, p)
	if err != nil {
		return Saved{}, err
	}
	saved := Saved{Redacted: len(p.TakenOut), Paths: append([]string{}, p.TakenOut...), StateFrom: from}
	err = k.write(ctx, &s, func(tx store.Tx) (workflow string, err error) {
		p.Record.SessionID, p.Record.SessionName = s.ID, SessionName(s.Session)
		begins, err := place(tx, &p)
		if err != nil {
			return "", err
		}
		clean, _ := redact.By(k.Redact, p)
		if begins != nil {
			saved.Checkpoint, err = tx.Writer.(store.Beginner).Begin(ctx, redact.Value(*begins), clean)
		} else {
			saved.Checkpoint, err = tx.Append(ctx, clean)
		}
		if err != nil {
			return "", err
		}
		return saved.WorkflowID, tx.Count(ctx, saved.CreatedAt, saved.Project, store.Saves(saved.StateBytes, time.Since(p.Began).Milliseconds())...)
	})
	if err != nil {
		return Saved{}, err
	}
	return saved, nil
}

// create adds a workflow unless another process made one of that name since
// we looked; then that one is used. It returns its id.
func create(ctx context.Context, tx store.Tx, w piton.Workflow) (id string, err error) {
	if w.Name == "" {
		return w.ID, tx.PutWorkflow(ctx, redact.Value(w))
	}
	// Of two at the same moment one finds nothing and yet comes too late; the
	// second look shows it the other's.
	for range 2 {
		var had piton.Workflow
		had, err = tx.Workflow(ctx, w.Name, w.Project)
		if err == nil && had.Type != w.Type {
			return "", piton.Errorf(piton.Conflict, "save to "+w.Label(), "try again", "another process has just made it, with type %s", had.Type)
		}
		if err == nil || !notFound(err) {
			return had.ID, err
		}
		if err = tx.PutWorkflow(ctx, redact.Value(w)); piton.CodeOf(err) != piton.Conflict {
			return w.ID, err
		}
	}
	return "", err
}

// write runs save, which returns the workflow it saved to, and notes it as the
// session's current one. Where sessions and checkpoints lie in one file all of
// it is one transaction.
func (k Keeper) write(ctx context.Context, s *caller, save func(store.Tx) (string, error)) error {
	if s.ID == "" {
		return k.Store.Save(ctx, func(tx store.Tx) error { _, err := save(tx); return err })
	}
	if k.oneFile() {
		return k.Local.Update(ctx, func(tx store.LocalTx) error {
			if err := s.put(ctx, tx); err != nil {
				return err
			}
			workflow, err := save(tx.Tx)
			if err != nil {
				return err
			}
			return s.setCurrent(ctx, tx, workflow)
		})
	}
	if err := k.Local.Update(ctx, func(tx store.LocalTx) error { return s.put(ctx, tx) }); err != nil {
		return err
	}
	var workflow string
	err := k.Store.Save(ctx, func(tx store.Tx) (err error) { workflow, err = save(tx); return err })
	if err != nil {
		return err
	}
	if k.OneOff {
		return nil // the session goes on in its own store
	}
	if err := k.Local.Update(ctx, func(tx store.LocalTx) error { return s.setCurrent(ctx, tx, workflow) }); err != nil {
		// The state is safe; only the default of the next save is not set.
		k.log().WarnContext(ctx, "the session's current workflow was not noted", "session", s.ID, "err", err)
	}
	return nil
}

// put writes a new session, or takes the one that another process has made of
// that name since we looked.
func (s *caller) put(ctx context.Context, tx store.LocalTx) error {
	if !s.made {
		return nil
	}
	had, err := tx.SessionByClient(ctx, s.Agent, s.ClientID)
	if err == nil {
		s.Session = had
		return nil
	}
	if !notFound(err) {
		return err
	}
	return tx.PutSession(ctx, redact.Value(s.Session))
}

// setCurrent notes the workflow that the session saves to.
func (s *caller) setCurrent(ctx context.Context, tx store.LocalTx, workflow string) error {
	if s.CurrentID == workflow {
		return nil
	}
	now, err := tx.Session(ctx, s.ID)
	if err != nil {
		return err
	}
	now.CurrentID = workflow
	w, err := tx.Workflow(ctx, workflow, "")
	own := err == nil && w.Type == piton.TypeSession && w.SessionID == now.ID
	if own && now.WorkflowID == "" && now.Agent != "" {
		now.WorkflowID = workflow
	}
	return tx.PutSession(ctx, redact.Value(now))
}
