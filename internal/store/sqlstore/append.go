package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// epochLength is how many checkpoints of a branch share blobs.
const epochLength = 64

// PutWorkflow adds a workflow, or changes its closed mark and session.
func (t *tx) PutWorkflow(ctx context.Context, clean redact.Clean[piton.Workflow]) error {
	return t.putWorkflow(ctx, clean.Get())
}

func (t *tx) putWorkflow(ctx context.Context, w piton.Workflow) error {
	op := "write workflow " + w.Label()
	// Not by a failing constraint: that would end a transaction in PostgreSQL,
	// and the caller may go on with the workflow that has the name.
	n, err := t.changed(ctx, op, `INSERT INTO workflows (id, name, type, project, session_id, created_at, seq, head_id, head_ordinal, head_session, closed)
		VALUES ($1, $2, $3, $4, $5, $6, 0, '', 0, '', $7) ON CONFLICT DO NOTHING`,
		w.ID, w.Name, w.Type, w.Project, w.SessionID, w.CreatedAt.Millis(), boolInt(w.Closed))
	if err != nil || n > 0 {
		return err
	}
	n, err = t.changed(ctx, op, `UPDATE workflows SET closed = $1, session_id = $2 WHERE id = $3`, boolInt(w.Closed), w.SessionID, w.ID)
	if err == nil && n == 0 {
		err = piton.Errorf(piton.Conflict, op, "choose another name, or save to the workflow that has it", "the name is taken in its project")
	}
	return err
}

// branch is a row of branches, locked.
type branch struct {
	id       int64
	head     string
	appended int64
}

// lockBranch finds a branch and locks its row; ok is false when there is none.
func (t *tx) lockBranch(ctx context.Context, workflow, name string) (b branch, ok bool, err error) {
	return t.branchRow(ctx, workflow, name, t.d.Lock)
}

func (r reader) branchRow(ctx context.Context, workflow, name, lock string) (b branch, ok bool, err error) {
	err = r.q.QueryRowContext(ctx, `SELECT id, head_id, appended FROM branches WHERE workflow_id = $1 AND name = $2`+lock, workflow, name).
		Scan(&b.id, &b.head, &b.appended)
	if errors.Is(err, sql.ErrNoRows) {
		return b, false, nil
	}
	if err != nil {
		return b, false, r.d.Error("lock branch "+name, err)
	}
	return b, true, nil
}

// Append adds a checkpoint as the head of its branch.
func (t *tx) Append(ctx context.Context, clean redact.Clean[store.Prepared]) (piton.Checkpoint, error) {
	p := clean.Get()
	c := p.Record
	op := "save to " + c.Label()
	if c.ID == "" {
		c.ID = piton.NewID(piton.CheckpointPrefix)
	}
	if c.Branch == "" {
		c.Branch = piton.MainBranch
	}
	if c.Completed && c.CompletedAt.IsZero() {
		c.CompletedAt = c.CreatedAt
	}
	c.Completed = !c.CompletedAt.IsZero()
	b, exists, err := t.lockBranch(ctx, c.WorkflowID, c.Branch)
	if err != nil {
		return c, err
	}
	if err := t.mayAppend(ctx, op, p, c, b, exists); err != nil {
		return c, err
	}
	if !p.Fork {
		c.ParentID = b.head
	}
	if !exists {
		err := t.q.QueryRowContext(ctx, `INSERT INTO branches (workflow_id, name, head_id, appended, from_id) VALUES ($1, $2, '', 0, $3) ON CONFLICT (workflow_id, name) DO NOTHING RETURNING id`, c.WorkflowID, c.Branch, c.ParentID).Scan(&b.id)
		if errors.Is(err, sql.ErrNoRows) {
			return t.Append(ctx, clean) // another has begun it meanwhile: now it can be locked
		}
		if err != nil {
			return c, t.d.Error(op, err)
		}
	}
	if err := t.nextOrdinal(ctx, op, &c); err != nil {
		return c, err
	}
	keep := 0
	if p.Keep {
		keep = 1
	}
	err = t.q.QueryRowContext(ctx, `UPDATE workflows SET seq = seq + 1, head_id = $1, head_ordinal = $2, head_session = $3,
		closed = CASE WHEN $4 = 1 THEN closed ELSE $5 END WHERE id = $6 RETURNING seq, name, type`,
		c.ID, c.Ordinal, c.SessionID, keep, boolInt(p.Close || c.Finishes()), c.WorkflowID).Scan(&c.Seq, &c.Workflow, &c.WorkflowType)
	if errors.Is(err, sql.ErrNoRows) {
		return c, piton.Errorf(piton.NotFound, op, "", "no such workflow")
	}
	if err != nil {
		return c, t.d.Error(op, err)
	}
	epoch := b.appended / epochLength
	manifest, stored, err := t.store(ctx, op, b, epoch, p.State.Get(), p.Packed, c.ID)
	if err != nil {
		return c, err
	}
	c.StateBytes, c.StoredBytes = int64(len(p.State.Get())), stored
	if err := t.insert(ctx, op, b.id, epoch, c, manifest); err != nil {
		return c, err
	}
	if err := t.exec(ctx, op, `UPDATE branches SET head_id = $1, appended = appended + 1 WHERE id = $2`, c.ID, b.id); err != nil {
		return c, err
	}
	return c, t.note(ctx, store.EventOf(store.CheckpointCreated, c.CreatedAt, c))
}

