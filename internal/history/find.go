package history

import (
	"context"
	"fmt"
	"iter"
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
}

// Find returns the checkpoint a selector names. Invalid when it names none or
// more than one way.
func (k Keeper) Find(ctx context.Context, s Selector) (piton.Checkpoint, error) {
	if err := k.ready("find the checkpoint"); err != nil {
		return piton.Checkpoint{}, err
	}
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
		return k.newestOf(ctx, s.Session, cleanName(s.Branch))
	case s.Workflow != "":
		w, err := k.Workflow(ctx, s.Workflow, s.Project)
		if err != nil {
			return piton.Checkpoint{}, err
		}
		return k.Store.Head(ctx, w.ID, cleanName(s.Branch))
	}
	return k.checkpoint(ctx, s.ID)
}

// checkpoint finds a checkpoint by id, by an id's beginning, or by the id that
// another program gave it. A whole id goes first, then another program's: the
// beginning of one of ours must not stand for it by chance.
func (k Keeper) checkpoint(ctx context.Context, ref string) (piton.Checkpoint, error) {
	if err := k.ready("find checkpoint " + ref); err != nil {
		return piton.Checkpoint{}, err
	}
	c, err := refer(ref, piton.CheckpointPrefix, func(id string) (piton.Checkpoint, error) { return k.Store.Checkpoint(ctx, id) })
	if code := piton.CodeOf(err); ref == "" || piton.IsWholeID(piton.CheckpointPrefix, ref) || code != piton.NotFound && code != piton.Invalid {
		return c, err
	}
	page, err2 := k.Store.List(ctx, piton.Query{Tag: "id:" + ref, Limit: 2})
	if err2 == nil && len(page.Checkpoints) == 1 {
		return page.Checkpoints[0], nil
	}
	return c, err
}

// Workflow finds a workflow by id, by an id's beginning, by name, or by the id
// that another program gave it, which is a name too where it does not look like
// an id.
func (k Keeper) Workflow(ctx context.Context, ref, project string) (piton.Workflow, error) {
	if err := k.ready("find workflow " + ref); err != nil {
		return piton.Workflow{}, err
	}
	w, err := refer(ref, piton.WorkflowPrefix, func(id string) (piton.Workflow, error) { return k.Store.Workflow(ctx, id, project) })
	if err == nil && project != "" && w.Project != project && !strings.HasPrefix(ref, piton.WorkflowPrefix) {
		return k.Store.Workflow(ctx, ref, project) // names are those of a project
	}
	return w, err
}

// refer asks find for what a reference names: as it stands, and as the ids that
// an import derives from another program's.
func refer[T any](ref, prefix string, find func(string) (T, error)) (T, error) {
	short := piton.IsID(prefix, ref) && !piton.IsWholeID(prefix, ref)
	v, err := find(ref)
	if ref == "" || !short && piton.CodeOf(err) != piton.NotFound && piton.CodeOf(err) != piton.Invalid {
		return v, err
	}
	for _, id := range store.ImportedIDs(prefix, ref) {
		if imported, err2 := find(id); !notFound(err2) {
			return imported, err2
		}
	}
	return v, err
}

// sessions are the ids under which checkpoints of a session may lie: the one
// this machine knows, the one another machine gives a client's or a caller's
// session of that name, and the one of an import.
func (k Keeper) sessions(ctx context.Context, ref string) ([]string, error) {
	var ids []string
	var unknown error = piton.Errorf(piton.NotFound, "find session "+ref, "'sessions' shows those of this machine", "no such session")
	if k.Local != nil {
		s, err := k.Local.Session(ctx, cleanName(ref))
		if err != nil && !notFound(err) {
			return nil, err
		}
		if unknown = err; err == nil {
			ids = append(ids, s.ID)
		}
	}
	if ref == "" {
		return ids, unknown
	}
	ids = append(ids, ref, piton.SessionID("", ref), piton.DeriveID(piton.SessionPrefix, ref))
	for _, agent := range k.Agents {
		ids = append(ids, piton.SessionID(agent, ref))
	}
	ids = append(ids, store.ImportedIDs(piton.SessionPrefix, ref)...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if unknown == nil {
		return ids, nil
	}
	page, err := k.Store.List(ctx, piton.Query{Sessions: ids, Limit: 1})
	if err == nil && len(page.Checkpoints) == 0 {
		err = unknown
	}
	return ids, err
}

// resolve turns a caller's names in a query into ids.
func (k Keeper) resolve(ctx context.Context, q piton.Query) (piton.Query, error) {
	if err := k.ready("list checkpoints"); err != nil {
		return q, err
	}
	if q.Workflow != "" {
		w, err := k.Workflow(ctx, q.Workflow, q.Project)
		if err != nil {
			return q, err
		}
		// A workflow belongs to one project; its checkpoints are all its own.
		q.Workflow, q.Project = w.ID, ""
	}
	if q.Session != "" {
		ids, err := k.sessions(ctx, q.Session)
		if err != nil {
			return q, err
		}
		q.Session, q.Sessions = "", ids
	}
	q.Name, _ = k.Redact.Text(q.Name) // as it was saved
	q.Branch = cleanName(q.Branch)
	q.Shared = q.Shared || q.Open && k.unowned(q.Project)
	return q, nil
}

// unowned reports whether a project's open work takes in what names no project.
func (k Keeper) unowned(project string) bool {
	return project != "" && k.Unowned != nil && k.Unowned(project)
}

// pageSize is how many records are read at a time.
const pageSize = 500

// pages goes through all that fits a query with ids, newest first.
func (k Keeper) pages(ctx context.Context, q piton.Query) iter.Seq2[piton.Checkpoint, error] {
	return func(yield func(piton.Checkpoint, error) bool) {
		for q.Limit = pageSize; ; {
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

// all lists all that fits a query with ids, newest first.
func (k Keeper) all(ctx context.Context, q piton.Query) (cs []piton.Checkpoint, err error) {
	for c, err := range k.pages(ctx, q) {
		if err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	return cs, nil
}

// newestOf is a session's newest checkpoint. One that was set aside is it only
// where there is no other: an import takes nobody's place.
func (k Keeper) newestOf(ctx context.Context, session, branch string) (piton.Checkpoint, error) {
	q, err := k.resolve(ctx, piton.Query{Session: session, Branch: branch, Limit: 1})
	if err != nil {
		return piton.Checkpoint{}, err
	}
	page, err := k.Store.List(ctx, q)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	if len(page.Checkpoints) == 0 {
		return piton.Checkpoint{}, piton.Errorf(piton.NotFound, "find the newest checkpoint of "+session, "'list' shows what there is", "the session has none")
	}
	newest := page.Checkpoints[0]
	if branch != "" || !piton.IsAside(newest.Branch) {
		return newest, nil
	}
	for c, err := range k.pages(ctx, q) {
		if err != nil || !piton.IsAside(c.Branch) {
			return c, err
		}
	}
	return newest, nil
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
		if _, err := k.Store.Workflow(ctx, s.Name, s.Project); err == nil {
			hint = "a workflow has this name: 'list workflow NAME' shows its checkpoints, 'load' and 'resume' take 'workflow NAME'"
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
