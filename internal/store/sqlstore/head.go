package sqlstore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// onAside tells in SQL whether a checkpoint x lies on a branch that an import
// has set aside.
const onAside = `SUBSTR(x.branch_name, 1, 9) = '` + piton.AsidePrefix + `'`

// headOf is store.Leads in SQL, as a column of a workflow's head: of the highest
// number that no import has set aside, else of the highest there is; null where
// there is none.
func headOf(column, workflow string) string {
	newest := func(also string) string {
		return `(SELECT x.` + column + ` FROM checkpoints x WHERE x.workflow_id = ` + workflow + also + ` ORDER BY x.seq DESC LIMIT 1)`
	}
	return `COALESCE(` + newest(` AND NOT `+onAside) + `, ` + newest("") + `)`
}

// rehead finds a workflow's head again.
func (t *tx) rehead(ctx context.Context, workflow string) error {
	op := "find the head of " + workflow
	was, err := t.workflow(ctx, op, `id = $1`+t.d.Lock, workflow)
	if err != nil {
		return err
	}
	head, err := t.checkpoint(ctx, op, `c.ordinal = `+headOf("ordinal", "$1"), workflow)
	if err != nil && piton.CodeOf(err) != piton.NotFound {
		return err
	}
	w := store.Rehead(was, head)
	if w.HeadID == was.HeadID {
		return nil
	}
	return t.exec(ctx, op, `UPDATE workflows SET head_id = $1, head_ordinal = $2, head_session = $3, closed = $4 WHERE id = $5`,
		w.HeadID, head.Ordinal, head.SessionID, boolInt(w.Closed), workflow)
}
