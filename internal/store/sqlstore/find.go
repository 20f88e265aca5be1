package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
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
	op := "find workflow " + ref
	if r.d.Pipelined {
		w, _, err := r.workflowAhead(ctx, op, ref, project, nil)
		return w, err
	}
	if piton.IsID(piton.WorkflowPrefix, ref) {
		id, err := r.resolve(ctx, op, "workflows", piton.WorkflowPrefix, ref)
		if err != nil {
			return piton.Workflow{}, err
		}
		return r.workflow(ctx, op, `id = $1`, id)
	}
	return r.workflow(ctx, op, `name = $1 AND name <> '' AND project = $2`, ref, project)
}

func (r reader) workflow(ctx context.Context, op, where string, args ...any) (piton.Workflow, error) {
	w, err := scanWorkflow(r.q.QueryRowContext(ctx, `SELECT `+workflowColumns+` FROM workflows WHERE `+where, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return w, store.NoWorkflow(op)
	}
	if err != nil {
		return w, r.d.fail(op, err)
	}
	return w, nil
}

// resolve turns an id's unambiguous beginning into the id.
func (r reader) resolve(ctx context.Context, op, table, prefix, ref string) (string, error) {
	if err := store.CheckID(op, prefix, ref); err != nil {
		return "", err
	}
	ids, err := collect(ctx, r, op, value[string], `SELECT id FROM `+table+` WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3`, ref, ref+"~", store.MaxCandidates+1)
	if err != nil {
		return "", err
	}
	return store.ResolveID(op, prefix, ref, ids)
}

// Checkpoint finds a checkpoint by id or prefix.
func (r reader) Checkpoint(ctx context.Context, ref string) (piton.Checkpoint, error) {
	op := "find checkpoint " + ref
	if r.d.Pipelined {
		return r.checkpointAhead(ctx, op, ref)
	}
	id, err := r.resolve(ctx, op, "checkpoints", piton.CheckpointPrefix, ref)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	c, err := r.checkpoint(ctx, op, byID, id)
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

func (r reader) checkpoint(ctx context.Context, op, where string, args ...any) (piton.Checkpoint, error) {
	if r.seen != nil {
		return r.lookAt(ctx, op, where, args...)
	}
	c, err := scanCheckpoint(r.q.QueryRowContext(ctx, `SELECT `+checkpointColumns+checkpointFrom+`WHERE `+where, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return c, store.NoCheckpoint(op)
	}
	if err != nil {
		return c, r.d.fail(op, err)
	}
	return c, nil
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
	return question{Asked{`SELECT id FROM ` + table + ` WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3`, params{ref, ref + "~", store.MaxCandidates + 1}}, func(scan scanner) error {
		id, err := value[string](scan)
		*ids = append(*ids, id)
		return err
	}}
}

// checkpointAhead is Checkpoint in one round trip.
func (r reader) checkpointAhead(ctx context.Context, op, ref string) (c piton.Checkpoint, err error) {
	if err := store.CheckID(op, piton.CheckpointPrefix, ref); err != nil {
		return c, err
	}
	var ids []string
	var found bool
	err = r.ask(ctx, op, beginsWith("checkpoints", ref, &ids),
		r.checkpointWhere(&found, &c, `c.ordinal = (SELECT x.ordinal FROM checkpoints x WHERE x.id >= $1 AND x.id < $2 ORDER BY x.id LIMIT 1)`, ref, ref+"~"))
	if err != nil {
		return c, err
	}
	id, err := store.ResolveID(op, piton.CheckpointPrefix, ref, ids)
	switch {
	case err != nil:
		return piton.Checkpoint{}, err
	case !found || c.ID != id:
		return r.checkpoint(ctx, op, byID, id) // it came between the two
	}
	return c, nil
}

// workflowAhead is Workflow in one round trip, together with what is there of some
// whole ids.
func (r reader) workflowAhead(ctx context.Context, op, ref, project string, also []string) (w piton.Workflow, more map[string]piton.Workflow, err error) {
	const all = `SELECT ` + workflowColumns + ` FROM workflows WHERE `
	var ids []string
	var found bool
	isID := piton.IsID(piton.WorkflowPrefix, ref)
	into := func(scan scanner) (err error) {
		found = true
		w, err = scanWorkflow(scan)
		return err
	}
	var asked []question
	if isID {
		asked = append(asked, beginsWith("workflows", ref, &ids), question{Asked{all + `id >= $1 AND id < $2 ORDER BY id LIMIT 1`, params{ref, ref + "~"}}, into})
	} else {
		asked = append(asked, question{Asked{all + `name = $1 AND name <> '' AND project = $2`, params{ref, project}}, into})
	}
	more = map[string]piton.Workflow{}
	if len(also) > 0 {
		asked = append(asked, question{Asked{all + `id = ANY($1::text[])`, params{also}}, func(scan scanner) error {
			x, err := scanWorkflow(scan)
			more[x.ID] = x
			return err
		}})
	}
	if err = r.ask(ctx, op, asked...); err != nil {
		return w, nil, err
	}
	if isID {
		id, err := store.ResolveID(op, piton.WorkflowPrefix, ref, ids)
		if err == nil && (!found || w.ID != id) {
			w, err = r.workflow(ctx, op, `id = $1`, id)
		}
		return w, more, err
	}
	if !found {
		err = store.NoWorkflow(op)
	}
	return w, more, err
}

// lookAt finds a checkpoint, and remembers where its state lies.
func (r reader) lookAt(ctx context.Context, op, where string, args ...any) (c piton.Checkpoint, err error) {
	var found bool
	if err := r.ask(ctx, op, r.checkpointWhere(&found, &c, where, args...)); err != nil {
		return c, err
	}
	if !found {
		return c, store.NoCheckpoint(op)
	}
	return c, nil
}

// checkpointWhere is the question for one checkpoint.
func (r reader) checkpointWhere(found *bool, c *piton.Checkpoint, where string, args ...any) question {
	query := `SELECT ` + checkpointColumns + `, c.branch, c.epoch, m.data` + checkpointFrom + `LEFT JOIN manifests m ON m.checkpoint = c.ordinal WHERE ` + where
	return question{Asked{query, args}, func(scan scanner) (err error) {
		var k kept
		*found = true
		*c, err = scanCheckpoint(func(into ...any) error { return scan(append(into, &k.epoch.branch, &k.epoch.n, &k.manifest)...) })
		if err == nil && k.manifest != nil && k.of(*c) {
			r.seen.remember(*c, k)
		}
		return err
	}}
}
