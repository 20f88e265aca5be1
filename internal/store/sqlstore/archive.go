package sqlstore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/record"
)

// Archive notes that states lie in a file of the archive and drops them here.
func (t *tx) Archive(ctx context.Context, ids []string, file string) (freed int64, err error) {
	held, err := t.hold(ctx, ids...)
	if err != nil {
		return 0, err
	}
	moved, err := store.PlanArchive(held, file)
	if err != nil {
		return 0, err
	}
	epochs := map[epoch]bool{}
	for _, c := range moved {
		op := "archive " + c.ID
		e, size, err := t.place(ctx, op, c.Ordinal)
		if err != nil {
			return 0, err
		}
		epochs[e] = true
		freed += size
		if err := t.exec(ctx, op, `DELETE FROM manifests WHERE checkpoint = $1`, c.Ordinal); err != nil {
			return 0, err
		}
		if err := t.exec(ctx, op, `UPDATE checkpoints SET archive = $1 WHERE ordinal = $2`, file, c.Ordinal); err != nil {
			return 0, err
		}
		if err := t.note(ctx, store.ArchiveEvent(now(), c, file)); err != nil {
			return 0, err
		}
	}
	swept, err := t.sweep(ctx, epochs)
	return freed + swept, err
}

// Rewrite puts other texts and another state in the place of a checkpoint's.
func (t *tx) Rewrite(ctx context.Context, clean redact.Clean[store.Prepared]) error {
	return t.rewrite(ctx, clean.Get())
}

func (t *tx) rewrite(ctx context.Context, p store.Prepared) error {
	op := "rewrite " + p.Record.ID
	c, err := t.holdOne(ctx, p.Record.ID)
	if err != nil {
		return err
	}
	if c, err = store.PlanRewrite(op, c, p); err != nil {
		return err
	}
	s, err := record.Sealed(op, c)
	if err != nil {
		return err
	}
	if c.Archive == "" && t.d.Elsewhere == nil {
		if err := t.restate(ctx, op, c, p.State.Get()); err != nil {
			return err
		}
	}
	return t.exec(ctx, op, `UPDATE checkpoints SET state_bytes = $1, sum = $2, tags = $3, rest = $4, seal = $5 WHERE ordinal = $6`,
		c.StateBytes, s.Sum, s.Tags, s.Rest, s.Seal, c.Ordinal)
}

// restate gives a checkpoint other blobs and drops those that nothing names any
// more.
func (t *tx) restate(ctx context.Context, op string, c piton.Checkpoint, state []byte) error {
	e, _, err := t.place(ctx, op, c.Ordinal)
	if err != nil {
		return err
	}
	k, err := t.d.pack(op, state, nil, true)
	if err != nil {
		return err
	}
	numbers, _, err := t.putBlobs(ctx, op, e, k.plan.New)
	if err != nil {
		return err
	}
	if err := t.exec(ctx, op, `UPDATE manifests SET data = $1 WHERE checkpoint = $2`, k.plan.Layout(numbers).Manifest(), c.Ordinal); err != nil {
		return err
	}
	_, err = t.sweepOne(ctx, e)
	return err
}
