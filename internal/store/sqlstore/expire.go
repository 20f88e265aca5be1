package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/piton-project/piton"
)

// expireStep is how many rows one transaction of Expire deletes: about 5 ms.
const expireStep = 500

// Expire deletes what is no longer kept, some rows at a time. What is old is
// looked for outside of any transaction, each row once.
func (s *Store) Expire(ctx context.Context, before piton.Time) error {
	// The newest event stays, so that no number is given out twice. A store that
	// was flushed to has a mark of its own (history.Flush); where there is none,
	// all of a checkpoint's events may still be asked for.
	var newest, flushed int64
	err := s.row(ctx, expireOp, `SELECT COALESCE((SELECT MAX(id) FROM events), 0), COALESCE((SELECT MIN(value) FROM counters WHERE name LIKE 'flushed%'), 0)`, nil, &newest, &flushed)
	if err != nil {
		return err
	}
	if err := expire(ctx, s, "decisions", int64(0), `at < $2`, before.Millis()); err != nil {
		return err
	}
	if err := expire(ctx, s, "letters", "", `done_at <> 0 AND done_at < $2`, before.Millis()); err != nil {
		return err
	}
	return expire(ctx, s, "events", int64(0), `at < $2 AND id < $3 AND (kind NOT LIKE 'checkpoint%' OR id <= $4)`, before.Millis(), newest, flushed)
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
