package sqlstore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Index is a transaction over an index of checkpoints that are kept elsewhere
// (Dialect.Elsewhere). What a Writer does it does to the records alone; Keep, Put and
// Forget take over what was found elsewhere.
type Index struct{ *tx }

// Over returns w as a transaction over an index. noted gets its events.
func (s *Store) Over(w Work, noted func(store.LogEvent)) Index {
	return Index{&tx{reader: reader{q: w, d: s.d}, noted: noted}}
}

// Append is Writer.Append; the state is only measured.
func (x Index) Append(ctx context.Context, p store.Prepared) (piton.Checkpoint, error) {
	return x.append(ctx, p)
}

// Import is Writer.Import; the state is only measured.
func (x Index) Import(ctx context.Context, e store.Entry) (bool, error) { return x.importEntry(ctx, e) }

// Rewrite is Writer.Rewrite; the state is only measured.
func (x Index) Rewrite(ctx context.Context, p store.Prepared) error { return x.rewrite(ctx, p) }

// DropSearch forgets the search index, as Store.DropSearch.
func (x Index) DropSearch(ctx context.Context) error { return x.dropSearch(ctx) }

// Keep adds a workflow with its branches as they are, and returns it: a name that is
// taken gets a number behind it. head is its head; the zero Checkpoint: none.
func (x Index) Keep(ctx context.Context, w piton.Workflow, head piton.Checkpoint, branches []store.Branch) (piton.Workflow, error) {
	op := "keep workflow " + w.Label()
	last := w.Seq
	w, err := x.adopt(ctx, op, w)
	if err != nil {
		return w, err
	}
	err = x.exec(ctx, op, `UPDATE workflows SET seq = $1, head_id = $2, head_ordinal = $3, head_session = $4 WHERE id = $5`, last, head.ID, head.Ordinal, head.SessionID, w.ID)
	for _, b := range branches {
		if err == nil {
			err = x.exec(ctx, op, `INSERT INTO branches (workflow_id, name, head_id, appended, from_id) VALUES ($1, $2, $3, 0, $4) ON CONFLICT (workflow_id, name) DO NOTHING`, w.ID, b.Name, b.HeadID, b.FromID)
		}
	}
	return w, err
}

// Put adds a record of a branch that is there, or replaces the one with its id.
func (x Index) Put(ctx context.Context, c piton.Checkpoint) error {
	op := "keep checkpoint " + c.ID
	b, found, err := x.branchRow(ctx, c.WorkflowID, c.Branch, "")
	if err == nil && !found {
		err = store.NoWorkflow(op)
	}
	if err == nil {
		err = x.exec(ctx, op, `DELETE FROM checkpoints WHERE id = $1`, c.ID)
	}
	if err == nil {
		err = x.insert(ctx, op, b.epoch(), c, nil)
	}
	if err == nil && c.Archive+c.Damaged != "" {
		err = x.exec(ctx, op, `UPDATE checkpoints SET archive = $1, damaged = $2 WHERE ordinal = $3`, c.Archive, c.Damaged, c.Ordinal)
	}
	return err
}

// Forget drops a workflow with all that is in it.
func (x Index) Forget(ctx context.Context, workflow string) error {
	const op = "forget a workflow"
	for _, query := range []string{`DELETE FROM checkpoints WHERE workflow_id = $1`, `DELETE FROM branches WHERE workflow_id = $1`, `DELETE FROM workflows WHERE id = $1`} {
		if err := x.exec(ctx, op, query, workflow); err != nil {
			return err
		}
	}
	return nil
}

// Await notes that a checkpoint waits for its parent, which is not there.
func (x Index) Await(ctx context.Context, c piton.Checkpoint, parent string) error {
	return x.link(ctx, "keep checkpoint "+c.ID, c, parent)
}
