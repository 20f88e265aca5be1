package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/record"
)

var (
	_ store.HeadFinder     = (*Store)(nil)
	_ store.StateFinder    = (*Store)(nil)
	_ store.WorkflowFinder = (*Store)(nil)
)

// Workflows is Workflow for ref, and for some whole ids.
func (s *Store) Workflows(ctx context.Context, ref, project string, ids []string) (piton.Workflow, map[string]piton.Workflow, error) {
	return s.workflows(ctx, ref, project, ids)
}

// HeadOf is the head of a workflow that is named, or given by its whole id.
func (s *Store) HeadOf(ctx context.Context, ref, project, branch string) (piton.Checkpoint, error) {
	op, where, args, err := headWhere(ref, project, branch)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	return s.checkpoint(ctx, op, where, args...)
}

// HeadState is HeadOf with the state, where its manifest holds it.
func (s *Store) HeadState(ctx context.Context, ref, project, branch string) (piton.Checkpoint, []byte, error) {
	op, where, args, err := headWhere(ref, project, branch)
	if err != nil {
		return piton.Checkpoint{}, nil, err
	}
	return s.withState(ctx, op, where, args...)
}

// WithState is Checkpoint of a whole id with the state, where its manifest holds it.
func (s *Store) WithState(ctx context.Context, id string) (piton.Checkpoint, []byte, error) {
	op := "find checkpoint " + id
	c, state, err := s.withState(ctx, op, byID, id)
	if err == nil && c.ID != id {
		return piton.Checkpoint{}, nil, wrongRow(op, c.ID)
	}
	return c, state, err
}

// headWhere is the condition for the head of a workflow.
func headWhere(ref, project, branch string) (op, where string, args []any, err error) {
	op = "find the head of " + ref
	which, args := `x.name = $1 AND x.name <> '' AND x.project = $2`, []any{ref, project}
	switch {
	case piton.IsWholeID(piton.WorkflowPrefix, ref):
		which, args = `x.id = $1`, args[:1]
	case piton.IsID(piton.WorkflowPrefix, ref):
		return op, "", nil, store.NoWorkflow(op)
	}
	if branch == "" {
		return op, `c.id = (SELECT x.head_id FROM workflows x WHERE ` + which + `)`, args, nil
	}
	place := map[bool]string{true: "$2", false: "$3"}[len(args) == 1]
	return op, `c.id = (SELECT b.head_id FROM workflows x JOIN branches b ON b.workflow_id = x.id WHERE ` + which + ` AND b.name = ` + place + `)`, append(args, branch), nil
}

// withState finds a checkpoint, and its state where its manifest holds it. Where any other
// lies is remembered as lookAt does it.
func (r reader) withState(ctx context.Context, op, where string, args ...any) (c piton.Checkpoint, state []byte, err error) {
	var k kept
	var place record.Fault
	row := r.q.QueryRowContext(ctx, `SELECT `+record.CheckpointColumns+`, c.branch, c.epoch, m.data`+checkpointFrom+manifestJoin+`WHERE `+where, args...)
	c, err = record.Checkpoint(func(into ...any) error {
		return row.Scan(append(into, place.Int("branch", &k.epoch.branch), place.Int("epoch", &k.epoch.n), place.Bytes("manifest", &k.manifest))...)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return c, nil, store.NoCheckpoint(op)
	}
	if err != nil { // the manifest may be damaged, and not the record
		c, err = r.checkpoint(ctx, op, where, args...)
		return c, nil, err
	}
	if place.Why != "" || !k.of(c) {
		return c, nil, nil
	}
	if state = k.whole(); state == nil {
		r.seen.remember(c, k)
	}
	return c, state, nil
}
