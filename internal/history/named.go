package history

import (
	"context"
	"strings"

	"github.com/piton-project/piton"
)

// namesShown bounds the checkpoints that an error lists.
const namesShown = 5

// named finds a checkpoint by its own name: the newest of that name in a
// project, or in the workflow or session that is given too. A name is unique in
// nothing, so where checkpoints of several workflows have it the answer is
// Invalid and lists them.
func (k Keeper) named(ctx context.Context, s Selector) (piton.Checkpoint, error) {
	op := "find checkpoint " + s.Name
	q := piton.Query{Name: s.Name, Session: s.Session, Workflow: s.Workflow, Project: s.Project, Branch: s.Branch}
	if s.Session != "" {
		q.Project = ""
	}
	var found []piton.Checkpoint
	if s.Session != "" || s.Workflow != "" || s.Project != "" {
		var err error
		if found, err = k.newestNamed(ctx, q); err != nil {
			return piton.Checkpoint{}, err
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if c, err := k.checkpoint(ctx, s.Name); err == nil {
			return c, nil // another program's id
		}
		hint := "'piton list' shows what there is"
		if _, err := k.Store.Workflow(ctx, s.Name, s.Project); err == nil {
			hint = "a workflow has this name: 'piton list --workflow NAME' shows its checkpoints, 'piton load' and 'piton resume' take --workflow NAME"
		}
		elsewhere, err := k.newestNamed(ctx, piton.Query{Name: s.Name})
		if err == nil && len(elsewhere) > 0 {
			hint = "another project has it, so give the id: " + k.candidates(elsewhere)
		}
		return piton.Checkpoint{}, piton.Errorf(piton.NotFound, op, hint, "no checkpoint has this name here")
	}
	return piton.Checkpoint{}, piton.Errorf(piton.Invalid, op, "give the id of the one you mean",
		"checkpoints of %d workflows have this name: %s", len(found), k.candidates(found))
}

// newestNamed are the newest checkpoints of a name, one of each workflow,
// newest first. What was set aside is a workflow's only where there is nothing
// else.
func (k Keeper) newestNamed(ctx context.Context, q piton.Query) ([]piton.Checkpoint, error) {
	q, err := k.resolve(ctx, q)
	if err != nil {
		return nil, err
	}
	page, err := k.Store.List(ctx, q)
	if err != nil {
		return nil, err
	}
	var list []piton.Checkpoint
	at := map[string]int{} // in list, by workflow
	for _, c := range page.Checkpoints {
		if c.Name != q.Name { // of a damaged record the name is not known
			continue
		}
		switch i, ok := at[c.WorkflowID]; {
		case !ok:
			at[c.WorkflowID] = len(list)
			list = append(list, c)
		case piton.IsAside(list[i].Branch) && !piton.IsAside(c.Branch):
			list[i] = c
		}
	}
	return list, nil
}

// newestOf is a session's newest checkpoint. What was set aside is it only where
// there is nothing else: an import takes nobody's place.
func (k Keeper) newestOf(ctx context.Context, session string, q piton.Query) (piton.Checkpoint, error) {
	q.Limit = 1
	page, err := k.Store.List(ctx, q)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	if len(page.Checkpoints) == 0 {
		return piton.Checkpoint{}, piton.Errorf(piton.NotFound, "find the newest checkpoint of "+session, "'piton list' shows what there is", "the session has none")
	}
	newest := page.Checkpoints[0]
	if q.Branch != "" || !piton.IsAside(newest.Branch) {
		return newest, nil
	}
	for c, err := range k.pages(ctx, q) {
		if err != nil {
			return piton.Checkpoint{}, err
		}
		if !piton.IsAside(c.Branch) {
			return c, nil
		}
	}
	return newest, nil
}

// candidates lists checkpoints for an error.
func (k Keeper) candidates(list []piton.Checkpoint) string {
	var rows []string
	for i, c := range list {
		if i == namesShown {
			rows = append(rows, "and "+itoa(len(list)-i)+" more")
			break
		}
		rows = append(rows, c.ID+" ("+c.Label()+", "+Age(k.now().Sub(c.CreatedAt.Time))+" ago)")
	}
	return strings.Join(rows, ", ")
}
