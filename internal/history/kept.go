package history

import (
	"context"
	"slices"

	"github.com/piton-project/piton"
)

// keptList gathers checkpoints with what a policy asks of their workflows.
type keptList struct {
	Keeper
	all       []piton.Kept
	workflows map[string]piton.Workflow
	listed    map[string]bool
	needed    map[string]string // the unfinished runs, by the checkpoint they continue from; nil: not read
}

func newKeptList(k Keeper) *keptList {
	return &keptList{Keeper: k, workflows: map[string]piton.Workflow{}, listed: map[string]bool{}}
}

// add lists what fits a query and is not in the list yet.
func (l *keptList) add(ctx context.Context, q piton.Query) error {
	for c, err := range l.pages(ctx, q) {
		if err != nil {
			return err
		}
		w, known := l.workflows[c.WorkflowID]
		if !known {
			if w, err = l.Store.Workflow(ctx, c.WorkflowID, ""); err != nil && !notFound(err) {
				return err
			}
			l.workflows[c.WorkflowID] = w
		}
		if err := l.put(ctx, piton.Kept{Checkpoint: c, Head: c.ID == w.HeadID, Open: !w.Closed}); err != nil {
			return err
		}
	}
	return nil
}

// put adds a checkpoint that is not in the list yet.
func (l *keptList) put(ctx context.Context, x piton.Kept) (err error) {
	id := x.Checkpoint.ID
	if l.listed[id] {
		return nil
	}
	if l.needed == nil {
		if l.needed, err = l.unfinished(ctx, piton.RunQuery{}); err != nil {
			return err
		}
	}
	x.Run = l.needed[id]
	l.listed[id] = true
	l.all = append(l.all, x)
	return nil
}

// addSession lists a session's checkpoints, all others of their workflows, and
// of their projects as many heads of open workflows as the policy counts. Where
// sessions are bounded, the others that worked on these workflows are listed
// too: what goes of theirs leaves its place to ours. So what it costs does not
// grow with the store.
func (l *keptList) addSession(ctx context.Context, session, project string, policy piton.Retention) error {
	bySession := func(c piton.Checkpoint) (string, piton.Query) {
		return c.SessionID, piton.Query{Project: project, Session: c.SessionID}
	}
	byWorkflow := func(c piton.Checkpoint) (string, piton.Query) {
		return c.WorkflowID, piton.Query{Project: project, Workflow: c.WorkflowID}
	}
	if err := l.add(ctx, piton.Query{Project: project, Session: session}); err != nil {
		return err
	}
	widen := []func(piton.Checkpoint) (string, piton.Query){byWorkflow}
	if policy.PerSession > 0 {
		widen = append(widen, bySession, byWorkflow)
	}
	for _, by := range widen {
		if err := l.widen(ctx, by); err != nil {
			return err
		}
	}
	projects := map[string]bool{}
	for _, x := range slices.Clone(l.all) {
		if p := x.Checkpoint.Project; policy.OpenCap > 0 && !projects[p] {
			projects[p] = true
			if err := l.addOpen(ctx, p, policy.OpenCap); err != nil {
				return err
			}
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

// addOpen adds the n newest heads of a project's open workflows.
func (l *keptList) addOpen(ctx context.Context, project string, n int) error {
	for c, err := range l.pages(ctx, piton.Query{Project: project, Open: true}) {
		if err != nil {
			return err
		}
		if c.Project != project {
			continue // of all, where it has none
		}
		if err := l.put(ctx, piton.Kept{Checkpoint: c, Head: true, Open: true}); err != nil {
			return err
		}
		if n--; n == 0 {
			break
		}
	}
	return nil
}

// Outlook is what a policy would do to checkpoints now, and the age at which it
// deletes what nothing protects ("" for none). Its JSON is a contract
// (docs/json.md).
type Outlook struct {
	Keep        int    `json:"keep"`
	Archive     int    `json:"archive"`
	Delete      int    `json:"delete"`
	DeleteAfter string `json:"delete_after,omitempty"` // the age at which it deletes what is not protected; absent: none
}

// Outlook says what a policy would do to what an import has added. It looks at
// the workflows it was added to, and not at bounds over a whole project.
func (k Keeper) Outlook(ctx context.Context, policy piton.Retention, r Imported) (Outlook, error) {
	var o Outlook
	if err := k.ready("plan the retention"); err != nil && !r.DryRun {
		return o, err
	}
	if policy.DeleteAt > 0 {
		o.DeleteAfter = piton.Span(policy.DeleteAt)
	}
	l := newKeptList(k)
	for w := range r.workflows {
		if err := l.add(ctx, piton.Query{Workflow: w}); err != nil {
			return o, err
		}
	}
	added := make(map[string]bool, len(r.IDs))
	for _, id := range r.IDs {
		added[id] = true
	}
	for _, v := range policy.Plan(k.now().Time, l.all) {
		switch {
		case !added[v.ID]:
		case v.Action == piton.DeleteForever:
			o.Delete++
		case v.Action == piton.MoveToCold && k.Archive != nil:
			o.Archive++
		default:
			o.Keep++
		}
	}
	return o, nil
}
