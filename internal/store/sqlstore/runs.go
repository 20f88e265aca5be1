package sqlstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// runs reads runs.
type runs struct{ reader }

var _ store.RunReader = runs{}

// Runs reads runs.
func (s *Store) Runs() store.RunReader { return runs{s.reader} }

// runAbout is what never changes of a run and has no column.
type runAbout struct {
	Workflow  string     `json:"workflow,omitempty"`
	SessionID string     `json:"session_id,omitempty"`
	Plan      string     `json:"plan,omitempty"`
	PlanFile  string     `json:"plan_file,omitempty"`
	Dir       string     `json:"dir,omitempty"`
	Folder    string     `json:"folder,omitempty"`
	PlanPath  string     `json:"plan_path,omitempty"`
	Parent    string     `json:"parent,omitempty"`
	CreatedAt piton.Time `json:"created_at,omitzero"`
}

// runProgress is what each save changes of a run and has no column.
type runProgress struct {
	Dir      string           `json:"dir,omitempty"`
	Host     string           `json:"host,omitempty"`
	PlanFile string           `json:"plan_file,omitempty"`
	Daemon   string           `json:"daemon,omitempty"`
	EndedAt  piton.Time       `json:"ended_at,omitzero"`
	DueAt    piton.Time       `json:"due_at,omitzero"`
	Done     int              `json:"done,omitempty"`
	Total    int              `json:"total,omitempty"`
	Now      string           `json:"now,omitempty"`
	Error    string           `json:"error,omitempty"`
	Cause    piton.RunCause   `json:"cause,omitempty"`
	Usage    piton.TokenUsage `json:"token_usage,omitzero"`
	CostUSD  float64          `json:"cost_usd,omitempty"`
	WorkMS   int64            `json:"duration_ms,omitempty"`
}

const runColumns = `id, workflow_id, branch, project, namespace, plan_sum, checkpoint_id, status, wish, fence, lease_until, updated_at, owner, about, progress`

func scanRun(scan scanner) (piton.Run, error) {
	var r piton.Run
	var lease, updated int64
	var owner, about, progress string
	if err := scan(&r.ID, &r.WorkflowID, &r.Branch, &r.Project, &r.Namespace, &r.PlanSum, &r.CheckpointID, &r.Status, &r.Wish, &r.Fence, &lease, &updated, &owner, &about, &progress); err != nil {
		return r, err
	}
	r.LeaseUntil, r.UpdatedAt = piton.FromMillis(lease), piton.FromMillis(updated)
	var a runAbout
	var p runProgress
	var err error
	if owner != "" {
		err = json.Unmarshal([]byte(owner), &r.Owner)
	}
	if err = errors.Join(err, json.Unmarshal([]byte(about), &a), json.Unmarshal([]byte(progress), &p)); err != nil {
		return r, err
	}
	r.Workflow, r.SessionID, r.Plan, r.PlanFile, r.Dir, r.CreatedAt = a.Workflow, a.SessionID, a.Plan, a.PlanFile, a.Dir, a.CreatedAt
	r.Folder, r.PlanPath, r.Parent, r.Host, r.Daemon = a.Folder, a.PlanPath, a.Parent, p.Host, p.Daemon
	if p.Dir != "" { // where it was taken up last
		r.Dir, r.PlanFile = p.Dir, p.PlanFile
	}
	r.EndedAt, r.DueAt, r.Done, r.Total, r.Now, r.Error, r.Cause = p.EndedAt, p.DueAt, p.Done, p.Total, p.Now, p.Error, p.Cause
	r.Usage, r.CostUSD, r.WorkMS = p.Usage, p.CostUSD, p.WorkMS
	return r, nil
}

// Run finds a run by id or prefix.
func (r runs) Run(ctx context.Context, ref string) (piton.Run, error) {
	op := "find run " + ref
	id, err := r.resolve(ctx, op, "runs", piton.RunPrefix, ref)
	if err != nil {
		return piton.Run{}, err
	}
	return r.run(ctx, op, id)
}

