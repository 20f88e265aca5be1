package app

import (
	"cmp"
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
)

// Save makes a checkpoint. The project, the session, the episode and what git says are
// the caller's where the request leaves them out. Invalid where it says nothing at all and
// the caller is Strict.
// Under a key, asked again for the same, it answers with the checkpoint that is there;
// Conflict where the key was used for something else.
func (a Checkpoints) Save(ctx context.Context, r piton.SaveRequest) (history.Saved, error) {
	said := r.State != nil || r.Describes()
	if a.Options.Strict && !said && !a.captures(ctx, r.Session) {
		return history.Saved{}, piton.Errorf(piton.Invalid, "save", "give 'state', a JSON object with what is done and what comes next, or 'name'",
			"there is nothing to save: no state was given, and none is captured here")
	}
	d := history.Draft{SaveRequest: r}
	if r.Key == "" {
		return a.save(ctx, d)
	}
	if err := caller.CheckKey("save", r.Key); err != nil {
		return history.Saved{}, err
	}
	p, err := a.Project(ctx, r.Project, true)
	if err != nil {
		return history.Saved{}, err
	}
	d.Once = &piton.StartKey{Scope: "save " + p.ID, Key: r.Key, Sum: caller.SumOf(r), At: a.Now()}
	return a.once(ctx, "save", *d.Once, func() (history.Saved, error) { return a.save(ctx, d) })
}

// once saves under a key, or answers with the checkpoint that is there.
func (a Checkpoints) once(ctx context.Context, op string, k piton.StartKey, save func() (history.Saved, error)) (history.Saved, error) {
	saved, found, err := a.savedOnce(ctx, op, k)
	if found || err != nil {
		return saved, err
	}
	saved, err = save()
	if piton.CodeOf(err) == piton.Conflict {
		if before, found, errBefore := a.savedOnce(ctx, op, k); found {
			return before, errBefore
		}
	}
	return saved, err
}

func (a Checkpoints) save(ctx context.Context, d history.Draft) (history.Saved, error) {
	dir := d.Project
	d.Episode = cmp.Or(d.Episode, a.Options.Getenv("PITON_EPISODE"))
	// git is asked while the store is opened.
	from := make(chan piton.Origin, 1)
	go func() { from <- a.Origin(ctx, dir) }()
	k, err := a.Keeper(ctx, false)
	if err != nil {
		return history.Saved{}, err
	}
	p, err := a.Project(ctx, dir, true)
	if err != nil {
		return history.Saved{}, err
	}
	d = Inner(d)
	d.Project, d.Session = p.ID, cmp.Or(d.Session, a.Session(ctx))
	d.Origin = <-from
	saved, err := k.Save(ctx, d)
	if err == nil {
		a.bound(ctx, k, saved)
	}
	return saved, err
}

// Inner is a draft whose state is another program's whole checkpoint, as that
// checkpoint: its state, and of its record what the draft leaves out.
func Inner(d history.Draft) history.Draft {
	e, ok := archive.Whole(d.State)
	if !ok {
		return d
	}
	c := e.Checkpoint
	d.State, d.Type, d.Workflow = e.State, cmp.Or(d.Type, e.Workflow.Type), cmp.Or(d.Workflow, e.Workflow.Name)
	d.StepName, d.Name, d.Description = cmp.Or(d.StepName, c.StepName), cmp.Or(d.Name, c.Name), cmp.Or(d.Description, c.Description)
	d.Step, d.Progress, d.TokenUsage = cmp.Or(d.Step, c.StepNumber), cmp.Or(d.Progress, c.Progress), cmp.Or(d.TokenUsage, c.TokenUsage)
	d.Trigger, d.DurationMS = cmp.Or(d.Trigger, c.Trigger), cmp.Or(d.DurationMS, c.DurationMS)
	d.Tags = append(d.Tags, c.Tags...)
	return d
}

// bound keeps a session's checkpoints within checkpoints.max_per_session, where
// that is set.
func (a Checkpoints) bound(ctx context.Context, k history.Keeper, saved history.Saved) {
	most, err := a.Retention()
	if err != nil || most.PerSession == 0 || saved.SessionID == "" {
		return
	}
	policy := piton.Retention{PerSession: most.PerSession, NamedCap: most.NamedCap}
	if _, err := k.Prune(ctx, history.PruneOptions{Policy: policy, Project: saved.Project, Session: saved.SessionID}); err != nil {
		a.Options.Log.WarnContext(ctx, "the session's oldest checkpoints were not deleted", "session", saved.SessionID, "err", err)
	}
}

// captures tells whether a save without a state takes what a hook would capture:
// whether it belongs to an agent's session.
func (a Checkpoints) captures(ctx context.Context, session string) bool {
	st, err := a.Local(ctx, true)
	if err != nil {
		return false
	}
	s, err := st.Session(ctx, cmp.Or(session, a.Session(ctx)))
	return err == nil && s.Agent != ""
}

// Fork starts a branch from a checkpoint. Under a key it is as with Save.
func (a Checkpoints) Fork(ctx context.Context, r piton.ForkRequest) (f history.Forked, err error) {
	d := history.ForkDraft{ForkRequest: r}
	if r.Key == "" {
		return a.fork(ctx, d)
	}
	if err := caller.CheckKey("fork", r.Key); err != nil {
		return f, err
	}
	d.Once = &piton.StartKey{Scope: "fork " + r.From, Key: r.Key, Sum: caller.SumOf(r), At: a.Now()}
	f.Saved, err = a.once(ctx, "fork", *d.Once, func() (history.Saved, error) {
		f, err = a.fork(ctx, d)
		return f.Saved, err
	})
	return f, err
}

func (a Checkpoints) fork(ctx context.Context, d history.ForkDraft) (history.Forked, error) {
	r := d.ForkRequest
	if d.State != nil {
		d.Origin = a.Origin(ctx, ".")
	}
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return history.Forked{}, err
	}
	if d.From, err = a.id(ctx, k, d.From, r.Project); err != nil {
		return history.Forked{}, err
	}
	if p, err := a.Project(ctx, r.Project, false); err == nil {
		d.Project = p.ID
	}
	d.Session = cmp.Or(d.Session, a.Session(ctx))
	return k.Fork(ctx, d)
}

// savedOnce finds the checkpoint of a key.
func (a Checkpoints) savedOnce(ctx context.Context, op string, want piton.StartKey) (s history.Saved, found bool, err error) {
	k, err := a.Keeper(ctx, false)
	if err != nil {
		return s, false, err
	}
	for _, runs := range []store.RunReader{k.Store.Runs(), a.LocalStore.Runs()} { // what belongs to a session is saved here
		if runs == nil {
			return s, false, piton.Errorf(piton.Invalid, op, "leave the key out, or choose a SQLite or PostgreSQL store", "a folder of files keeps no keys")
		}
		had, err := runs.StartKey(ctx, want.Scope, want.Key)
		switch {
		case caller.Missing(err):
			continue
		case err != nil:
			return s, false, err
		case had.Sum != want.Sum:
			return s, true, piton.Errorf(piton.Conflict, op, "take another key for another state", "the key %q has saved %s with another body", had.Key, had.Ref)
		}
		s.Checkpoint, err = k.Find(ctx, history.Selector{ID: had.Ref})
		if caller.Missing(err) {
			err = piton.Errorf(piton.Conflict, op, "take another key to save it again", "the key %q has saved %s at %s, which is no longer kept", had.Key, had.Ref, had.At)
		}
		s.Paths, s.StateFrom = []string{}, history.FromCaller
		return s, true, err
	}
	return s, false, nil
}
