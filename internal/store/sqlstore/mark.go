package sqlstore

import (
	"context"

	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// MarkDamaged marks a checkpoint as damaged.
func (s *Store) MarkDamaged(ctx context.Context, id string, clean redact.Clean[string]) error {
	why := clean.Get()
	op := "mark " + id + " as damaged"
	return s.write(ctx, op, func(t *tx) error {
		c, err := t.holdOne(ctx, id)
		if err != nil {
			return err
		}
		mark := "damaged = ''"
		if why == "" {
			mark = "damaged <> ''"
		}
		// For a damaged record, Damaged is the record error, not the mark.
		n, err := t.changed(ctx, op, `UPDATE checkpoints SET damaged = $1 WHERE ordinal = $2 AND `+mark, why, c.Ordinal)
		if err != nil || n == 0 {
			return err
		}
		return t.note(ctx, store.MarkEvent(now(), c, why))
	})
}
