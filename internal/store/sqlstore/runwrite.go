package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// runWriter changes runs in a transaction.
type runWriter struct{ *tx }

var _ store.RunWriter = runWriter{}

// AddRun adds a run with its plan. The branch is locked, so that its checkpoints
// are not deleted meanwhile.
func (t runWriter) AddRun(ctx context.Context, clean redact.Clean[piton.Run], plan redact.Document) error {
	r := clean.Get()
	op := "add run " + r.ID
	if _, err := t.workflow(ctx, op, `id = $1`, r.WorkflowID); err != nil {
		return err
	}
	if _, _, err := t.lockBranch(ctx, r.WorkflowID, r.Branch); err != nil {
		return err
	}
	about, err := json.Marshal(runAbout{Workflow: r.Workflow, SessionID: r.SessionID, Plan: r.Plan, PlanFile: r.PlanFile, Dir: r.Dir, Folder: r.Folder, PlanPath: r.PlanPath, Parent: r.Parent, CreatedAt: r.CreatedAt})
	if err != nil {
		return internal(op, err)
	}
	progress, err := progressOf(op, r)
	if err != nil {
		return err
	}
	owner, err := ownerOf(op, r.Owner)
	if err != nil {
		return err
	}
	// Not by a failing constraint: that would end a transaction in PostgreSQL.
	n, err := t.changed(ctx, op, `INSERT INTO runs (id, workflow_id, branch, project, plan_sum, checkpoint_id, status, ended, wish, fence, lease_until, updated_at, owner, about, progress, namespace, name)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT DO NOTHING`,
		r.ID, r.WorkflowID, r.Branch, r.Project, r.PlanSum, r.CheckpointID, string(r.Status), boolInt(r.Status.Ended()), string(r.Wish), r.Fence,
		r.LeaseUntil.Millis(), r.UpdatedAt.Millis(), owner, string(about), progress, r.Namespace, r.Workflow)
	if err != nil {
		return err
	}
	if n == 0 {
		return t.unfinished(ctx, op, r)
	}
	if err := t.made(ctx, op, r); err != nil {
		return err
	}
	return t.putPlan(ctx, op, r.ID, plan.Get())
}

