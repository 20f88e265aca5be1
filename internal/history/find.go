package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
)

// Selector names a checkpoint: by ID (or its beginning), by its Name in Project
// (or in a Session or Workflow), or as the newest of a Session or Workflow (in
// Project, where it is a name).
type Selector struct {
	ID, Name, Session, Workflow, Project string
	Branch                               string
	// Own: of a session, what was saved on purpose goes before what hooks captured.
	Own bool
}

// Find returns the checkpoint a selector names. Invalid when it names none or
// more than one way.
func (k Keeper) Find(ctx context.Context, s Selector) (piton.Checkpoint, error) {
	if err := k.ready("find the checkpoint"); err != nil {
		return piton.Checkpoint{}, err
	}
	if s.isWorkflow() {
		if finder, ok := k.Store.(store.HeadFinder); ok {
			if c, err := finder.HeadOf(ctx, s.Workflow, s.Project, cleanName(s.Branch)); !notFound(err) {
				return c, err
			}
		}
	}
	return k.find(ctx, s)
}

// open is Find with the state, where the store reads both at once; nil where it does
// not.
func (k Keeper) open(ctx context.Context, s Selector) (c piton.Checkpoint, state []byte, err error) {
	if err := k.ready("find the checkpoint"); err != nil {
		return c, nil, err
	}
	if finder, ok := k.Store.(store.HeadFinder); ok && s.isWorkflow() {
		if c, state, err = finder.HeadState(ctx, s.Workflow, s.Project, cleanName(s.Branch)); !notFound(err) {
			return c, state, err
		}
	}
	if finder, ok := k.Store.(store.StateFinder); ok && s.isWhole() {
		if c, state, err = finder.WithState(ctx, s.ID); err == nil {
			return c, state, nil
		}
	}
	c, err = k.find(ctx, s)
	return c, nil, err
}

// isWhole reports whether a selector is a whole id and nothing else.
func (s Selector) isWhole() bool {
	return s.Name+s.Session+s.Workflow == "" && piton.IsWholeID(piton.CheckpointPrefix, s.ID)
}

// isWorkflow reports whether a selector names a workflow and nothing else.
func (s Selector) isWorkflow() bool { return s.Workflow != "" && s.ID+s.Name+s.Session == "" }

// find is Find in several steps, which any store can take.
func (k Keeper) find(ctx context.Context, s Selector) (piton.Checkpoint, error) {
	if s.Name != "" && s.ID == "" && (s.Session == "" || s.Workflow == "") {
		return k.named(ctx, s)
	}
	given := 0
	for _, x := range []string{s.ID, s.Session, s.Workflow} {
		if x != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return piton.Checkpoint{}, piton.Errorf(piton.Invalid, "find the checkpoint", "give an id, 'session' or 'workflow', one of them", "%d ways were given to name it", given)
	case s.Session != "":
		return k.newestOf(ctx, s.Session, s.Branch, s.Own)
	case s.Workflow != "":
		w, err := k.Workflow(ctx, s.Workflow, s.Project)
		if err != nil {
			return piton.Checkpoint{}, err
		}
		return k.Store.Head(ctx, w.ID, cleanName(s.Branch))
	}
	return k.checkpoint(ctx, s.ID)
}

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
		hint := "'list' shows what there is"
		if w, err := k.Store.Workflow(ctx, s.Name, s.Project); err == nil {
			hint = "a workflow has this name: 'list workflow " + w.ID + "' shows its checkpoints, 'load workflow " + w.ID + "' loads the newest, and 'resume workflow " + w.ID + "' continues it"
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
func (k Keeper) newestNamed(ctx context.Context, q piton.Query) (list []piton.Checkpoint, err error) {
	if q, err = k.resolve(ctx, q); err != nil {
		return nil, err
	}
	page, err := k.Store.List(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, c := range page.Checkpoints {
		if c.Name != q.Name { // the name in a damaged record is not known
			continue
		}
		i := slices.IndexFunc(list, func(had piton.Checkpoint) bool { return had.WorkflowID == c.WorkflowID })
		if i < 0 {
			list = append(list, c)
		} else if piton.IsAside(list[i].Branch) && !piton.IsAside(c.Branch) {
			list[i] = c
		}
	}
	return list, nil
}

// maxCandidates bounds the checkpoints that an error lists.
const maxCandidates = 5

// candidates lists checkpoints for an error.
func (k Keeper) candidates(list []piton.Checkpoint) string {
	var rows []string
	for _, c := range list[:min(len(list), maxCandidates)] {
		rows = append(rows, c.ID+" ("+c.Label()+", "+states.Age(k.now().Sub(c.CreatedAt.Time))+" ago)")
	}
	if more := len(list) - len(rows); more > 0 {
		rows = append(rows, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(rows, ", ")
}
