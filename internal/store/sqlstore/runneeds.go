package sqlstore

import (
	"context"
	"database/sql"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// unneeded is a Conflict where one of the checkpoints, whose branches are locked,
// is the one an unfinished run continues from.
func (t *tx) unneeded(ctx context.Context, gone []piton.Checkpoint) error {
	const op = "delete"
	needed, asked := map[string]string{}, map[string]bool{} // by the run
	for _, c := range gone {
		if !asked[c.WorkflowID] {
			asked[c.WorkflowID] = true
			err := t.rows(ctx, op, func(rows *sql.Rows) error {
				var checkpoint, run string
				err := rows.Scan(&checkpoint, &run)
				needed[checkpoint] = run
				return err
			}, `SELECT checkpoint_id, id FROM runs WHERE workflow_id = $1 AND ended = 0`, c.WorkflowID)
			if err != nil {
				return err
			}
		}
		if run := needed[c.ID]; run != "" {
			return store.RunNeeds(op+" "+c.ID, run, c.ID)
		}
	}
	return nil
}

// dropRuns deletes the runs of a branch that has lost its last checkpoint, with
// what belongs to them. All of them have ended, or the checkpoint would be there.
func (t *tx) dropRuns(ctx context.Context, op string, branch int64) error {
	ids, err := collect(ctx, t.reader, op, value[string],
		`SELECT r.id FROM runs r JOIN branches b ON b.workflow_id = r.workflow_id AND b.name = r.branch WHERE b.id = $1 AND r.ended = 1`, branch)
	if err != nil {
		return err
	}
	for _, id := range ids {
		for _, query := range []string{`DELETE FROM run_answers WHERE run_id = $1`, `DELETE FROM run_artifacts WHERE run_id = $1`, `DELETE FROM run_plans WHERE run_id = $1`, `DELETE FROM runs WHERE id = $1`} {
			if err := t.exec(ctx, op, query, id); err != nil {
				return err
			}
		}
	}
	return nil
}