// made notes that a run's owner has written its newest checkpoint.
func (t runWriter) made(ctx context.Context, op string, r piton.Run) error {
	if r.CheckpointID == "" {
		return nil
	}
	return t.exec(ctx, op, `INSERT INTO run_checkpoints (checkpoint_id, run_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, r.CheckpointID, r.ID)
}

// unfinished is the Conflict of a run whose branch has one that has not ended.
func (t runWriter) unfinished(ctx context.Context, op string, r piton.Run) error {
	var id string
	found, err := t.get(ctx, op, `SELECT id FROM runs WHERE branch = $1 AND ended = 0 AND (workflow_id = $2 OR namespace = $3 AND name = $4 AND namespace <> '' AND name <> '')`,
		params{r.Branch, r.WorkflowID, r.Namespace, r.Workflow}, &id)
	if err == nil && !found {
		err = piton.Errorf(piton.Conflict, op, "", "the id is taken")
	}
	if err != nil {
		return err
	}
	return store.Unfinished(op, id)
}

// PutStartKey notes what begins under a key.
func (t runWriter) PutStartKey(ctx context.Context, clean redact.Clean[piton.StartKey]) error {
	k := clean.Get()
	op := "note what begins under a key"
	n, err := t.changed(ctx, op, `INSERT INTO start_keys (scope, key, sum, ref, at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (scope, key) DO NOTHING`, k.Scope, k.Key, k.Sum, k.Ref, k.At.Millis())
	if err == nil && n == 0 {
		err = store.KeyTaken(op, k.Key)
	}
	return err
}

// PutPlan replaces the plan of a run.
func (t runWriter) PutPlan(ctx context.Context, run string, fence int64, sum string, plan redact.Document) error {
	op := "write the plan of " + run
	n, err := t.changed(ctx, op, `UPDATE runs SET plan_sum = $1 WHERE id = $2 AND fence = $3 AND owner <> ''`, sum, run, fence)
	if err := t.fenced(ctx, op, run, n, err); err != nil {
		return err
	}
	return t.putPlan(ctx, op, run, plan.Get())
}

func (t runWriter) putPlan(ctx context.Context, op, run string, data []byte) error {
	sum := sha256.Sum256(data)
	return t.exec(ctx, op, `INSERT INTO run_plans (run_id, sum, data) VALUES ($1, $2, $3) ON CONFLICT (run_id) DO UPDATE SET sum = excluded.sum, data = excluded.data`, run, sum[:], string(data))
}

// ClaimRun makes owner the owner of a run.
func (t runWriter) ClaimRun(ctx context.Context, id string, fence int64, clean redact.Clean[piton.Owner], at, until piton.Time) (piton.Run, error) {
	op := "take run " + id
	if clean.Get() == (piton.Owner{}) {
		return piton.Run{}, piton.Errorf(piton.Invalid, op, "", "the owner is not named")
	}
	owner, err := ownerOf(op, clean.Get())
	if err != nil {
		return piton.Run{}, err
	}
	return t.updated(ctx, op, id, `UPDATE runs SET fence = fence + 1, owner = $1, lease_until = $2, updated_at = $3, status = $4, wish = CASE WHEN wish = $5 THEN wish ELSE '' END
		WHERE id = $6 AND fence = $7 AND ended = 0 RETURNING `+runColumns,
		owner, until.Millis(), at.Millis(), string(piton.RunRunning), string(piton.WishCancel), id, fence)
}

// RenewRun renews the lease of a run.
func (t runWriter) RenewRun(ctx context.Context, id string, fence int64, until piton.Time) (piton.Run, error) {
	return t.updated(ctx, "renew run "+id, id, `UPDATE runs SET lease_until = $1 WHERE id = $2 AND fence = $3 AND owner <> '' RETURNING `+runColumns, until.Millis(), id, fence)
}

// updated runs a statement that changes a run and returns it.
func (t runWriter) updated(ctx context.Context, op, id, query string, args ...any) (piton.Run, error) {
	r, err := scanRun(t.q.QueryRowContext(ctx, query, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return piton.Run{}, t.fenced(ctx, op, id, 0, nil)
	}
	if err != nil {
		return piton.Run{}, t.d.fail(op, err)
	}
	return r, nil
}

// PutRun writes what changes of a run.
func (t runWriter) PutRun(ctx context.Context, clean redact.Clean[piton.Run]) error {
	r := clean.Get()
	op := "write run " + r.ID
	progress, err := progressOf(op, r)
	if err != nil {
		return err
	}
	var n int64
	if r.Status == piton.RunRunning {
		n, err = t.changed(ctx, op, `UPDATE runs SET checkpoint_id = $1, updated_at = $2, progress = $3 WHERE id = $4 AND fence = $5 AND owner <> ''`,
			r.CheckpointID, r.UpdatedAt.Millis(), progress, r.ID, r.Fence)
	} else {
		left := piton.WishCancel
		if r.Status.Ended() {
			left = piton.WishNothing
		}
		n, err = t.changed(ctx, op, `UPDATE runs SET checkpoint_id = $1, updated_at = $2, progress = $3, status = $4, ended = $5, owner = '', lease_until = 0,
			wish = CASE WHEN wish = $6 THEN wish ELSE '' END WHERE id = $7 AND fence = $8 AND owner <> ''`,
			r.CheckpointID, r.UpdatedAt.Millis(), progress, string(r.Status), boolInt(r.Status.Ended()), string(left), r.ID, r.Fence)
	}
	if err := t.fenced(ctx, op, r.ID, n, err); err != nil {
		return err
	}
	return t.made(ctx, op, r)
}

// fenced turns a statement that has changed no row into its error, after which
// the transaction writes nothing, whatever the caller makes of it.
func (t runWriter) fenced(ctx context.Context, op, id string, changed int64, err error) error {
	if err != nil || changed > 0 {
		return err
	}
	r, err := t.run(ctx, op, id)
	if err != nil {
		return err
	}
	t.lost = store.NotYours(op, r)
	return t.lost
}

// WishRun asks something of a run's owner. A pause does not go before a
// cancellation, which somebody was told is on its way.
func (t runWriter) WishRun(ctx context.Context, id string, fence int64, w piton.RunWish) error {
	op := "steer run " + id
	kept := ""
	if w == piton.WishPause {
		kept = string(piton.WishCancel)
	}
	n, err := t.changed(ctx, op, `UPDATE runs SET wish = $1 WHERE id = $2 AND fence = $3 AND owner <> '' AND ended = 0 AND (wish = '' OR wish <> $4)`, string(w), id, fence, kept)
	return t.ended(ctx, op, id, n, err)
}

// ended turns a statement that has changed no row, because the run is over, is
// being cancelled, or is not there, into its error.
func (t runWriter) ended(ctx context.Context, op, id string, changed int64, err error) error {
	if err != nil || changed > 0 {
		return err
	}
	r, err := t.run(ctx, op, id)
	if err != nil {
		return err
	}
	switch {
	case !r.Status.Ended() && r.Wish == piton.WishCancel && r.Owner != (piton.Owner{}):
		return piton.Errorf(piton.Conflict, op, "'runs show "+r.ID+"' shows how it stands", "the run is being cancelled")
	case !r.Status.Ended():
		return store.NotYours(op, r)
	}
	return store.RunEnded(op, r)
}

// AnswerRun records a person's word. The run's row is locked by changing nothing
// of it, so that two answers come one after the other.
func (t runWriter) AnswerRun(ctx context.Context, clean redact.Clean[piton.Answer]) error {
	a := clean.Get()
	op := "answer step " + a.StepID + " of run " + a.RunID
	n, err := t.changed(ctx, op, `UPDATE runs SET wish = wish WHERE id = $1 AND ended = 0`, a.RunID)
	if err := t.ended(ctx, op, a.RunID, n, err); err != nil {
		return err
	}
	before, err := runs{t.reader}.Answers(ctx, a.RunID)
	if err != nil {
		return err
	}
	data, err := json.Marshal(piton.Answer{Approved: a.Approved, Words: a.Words, By: a.By, At: store.AnsweredAt(a, before)})
	if err != nil {
		return internal(op, err)
	}
	if err := t.exec(ctx, op, `DELETE FROM run_answers WHERE run_id = $1 AND step_id = $2 AND shown = $3`, a.RunID, a.StepID, a.Shown); err != nil {
		return err
	}
	return t.exec(ctx, op, `INSERT INTO run_answers (run_id, step_id, shown, data) VALUES ($1, $2, $3, $4)`, a.RunID, a.StepID, a.Shown, string(data))
}

func progressOf(op string, r piton.Run) (string, error) {
	b, err := json.Marshal(runProgress{Dir: r.Dir, Host: r.Host, PlanFile: r.PlanFile, Daemon: r.Daemon, EndedAt: r.EndedAt, DueAt: r.DueAt, Done: r.Done, Total: r.Total, Now: r.Now, Error: r.Error, Cause: r.Cause, Usage: r.Usage, CostUSD: r.CostUSD, WorkMS: r.WorkMS})
	if err != nil {
		return "", internal(op, err)
	}
	return string(b), nil
}

func ownerOf(op string, o piton.Owner) (string, error) {
	if o == (piton.Owner{}) {
		return "", nil
	}
	b, err := json.Marshal(o)
	if err != nil {
		return "", internal(op, err)
	}
	return string(b), nil
}
