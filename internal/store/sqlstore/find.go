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
