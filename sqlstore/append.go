package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/pack"
)

// epochLength is how many checkpoints of a branch share blobs.
const epochLength = 64

// PutWorkflow adds a workflow, or changes its closed mark and session.
func (t *tx) PutWorkflow(ctx context.Context, w piton.Workflow) error {
	return t.exec(ctx, "write workflow "+w.Label(), `INSERT INTO workflows (id, name, type, project, session_id, created_at, seq, head_id, head_ordinal, head_session, closed)
		VALUES ($1, $2, $3, $4, $5, $6, 0, '', 0, '', $7)
		ON CONFLICT (id) DO UPDATE SET closed = excluded.closed, session_id = excluded.session_id`,
		w.ID, w.Name, w.Type, w.Project, w.SessionID, w.CreatedAt.Millis(), boolInt(w.Closed))
}

// branch is a row of branches, locked.
type branch struct {
	id       int64
	head     string
	appended int64
}

// lockBranch finds a branch and locks its row; ok is false when there is none.
func (t *tx) lockBranch(ctx context.Context, workflow, name string) (b branch, ok bool, err error) {
	err = t.q.QueryRowContext(ctx, `SELECT id, head_id, appended FROM branches WHERE workflow_id = $1 AND name = $2`+t.d.Lock, workflow, name).
		Scan(&b.id, &b.head, &b.appended)
	if errors.Is(err, sql.ErrNoRows) {
		return b, false, nil
	}
	if err != nil {
		return b, false, t.d.Error("lock branch "+name, err)
	}
	return b, true, nil
}

// Append adds a checkpoint as the head of its branch.
func (t *tx) Append(ctx context.Context, p piton.Prepared) (piton.Checkpoint, error) {
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
		err := t.q.QueryRowContext(ctx, `INSERT INTO branches (workflow_id, name, head_id, appended) VALUES ($1, $2, '', 0) RETURNING id`, c.WorkflowID, c.Branch).Scan(&b.id)
		if err != nil {
			return c, t.d.Error(op, err)
		}
	}
	if err := t.q.QueryRowContext(ctx, `UPDATE counters SET value = value + 1 WHERE name = 'ordinal' RETURNING value`).Scan(&c.Ordinal); err != nil {
		return c, t.d.Error(op, err)
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
	manifest, stored, err := t.store(ctx, op, b.id, epoch, p.State)
	if err != nil {
		return c, err
	}
	c.StateBytes, c.StoredBytes = int64(len(p.State)), stored
	if err := t.insert(ctx, op, b.id, epoch, c, manifest); err != nil {
		return c, err
	}
	if err := t.exec(ctx, op, `UPDATE branches SET head_id = $1, appended = appended + 1 WHERE id = $2`, c.ID, b.id); err != nil {
		return c, err
	}
	return c, t.Log(ctx, piton.LogEvent{At: c.CreatedAt, Kind: "checkpoint_created", Session: c.SessionID, Project: c.Project, Workflow: c.WorkflowID, Checkpoint: c.ID})
}

// mayAppend tells what stands against an append: an unknown workflow or
// parent, a head that has moved on, a fork's branch that exists.
func (t *tx) mayAppend(ctx context.Context, op string, p piton.Prepared, c piton.Checkpoint, b branch, exists bool) error {
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
			return piton.Errorf(piton.Conflict, op, "save without --parent, or start the branch with a fork", "the branch %s is empty, its head is not the expected %s", c.Branch, p.Parent)
		}
		return piton.Errorf(piton.Conflict, op, "load the head, take over what changed, and save again with --parent "+b.head,
			"the head of branch %s is %s, not the expected %s", c.Branch, b.head, p.Parent)
	}
	if p.Fork && exists {
		return piton.Errorf(piton.Conflict, op, "choose another branch name", "the branch %s exists", c.Branch)
	}
	if p.Fork && c.ParentID != "" {
		_, err := t.checkpoint(ctx, op, byID, c.ParentID)
		return err
	}
	return nil
}

// store puts the state's blobs into the epoch and returns its manifest and
// how many bytes were new.
func (t *tx) store(ctx context.Context, op string, branch, epoch int64, state []byte) (manifest []byte, stored int64, err error) {
	blobs, err := pack.Pack(state)
	if err != nil {
		return nil, 0, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	numbers := make([]uint64, len(blobs))
	for i, b := range blobs {
		var n int64
		var have []byte
		err := t.q.QueryRowContext(ctx, `SELECT n, data FROM blobs WHERE branch = $1 AND epoch = $2 AND sum = $3`, branch, epoch, b.Sum[:]).Scan(&n, &have)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			n, err = t.addBlob(ctx, branch, epoch, b)
			stored += int64(len(b.Data))
		case err == nil && !bytes.Equal(have, b.Data):
			// What is under this sum is damaged, or another encoding of the same:
			// either way these bytes are right, for the older checkpoints too.
			_, err = t.q.ExecContext(ctx, `UPDATE blobs SET data = $1 WHERE branch = $2 AND epoch = $3 AND n = $4`, b.Data, branch, epoch, n)
		}
		if err != nil {
			return nil, 0, t.d.Error(op, err)
		}
		numbers[i] = uint64(n)
	}
	manifest = pack.Manifest(numbers)
	return manifest, stored + int64(len(manifest)), nil
}

func (t *tx) addBlob(ctx context.Context, branch, epoch int64, b pack.Blob) (n int64, err error) {
	// Numbers are never used twice in an epoch, so a manifest can never come
	// to name another's blob.
	err = t.q.QueryRowContext(ctx, `INSERT INTO epochs (branch, n, next_blob) VALUES ($1, $2, 1)
		ON CONFLICT (branch, n) DO UPDATE SET next_blob = epochs.next_blob + 1 RETURNING next_blob - 1`, branch, epoch).Scan(&n)
	if err != nil {
		return 0, err
	}
	_, err = t.q.ExecContext(ctx, `INSERT INTO blobs (branch, epoch, n, sum, data) VALUES ($1, $2, $3, $4, $5)`, branch, epoch, n, b.Sum[:], b.Data)
	return n, err
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
	c, err := t.Checkpoint(ctx, id)
	if err != nil || c.Completed {
		return err
	}
	op := "complete " + id
	if err := t.exec(ctx, op, `UPDATE checkpoints SET completed_at = $1 WHERE ordinal = $2`, at.Millis(), c.Ordinal); err != nil {
		return err
	}
	if err := t.exec(ctx, op, `UPDATE workflows SET closed = 1 WHERE id = $1`, c.WorkflowID); err != nil {
		return err
	}
	if err := t.exec(ctx, op, `UPDATE sessions SET current_id = '' WHERE current_id = $1`, c.WorkflowID); err != nil {
		return err
	}
	return t.Log(ctx, piton.LogEvent{At: at, Kind: "checkpoint_completed", Session: c.SessionID, Project: c.Project, Workflow: c.WorkflowID, Checkpoint: c.ID})
}

// Log adds an event to the stream.
func (t *tx) Log(ctx context.Context, e piton.LogEvent) error {
	data := ""
	if len(e.Data) > 0 {
		b, err := json.Marshal(e.Data)
		if err != nil {
			return &piton.Error{Code: piton.Internal, Op: "log an event", Err: err}
		}
		data = string(b)
	}
	return t.exec(ctx, "log an event", `INSERT INTO events (at, kind, session_id, project, workflow_id, checkpoint_id, data) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		e.At.Millis(), e.Kind, e.Session, e.Project, e.Workflow, e.Checkpoint, data)
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
