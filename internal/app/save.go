package app

import (
	"cmp"
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/archive"
)

// Save makes a checkpoint of a draft in the project of dir. The project, the
// session, the episode and what git says are the caller's where the draft leaves
// them out.
func (a *App) Save(ctx context.Context, d history.Draft, dir, episode string) (history.Saved, error) {
	if episode = cmp.Or(episode, a.o.Getenv("PITON_EPISODE")); episode != "" {
		d.Tags = append(d.Tags, "episode:"+episode)
	}
	// git is asked while the store is opened.
	from := make(chan piton.Origin, 1)
	go func() { from <- a.origin(ctx, dir) }()
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
func (a *App) bound(ctx context.Context, k history.Keeper, saved history.Saved) {
	most, err := a.Retention()
	if err != nil || most.PerSession == 0 || saved.SessionID == "" {
		return
	}
	policy := piton.Retention{PerSession: most.PerSession, NamedCap: most.NamedCap}
	if _, err := k.Prune(ctx, history.PruneOptions{Policy: policy, Project: saved.Project, Session: saved.SessionID}); err != nil {
		a.o.Log.WarnContext(ctx, "the session's oldest checkpoints were not deleted", "session", saved.SessionID, "err", err)
	}
}

// Captures tells whether a save without a state takes what a hook would capture:
// whether it belongs to an agent's session.
func (a *App) Captures(ctx context.Context, session string) bool {
	st, err := a.Local(ctx, true)
	if err != nil {
		return false
	}
	s, err := st.Session(ctx, cmp.Or(session, a.Session(ctx)))
	return err == nil && s.Agent != ""
}

// Fork starts a branch from the checkpoint that d.From names, by id or by name.
func (a *App) Fork(ctx context.Context, d history.ForkDraft) (history.Forked, error) {
	if d.State != nil {
		d.Origin = a.origin(ctx, ".")
	}
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return history.Forked{}, err
	}
	if d.From, err = a.id(ctx, k, d.From); err != nil {
		return history.Forked{}, err
	}
	if p, err := a.Project(ctx, "", false); err == nil {
		d.Project = p.ID
	}
	d.Session = cmp.Or(d.Session, a.Session(ctx))
	return k.Fork(ctx, d)
}
