package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// expireStep is how many rows one transaction of Expire deletes: about 5 ms.
const expireStep = 500

// Expire deletes what is no longer kept, some rows at a time. What is old is
// looked for outside of any transaction, each row once.
func (s *Store) Expire(ctx context.Context, before piton.Time) error {
	// The newest event stays, so that no number is given out twice.
	var newest int64
	if err := s.row(ctx, expireOp, `SELECT COALESCE(MAX(id), 0) FROM events`, nil, &newest); err != nil {
		return err
	}
	carried, err := s.carriedUpTo(ctx, before)
	if err != nil {
		return err
	}
	if err := s.ExpireMetrics(ctx, piton.At(before.Add(-metricsLonger))); err != nil {
		return err
	}
	if err := expire(ctx, s, "decisions", int64(0), `at < $2`, before.Millis()); err != nil {
		return err
	}
	if err := expire(ctx, s, "letters", "", `done_at <> 0 AND done_at < $2`, before.Millis()); err != nil {
		return err
	}
	if err := s.noteGone(ctx, before, min(carried, newest-1)); err != nil {
		return err
	}
	return expire(ctx, s, "events", int64(0), `at < $2 AND id < $3 AND (kind NOT LIKE 'checkpoint%' OR id <= $4)`, before.Millis(), newest, carried)
}

// waitForStore is how much longer than others the events are kept that a store has not
// got which was reached before: 90 days in all. One that is not reached for so long
// may be gone for good; if it comes back, everything is carried to it.
const waitForStore = 60 * 24 * time.Hour

// carriedUpTo is the number up to which every store that is still in use has got the
// events; where there is none, nobody asks for any.
func (s *Store) carriedUpTo(ctx context.Context, before piton.Time) (int64, error) {
	const flushed = `SELECT m.value, COALESCE(r.value, 0), m.name FROM counters m LEFT JOIN counters r ON r.name = $1 || m.name WHERE m.name LIKE 'flushed%'`
	up, unseen := int64(math.MaxInt64), []string(nil)
	err := s.rows(ctx, expireOp, func(rows *sql.Rows) error {
		var mark, reached int64
		var name string
		if err := rows.Scan(&mark, &reached, &name); err != nil {
			return err
		}
		if reached == 0 {
			unseen = append(unseen, name)
		}
		if reached == 0 || reached >= before.Add(-waitForStore).UnixMilli() {
			up = min(up, mark)
		}
		return nil
	}, flushed, store.ReachedMark)
	if err != nil || len(unseen) == 0 {
		return up, err
	}
	// An older version has noted no time: it counts from now on.
	return up, s.write(ctx, expireOp, func(t *tx) error {
		for _, name := range unseen {
			if err := t.SetMark(ctx, store.ReachedMark+name, before.Millis()); err != nil {
				return err
			}
		}
		return nil
	})
}

// noteGone keeps which events of checkpoints are about to go, ahead of that: a store
// that has not got them is given everything (history.Flush).
func (s *Store) noteGone(ctx context.Context, before piton.Time, up int64) error {
	var last, was int64
	err := s.row(ctx, expireOp, `SELECT COALESCE((SELECT MAX(id) FROM events WHERE at < $1 AND id <= $2 AND kind LIKE 'checkpoint%'), 0), COALESCE((SELECT value FROM counters WHERE name = $3), 0)`,
		params{before.Millis(), up, store.GoneMark}, &last, &was)
	if err != nil || last <= was {
		return err
	}
	return s.write(ctx, expireOp, func(t *tx) error { return t.SetMark(ctx, store.GoneMark, last) })
}

const expireOp = "delete what is old"

// expire deletes the rows of a table that fit, in the order of their keys,
// which come after the key given.
func expire[K int64 | string](ctx context.Context, s *Store, table string, after K, where string, args ...any) error {
	query := fmt.Sprintf(`SELECT id FROM %s WHERE id > $1 AND %s ORDER BY id LIMIT %d`, table, where, expireStep)
	for {
		var old []any
		err := s.rows(ctx, expireOp, func(rows *sql.Rows) error {
			err := rows.Scan(&after)
			old = append(old, after)
			return err
		}, query, append([]any{after}, args...)...)
		if err != nil || len(old) == 0 {
			return err
		}
		these := batch{}
		these.add(old...)
		err = s.write(ctx, expireOp, func(t *tx) error {
			return t.exec(ctx, expireOp, `DELETE FROM `+table+` WHERE id IN `+these.text.String(), these.args...)
		})
		if err != nil {
			return err
		}
	}
}

// metricsLonger is how much longer than events the counters of a day are kept.
const metricsLonger = store.MetricsFor - store.EventsFor

// ExpireMetrics deletes the counters of days before a time, and the keys of starts.
func (s *Store) ExpireMetrics(ctx context.Context, at piton.Time) error {
	keys, err := s.get(ctx, expireOp, `SELECT 1 FROM start_keys WHERE at < $1 LIMIT 1`, params{at.Millis()}, new(int))
	if err == nil && keys {
		err = s.write(ctx, expireOp, func(t *tx) error {
			return t.exec(ctx, expireOp, `DELETE FROM start_keys WHERE at < $1`, at.Millis())
		})
	}
	if err != nil {
		return err
	}
	before := dayKey(at.Time)
	old, err := s.get(ctx, expireOp, `SELECT 1 FROM counters WHERE name >= $1 AND name < $2 LIMIT 1`, params{metricKey, before}, new(int))
	if err != nil || !old {
		return err
	}
	return s.write(ctx, expireOp, func(t *tx) error {
		return t.exec(ctx, expireOp, `DELETE FROM counters WHERE name >= $1 AND name < $2`, metricKey, before)
	})
}
