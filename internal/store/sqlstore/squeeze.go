package sqlstore

import (
	"bytes"
	"context"

	"github.com/piton-project/piton/internal/store/pack"
)

// squeezed is the counter of the last checkpoint whose state was looked at by squeeze.
const squeezed = "squeezed"

// squeeze compresses the states that lie in their manifests as they came: a save has no time
// for that. Each is a transaction of its own, so that savers wait for one at most. A damaged
// state stays as it is.
func (s *Store) squeeze(ctx context.Context) error {
	const op = "compress states"
	from, err := s.Mark(ctx, squeezed)
	if err != nil || s.D.Plain {
		return err
	}
	last, err := s.settled(ctx, op, ofCheckpoints)
	if err == nil {
		err = s.row(ctx, op, `SELECT COALESCE(MAX(checkpoint), 0) FROM manifests WHERE checkpoint <= $1`, params{last}, &last)
	}
	for err == nil && from < last {
		from, err = s.squeezeNext(ctx, op, from, last)
	}
	return err
}

// squeezeNext compresses the next state behind a number, and returns how far it has come.
func (s *Store) squeezeNext(ctx context.Context, op string, from, last int64) (int64, error) {
	k := kept{ordinal: last}
	_, err := s.get(ctx, op, `SELECT m.checkpoint, m.data, c.sum FROM manifests m JOIN checkpoints c ON c.ordinal = m.checkpoint
		WHERE m.checkpoint > $1 AND m.checkpoint <= $2 AND LENGTH(m.data) > $3 AND m.data > $4 ORDER BY m.checkpoint LIMIT 1`,
		params{from, last, pack.Whole, pack.HeldPlain}, &k.ordinal, &k.manifest, &k.sum)
	if err != nil {
		return from, err
	}
	tight := k.manifest
	if state := k.whole(); state != nil && bytes.HasPrefix(k.manifest, pack.HeldPlain) {
		if tight, err = pack.Squeezed(state); err != nil {
			return from, internal(op, err)
		}
	}
	return k.ordinal, s.write(ctx, op, func(t *tx) error {
		if len(tight) < len(k.manifest) {
			if err := t.exec(ctx, op, `UPDATE manifests SET data = $1 WHERE checkpoint = $2 AND data = $3`, tight, k.ordinal, k.manifest); err != nil {
				return err
			}
		}
		return t.SetMark(ctx, squeezed, k.ordinal)
	})
}