// run finds a run by its id. The row is found by its number, so that the id is read
// from the row itself and not from an index that may be damaged.
func (r reader) run(ctx context.Context, op, id string) (piton.Run, error) {
	x, err := scanRun(r.q.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs WHERE n = (SELECT x.n FROM runs x WHERE x.id = $1)`, id).Scan)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return x, store.NoRun(op)
	case err != nil:
		return x, r.d.fail(op, err)
	case x.ID != id:
		return piton.Run{}, wrongRow(op, x.ID)
	}
	return x, nil
}

// Runs lists runs, the newest first.
func (r runs) Runs(ctx context.Context, q piton.RunQuery) ([]piton.Run, error) {
	var where []string
	var args []any
	and := func(column, value string) {
		if value != "" {
			args = append(args, value)
			where = append(where, fmt.Sprintf("%s = $%d", column, len(args)))
		}
	}
	if q.Project != "" && q.Namespace != "" {
		args = append(args, q.Project, q.Namespace)
		where = append(where, "(project = $1 OR namespace = $2)")
	} else {
		and("project", q.Project)
		and("namespace", q.Namespace)
	}
	and("name", q.Name)
	and("workflow_id", q.Workflow)
	and("branch", q.Branch)
	and("status", string(q.Status))
	if q.Open {
		where = append(where, "ended = 0")
	}
	query := `SELECT ` + runColumns + ` FROM runs`
	if len(where) > 0 {
		query += ` WHERE ` + strings.Join(where, " AND ")
	}
	query += ` ORDER BY n DESC`
	timed := !q.Since.IsZero() || !q.Until.IsZero() // when a run began has no column
	if q.Limit > 0 && !timed {
		query += fmt.Sprintf(` LIMIT %d`, q.Limit)
	}
	all, err := collect(ctx, r.reader, "list runs", scanRun, query, args...)
	if timed {
		all = slices.DeleteFunc(all, func(x piton.Run) bool {
			return x.CreatedAt.Before(q.Since.Time) || !q.Until.IsZero() && !x.CreatedAt.Before(q.Until.Time)
		})
		if q.Limit > 0 && len(all) > q.Limit {
			all = all[:q.Limit]
		}
	}
	return all, err
}

// RunPlan is the plan of a run, checked against the sum that was kept with it.
func (r runs) RunPlan(ctx context.Context, id string) ([]byte, error) {
	op := "read the plan of " + id
	var sum []byte
	var data string
	found, err := r.get(ctx, op, `SELECT sum, data FROM run_plans WHERE run_id = $1`, params{id}, &sum, &data)
	switch want := sha256.Sum256([]byte(data)); {
	case err != nil:
		return nil, err
	case !found:
		return nil, store.NoRun(op)
	case !bytes.Equal(sum, want[:]):
		return nil, piton.Errorf(piton.Corrupt, op, r.d.Damaged, "it does not match the sum that was kept with it")
	}
	return []byte(data), nil
}

// StartKey is what has begun under a key.
func (r runs) StartKey(ctx context.Context, scope, key string) (piton.StartKey, error) {
	op := fmt.Sprintf("find what began under the key %q", key)
	k := piton.StartKey{Scope: scope, Key: key}
	var at int64
	found, err := r.get(ctx, op, `SELECT sum, ref, at FROM start_keys WHERE scope = $1 AND key = $2`, params{scope, key}, &k.Sum, &k.Ref, &at)
	if err == nil && !found {
		err = piton.Errorf(piton.NotFound, op, "", "nothing has begun under it")
	}
	k.At = piton.FromMillis(at)
	return k, err
}

// MadeBy is the run whose owner has written a checkpoint.
func (r runs) MadeBy(ctx context.Context, checkpoint string) (run string, err error) {
	_, err = r.get(ctx, "ask who has written "+checkpoint, `SELECT run_id FROM run_checkpoints WHERE checkpoint_id = $1`, params{checkpoint}, &run)
	return run, err
}

// Answers are what people have said, oldest first.
func (r runs) Answers(ctx context.Context, run string) ([]piton.Answer, error) {
	return collect(ctx, r.reader, "list the answers to "+run, func(scan scanner) (a piton.Answer, err error) {
		var id, step, shown, data string
		if err := scan(&id, &step, &shown, &data); err != nil {
			return a, err
		}
		err = json.Unmarshal([]byte(data), &a)
		a.RunID, a.StepID, a.Shown = id, step, shown
		return a, err
	}, `SELECT run_id, step_id, shown, data FROM run_answers WHERE run_id = $1 ORDER BY n`, run)
}
