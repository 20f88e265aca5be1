package history

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

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
	w, err := refer(ref, piton.WorkflowPrefix, k.workflowBy(ctx, ref, project))
	if err == nil && project != "" && w.Project != project && !strings.HasPrefix(ref, piton.WorkflowPrefix) {
		return k.Store.Workflow(ctx, ref, project) // names are those of a project
	}
	return w, err
}

// workflowBy finds a workflow by ref or by an id that is derived from it, all at once
// where the store can.
func (k Keeper) workflowBy(ctx context.Context, ref, project string) func(id string) (piton.Workflow, error) {
	one := func(id string) (piton.Workflow, error) { return k.Store.Workflow(ctx, id, project) }
	finder, ok := k.Store.(store.WorkflowFinder)
	if !ok || ref == "" {
		return one
	}
	ids := store.ImportedIDs(piton.WorkflowPrefix, ref)
	var more map[string]piton.Workflow
	return func(id string) (w piton.Workflow, err error) {
		if id == ref {
			w, more, err = finder.Workflows(ctx, ref, project, ids)
			return w, err
		}
		if w, ok := more[id]; ok {
			return w, nil
		}
		if more != nil {
			return w, store.NoWorkflow("find workflow " + id)
		}
		return one(id)
	}
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
