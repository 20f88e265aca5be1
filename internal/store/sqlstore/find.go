package sqlstore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/record"
)

const workflowColumns = `id, name, type, project, session_id, created_at, seq, head_id, closed`

func scanWorkflow(scan scanner) (piton.Workflow, error) {
	var w piton.Workflow
	var created int64
	var closed int
	err := scan(&w.ID, &w.Name, &w.Type, &w.Project, &w.SessionID, &created, &w.Seq, &w.HeadID, &closed)
	w.CreatedAt, w.Closed = piton.FromMillis(created), closed != 0
	return w, err
}

// Workflow finds a workflow by id, prefix or name.
func (r reader) Workflow(ctx context.Context, ref, project string) (piton.Workflow, error) {
	w, _, err := r.workflows(ctx, ref, project, nil)
	return w, err
}

// workflows is Workflow for ref, and for some whole ids, which are asked for only where
// ref is not there, if that can be known.
func (r reader) workflows(ctx context.Context, ref, project string, ids []string) (w piton.Workflow, more map[string]piton.Workflow, err error) {
	op := "find workflow " + ref
	var found bool
	var begins []string
	var asked []question
	it := func(x piton.Workflow) { w, found = x, true }
	isID := piton.IsID(piton.WorkflowPrefix, ref)
	if isID {
		asked = append(asked, beginsWith("workflows", ref, &begins), workflowWhere(it, `id >= $1 AND id < $2 ORDER BY id LIMIT 1`, ref, ref+"~"))
	} else {
		asked = append(asked, workflowWhere(it, `name = $1 AND name <> '' AND project = $2`, ref, project))
	}
	more = map[string]piton.Workflow{}
	for _, id := range ids {
		other := workflowWhere(func(x piton.Workflow) { more[id] = x }, `id = $1`, id)
		other.when = func() bool { return !found || len(begins) > 1 }
		asked = append(asked, other)
	}
	if err = r.ask(ctx, op, asked...); err != nil {
		return w, nil, err
	}
	id := w.ID
	if isID {
		id, err = store.ResolveID(op, piton.WorkflowPrefix, ref, begins)
	}
	switch {
	case err == nil && w.ID != id:
		w, err = r.workflow(ctx, op, `id = $1`, id) // it came between the two
	case err == nil && !found:
		err = store.NoWorkflow(op)
	}
	return w, more, err
}

func (r reader) workflow(ctx context.Context, op, where string, args ...any) (w piton.Workflow, err error) {
	var found bool
	err = r.ask(ctx, op, workflowWhere(func(x piton.Workflow) { w, found = x, true }, where, args...))
	if err == nil && !found {
		err = store.NoWorkflow(op)
	}
	return w, err
}

// workflowWhere is the question for one workflow.
func workflowWhere(into func(piton.Workflow), where string, args ...any) question {
	return question{Asked: Asked{`SELECT ` + workflowColumns + ` FROM workflows WHERE ` + where, args}, row: func(scan scanner) error {
		w, err := scanWorkflow(scan)
		into(w)
		return err
	}}
}

// resolve turns an id's unambiguous beginning into the id.
func (r reader) resolve(ctx context.Context, op, table, prefix, ref string) (string, error) {
	if err := store.CheckID(op, prefix, ref); err != nil {
		return "", err
	}
	var ids []string
	if err := r.ask(ctx, op, beginsWith(table, ref, &ids)); err != nil {
		return "", err
	}
	return store.ResolveID(op, prefix, ref, ids)
}

// Checkpoint finds a checkpoint by id or prefix.
func (r reader) Checkpoint(ctx context.Context, ref string) (c piton.Checkpoint, err error) {
	op := "find checkpoint " + ref
	if err := store.CheckID(op, piton.CheckpointPrefix, ref); err != nil {
		return c, err
	}
	var ids []string
	first := r.checkpointWhere(new(bool), &c, `c.ordinal = (SELECT x.ordinal FROM checkpoints x WHERE x.id >= $1 AND x.id < $2 ORDER BY x.id LIMIT 1)`, ref, ref+"~")
	first.when = func() bool { return len(ids) > 0 }
	if err = r.ask(ctx, op, beginsWith("checkpoints", ref, &ids), first); err != nil {
		return c, err
	}
	id, err := store.ResolveID(op, piton.CheckpointPrefix, ref, ids)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	if c.ID != id { // it came between the two, or the index is damaged
		c, err = r.checkpoint(ctx, op, byID, id)
	}
	if err == nil && c.ID != id {
		return piton.Checkpoint{}, wrongRow(op, c.ID)
	}
	return c, err
}

// byID finds a row by its id so that the row itself is read, the id too: read
// from the index, as SQLite would, a damaged index could pass off one
// checkpoint as another.
const byID = `c.ordinal = (SELECT x.ordinal FROM checkpoints x WHERE x.id = $1)`

// wrongRow says that an index has led to another checkpoint than was asked
// for.
func wrongRow(op, got string) error {
	return piton.Errorf(piton.Corrupt, op, "'verify' shows what is damaged", "an index is damaged: it leads to %s", got)
}

func (r reader) checkpoint(ctx context.Context, op, where string, args ...any) (c piton.Checkpoint, err error) {
	var found bool
	err = r.ask(ctx, op, r.checkpointWhere(&found, &c, where, args...))
	if err == nil && !found {
		err = store.NoCheckpoint(op)
	}
	return c, err
}

// there reports whether a checkpoint is in the store, and returns it.
func (r reader) there(ctx context.Context, op, id string) (c piton.Checkpoint, found bool, err error) {
	c, err = r.checkpoint(ctx, op, byID, id)
	if piton.CodeOf(err) == piton.NotFound {
		return c, false, nil
	}
	return c, err == nil, err
}

// Head is the newest checkpoint of a branch, or of all branches.
func (r reader) Head(ctx context.Context, workflow, branch string) (piton.Checkpoint, error) {
	op := "find the head of " + workflow
	if branch == "" {
		return r.checkpoint(ctx, op, `c.id = (SELECT head_id FROM workflows WHERE id = $1)`, workflow)
	}
	return r.checkpoint(ctx, op, `c.id = (SELECT head_id FROM branches WHERE workflow_id = $1 AND name = $2)`, workflow, branch)
}

// beginsWith finds the ids that begin with a reference.
func beginsWith(table, ref string, ids *[]string) question {
	return question{Asked: Asked{`SELECT id FROM ` + table + ` WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3`, params{ref, ref + "~", store.MaxCandidates + 1}}, row: func(scan scanner) error {
		id, err := value[string](scan)
		*ids = append(*ids, id)
		return err
	}}
}

// checkpointWhere is the question for one checkpoint. Where its state lies is remembered,
// if that saves anything.
func (r reader) checkpointWhere(found *bool, c *piton.Checkpoint, where string, args ...any) question {
	columns, from := record.CheckpointColumns, checkpointFrom
	if r.seen != nil {
		columns, from = columns+`, c.branch, c.epoch, m.data`, from+manifestJoin
	}
	return question{Asked: Asked{`SELECT ` + columns + from + `WHERE ` + where, args}, row: func(scan scanner) (err error) {
		var k kept
		*found = true
		*c, err = record.Checkpoint(func(into ...any) error {
			if r.seen != nil {
				into = append(into, &k.epoch.branch, &k.epoch.n, &k.manifest)
			}
			return scan(into...)
		})
		if err == nil && k.manifest != nil && k.of(*c) {
			r.seen.remember(*c, k)
		}
		return err
	}}
}
