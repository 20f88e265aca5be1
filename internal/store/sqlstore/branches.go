package sqlstore

import (
	"context"
	"database/sql"

	"github.com/piton-project/piton/internal/store"
)

// Branches lists the branches of a workflow, in the order they began. One that
// has lost all its checkpoints is still there, with the checkpoint the next
// save on it goes on from as its head.
func (r reader) Branches(ctx context.Context, workflow string) ([]store.Branch, error) {
	op := "find the branches of " + workflow
	w, err := r.workflow(ctx, op, `id = $1`, workflow)
	if err != nil {
		return nil, err
	}
	var list []store.Branch
	err = r.rows(ctx, op, func(rows *sql.Rows) error {
		var b store.Branch
		err := rows.Scan(&b.Name, &b.HeadID, &b.FromID, &b.Count)
		list = append(list, b)
		return err
	}, `SELECT b.name, b.head_id, b.from_id, (SELECT COUNT(*) FROM checkpoints c WHERE c.workflow_id = b.workflow_id AND c.branch = b.id)
		FROM branches b WHERE b.workflow_id = $1 ORDER BY b.id`, w.ID)
	return list, err
}
