package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store/record"
	"github.com/piton-project/piton/internal/store/words"
)

// catchUp makes the index where it is missing, adds what came and drops what
// went since the last search.
func (s *Store) catchUp(ctx context.Context, text func(piton.Checkpoint, []byte) string) error {
	const op = "search"
	settled, err := s.settled(ctx, op, ofCheckpoints)
	if err != nil {
		return err
	}
	var newest int64
	if err := s.row(ctx, op, `SELECT COALESCE(MAX(ordinal), 0) FROM checkpoints`, nil, &newest); err != nil {
		return err
	}
	// Rows above what is settled are added too, and looked at again by the next search: one
	// below them may come.
	for was, at := int64(0), int64(0); ; {
		mark, found, err := s.mark(ctx, op)
		if mark < was || !found {
			at = 0 // the index is another one
		}
		was, at = mark, max(mark, at)
		switch {
		case err != nil:
			return err
		case !found:
			if err := s.write(ctx, op, func(t *tx) error { return t.createSearch(ctx) }); err != nil {
				return err
			}
			continue
		case at >= newest:
			return s.forget(ctx, mark)
		}
		step, err := s.step(ctx, at, text)
		if err != nil {
			return err
		}
		if len(step) == 0 {
			return s.forget(ctx, mark) // what was new went again
		}
		for done := 1; len(step) > 0 && done > 0; step = step[done:] {
			err := s.write(ctx, op, func(t *tx) (err error) { done, err = t.index(ctx, mark, settled, step); return err })
			if err != nil {
				return err
			}
			if done > 0 {
				at = step[done-1].ordinal
				mark = max(mark, min(at, settled))
			}
		}
		was = mark
	}
}

// step reads the checkpoints after mark, outside of any transaction.
func (s *Store) step(ctx context.Context, mark int64, text func(piton.Checkpoint, []byte) string) ([]searchEntry, error) {
	all, err := collect(ctx, s.reader, "search", record.Checkpoint, `SELECT `+record.CheckpointColumns+checkpointFrom+fmt.Sprintf(`WHERE c.ordinal > $1 ORDER BY c.ordinal LIMIT %d`, stepRows), mark)
	if err != nil {
		return nil, err
	}
	var step []searchEntry
	size := 0
	for _, c := range all {
		ts, err := s.termsOf(ctx, c, text)
		if err != nil {
			return nil, err
		}
		e := searchEntry{c.Ordinal, strings.Join(ts, " ")}
		step = append(step, e)
		if size += len(e.terms); size > stepBytes {
			break
		}
	}
	return step, nil
}

// termsOf is what a checkpoint is found by. What is damaged is marked, and
// found by its record alone; so is what lies in an archive, or went meanwhile.
func (s *Store) termsOf(ctx context.Context, c piton.Checkpoint, text func(piton.Checkpoint, []byte) string) ([]string, error) {
	state, err := s.State(ctx, c.ID)
	switch piton.CodeOf(err) {
	case "", piton.NotFound:
	case piton.Corrupt:
		if c.Damaged == "" && s.D.Elsewhere == nil {
			_ = s.MarkDamaged(ctx, c.ID, redact.Value(err.Error())) // a load will mark it else
		}
	default:
		return nil, err
	}
	if err != nil {
		state = nil
	}
	return words.Terms(text(c, state)), nil
}
