package history

import (
	"context"
	"iter"
	"slices"

	"github.com/piton-project/piton"
)

// kept lists the checkpoints as a policy sees them: all, or a project's; for a
// session what decides on its checkpoints.
func (k Keeper) kept(ctx context.Context, o PruneOptions) ([]piton.Kept, error) {
	l := keptList{Keeper: k, workflows: map[string]piton.Workflow{}, listed: map[string]bool{}}
	if o.Session == "" {
		err := l.add(ctx, piton.Query{Project: o.Project})
		return l.all, err
	}
	err := l.ofSession(ctx, o)
	return l.all, err
}

// keptList gathers checkpoints with what a policy asks of their workflows.
type keptList struct {
	Keeper
	all       []piton.Kept
	workflows map[string]piton.Workflow
	listed    map[string]bool
}

// add lists what fits a query and is not in the list yet.
func (l *keptList) add(ctx context.Context, q piton.Query) error {
	for c, err := range l.pages(ctx, q) {
		if err != nil {
			return err
		}
		if l.listed[c.ID] {
			continue
		}
		w, known := l.workflows[c.WorkflowID]
		if !known {
			if w, err = l.Store.Workflow(ctx, c.WorkflowID, ""); err != nil && piton.CodeOf(err) != piton.NotFound {
				return err
			}
			l.workflows[c.WorkflowID] = w
		}
		l.listed[c.ID] = true
		l.all = append(l.all, piton.Kept{Checkpoint: c, Head: c.ID == w.HeadID, Open: !w.Closed})
	}
	return nil
}

// ofSession lists a session's checkpoints, all others of their workflows, and
// of their projects as many heads of open workflows as the policy counts. Where
// sessions are bounded, the others that worked on these workflows are listed
// too: what goes of theirs leaves its place to ours. So what it costs does not
// grow with the store.
func (l *keptList) ofSession(ctx context.Context, o PruneOptions) error {
	session := func(c piton.Checkpoint) (string, piton.Query) {
		return c.SessionID, piton.Query{Project: o.Project, Session: c.SessionID}
	}
	workflow := func(c piton.Checkpoint) (string, piton.Query) {
		return c.WorkflowID, piton.Query{Project: o.Project, Workflow: c.WorkflowID}
	}
	if err := l.add(ctx, piton.Query{Project: o.Project, Session: o.Session}); err != nil {
		return err
	}
	widen := []func(piton.Checkpoint) (string, piton.Query){workflow}
	if o.Policy.PerSession > 0 {
		widen = append(widen, session, workflow)
	}
	for _, by := range widen {
		if err := l.widen(ctx, by); err != nil {
			return err
		}
	}
	if o.Policy.OpenCap == 0 {
		return nil
	}
	projects := map[string]bool{}
	for _, x := range l.all {
		projects[x.Checkpoint.Project] = true
	}
	for p := range projects {
		if err := l.openHeads(ctx, p, o.Policy.OpenCap); err != nil {
			return err
		}
	}
	return nil
}

// widen adds what has a key in common with what is listed.
func (l *keptList) widen(ctx context.Context, by func(piton.Checkpoint) (key string, q piton.Query)) error {
	asked := map[string]bool{"": true}
	for _, x := range slices.Clone(l.all) {
		key, q := by(x.Checkpoint)
		if asked[key] {
			continue
		}
		asked[key] = true
		if err := l.add(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// openHeads adds the newest heads of a project's open workflows.
func (l *keptList) openHeads(ctx context.Context, project string, n int) error {
	for c, err := range l.pages(ctx, piton.Query{Project: project, Open: true}) {
		if err != nil {
			return err
		}
		if c.Project != project {
			continue // of all, where it has none
		}
		if !l.listed[c.ID] {
			l.listed[c.ID] = true
			l.all = append(l.all, piton.Kept{Checkpoint: c, Head: true, Open: true})
		}
		if n--; n == 0 {
			break
		}
	}
	return nil
}

// pageSize is how many records are read at a time.
const pageSize = 500

// pages goes through all that fits a query, newest first.
func (k Keeper) pages(ctx context.Context, q piton.Query) iter.Seq2[piton.Checkpoint, error] {
	q.Limit = pageSize
	return func(yield func(piton.Checkpoint, error) bool) {
		for {
			page, err := k.Store.List(ctx, q)
			if err != nil {
				yield(piton.Checkpoint{}, err)
				return
			}
			for _, c := range page.Checkpoints {
				if !yield(c, nil) {
					return
				}
			}
			if q.Before = page.Next; q.Before == 0 {
				return
			}
		}
	}
}