// mayAppend tells what stands against an append: an unknown workflow or
// parent, a head that has moved on, a fork's branch that exists.
func (t *tx) mayAppend(ctx context.Context, op string, p store.Prepared, c piton.Checkpoint, b branch, exists bool) error {
	if !exists {
		if _, err := t.workflow(ctx, op, `id = $1`, c.WorkflowID); err != nil {
			return err
		}
	}
	if p.Parent != "" && p.Parent != b.head {
		if _, err := t.checkpoint(ctx, op, byID, p.Parent); err != nil {
			return err
		}
		if b.head == "" {
			return piton.Errorf(piton.Conflict, op, "save without 'parent', or start the branch with a fork", "the branch %s is empty, its head is not the expected %s", c.Branch, p.Parent)
		}
		return piton.Errorf(piton.Conflict, op, "load the head, take over what changed, and save again with 'parent "+b.head+"'",
			"the head of branch %s is %s, not the expected %s", c.Branch, b.head, p.Parent)
	}
	if p.Fork && exists {
		return piton.Errorf(piton.Conflict, op, "choose another branch name", "the branch %s exists", c.Branch)
	}
	if p.Fork && c.ParentID != "" {
		if err := t.lockParent(ctx, c.ParentID); err != nil {
			return err
		}
		_, err := t.checkpoint(ctx, op, byID, c.ParentID)
		return err
	}
	return nil
}

func (t *tx) insert(ctx context.Context, op string, branch, epoch int64, c piton.Checkpoint, manifest []byte) error {
	sum, err := hex.DecodeString(c.SHA256)
	if err != nil {
		return piton.Errorf(piton.Internal, op, "", "the sum is no hex: %w", err)
	}
	rest, err := restOf(c)
	if err != nil {
		return &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	tags := joinTags(c.Tags)
	err = t.exec(ctx, op, `INSERT INTO checkpoints (ordinal, id, workflow_id, branch, branch_name, epoch, seq, parent_id, session_id, project,
		trigger_name, created_at, completed_at, phase_number, phase_total, state_bytes, stored_bytes, sum, damaged, tags, rest, seal)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, '', $19, $20, $21)`,
		c.Ordinal, c.ID, c.WorkflowID, branch, c.Branch, epoch, c.Seq, c.ParentID, c.SessionID, c.Project,
		string(c.Trigger), c.CreatedAt.Millis(), c.CompletedAt.Millis(), c.PhaseNumber, c.PhaseTotal, c.StateBytes, c.StoredBytes, sum, tags, rest,
		seal(c, c.CreatedAt.Millis(), sum, tags, rest))
	if err != nil {
		return err
	}
	return t.exec(ctx, op, `INSERT INTO manifests (checkpoint, data) VALUES ($1, $2)`, c.Ordinal, manifest)
}

// Complete marks a checkpoint as completed and closes its workflow.
func (t *tx) Complete(ctx context.Context, id string, at piton.Time) error {
	held, err := t.hold(ctx, id)
	if err != nil || held[0].Completed {
		return err
	}
	c := held[0]
	op := "complete " + id
	if err := t.exec(ctx, op, `UPDATE checkpoints SET completed_at = $1 WHERE ordinal = $2`, at.Millis(), c.Ordinal); err != nil {
		return err
	}
	if err := t.exec(ctx, op, `UPDATE workflows SET closed = 1 WHERE id = $1`, c.WorkflowID); err != nil {
		return err
	}
	if err := t.exec(ctx, op, `UPDATE sessions SET current_id = '' WHERE current_id = $1 AND current_id <> ''`, c.WorkflowID); err != nil {
		return err
	}
	return t.note(ctx, store.EventOf(store.CheckpointCompleted, at, c))
}

// Log adds an event to the stream.
func (t *tx) Log(ctx context.Context, clean redact.Clean[store.LogEvent]) error {
	return t.note(ctx, clean.Get())
}

// note is Log for an event about what was just written.
func (t *tx) note(ctx context.Context, e store.LogEvent) error {
	data := ""
	if len(e.Data) > 0 {
		b, err := json.Marshal(e.Data)
		if err != nil {
			return &piton.Error{Code: piton.Internal, Op: "log an event", Err: err}
		}
		data = string(b)
	}
	const op = "log an event"
	res, err := t.q.ExecContext(ctx, `INSERT INTO events (at, kind, session_id, project, workflow_id, checkpoint_id, data) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		e.At.Millis(), e.Kind, e.Session, e.Project, e.Workflow, e.Checkpoint, data)
	if err != nil {
		return t.d.Error(op, err)
	}
	if t.d.Acknowledge != nil {
		if e.ID, err = res.LastInsertId(); err != nil {
			return t.d.Error(op, err)
		}
		t.last = e
	}
	return nil
}

// Count adds n to a counter.
func (t *tx) Count(ctx context.Context, name string, n int64) error {
	return t.exec(ctx, "count", `INSERT INTO counters (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = counters.value + excluded.value`, name, n)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
