package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
)

const letterColumns = `id, session_id, kind, due, body, attempts, done_at, outcome`

func scanLetter(scan scanner) (agent.Letter, error) {
	var l agent.Letter
	var due, done int64
	err := scan(&l.ID, &l.SessionID, &l.Kind, &due, &l.Body, &l.Attempts, &done, &l.Outcome)
	l.Due, l.DoneAt = piton.FromMillis(due), piton.FromMillis(done)
	return l, err
}

// Letters are those that wait and are due, the longest due first.
func (s *Store) Letters(ctx context.Context, due piton.Time, limit int) ([]agent.Letter, error) {
	query, args := `SELECT `+letterColumns+` FROM letters WHERE done_at = 0`, []any{}
	if !due.IsZero() {
		query, args = query+` AND due <= $1`, append(args, due.Millis())
	}
	query += ` ORDER BY due, id`
	if limit > 0 {
		query += fmt.Sprintf(` LIMIT %d`, limit)
	}
	return collect(ctx, s.reader, "list letters", scanLetter, query, args...)
}

// Post adds a letter; the same id again changes nothing.
func (t *tx) Post(ctx context.Context, clean redact.Clean[agent.Letter]) error {
	l := clean.Get()
	return t.exec(ctx, "post a letter", `INSERT INTO letters (id, session_id, kind, due, body) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
		l.ID, l.SessionID, l.Kind, l.Due.Millis(), l.Body)
}

// Claim takes a letter that waits and is due.
func (t *tx) Claim(ctx context.Context, id string, at, until piton.Time) (agent.Letter, bool, error) {
	l, err := scanLetter(t.q.QueryRowContext(ctx, `UPDATE letters SET due = $1, attempts = attempts + 1 WHERE id = $2 AND done_at = 0 AND due <= $3 RETURNING `+letterColumns,
		until.Millis(), id, at.Millis()).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return agent.Letter{}, false, nil
	}
	if err != nil {
		return agent.Letter{}, false, t.d.fail("take letter "+id, err)
	}
	return l, true, nil
}

// PutLetter keeps when a letter is due again, or that it is done.
func (t *tx) PutLetter(ctx context.Context, clean redact.Clean[agent.Letter]) error {
	l := clean.Get()
	op := "write letter " + l.ID
	n, err := t.changed(ctx, op, `UPDATE letters SET due = $1, done_at = $2, outcome = $3 WHERE id = $4`, l.Due.Millis(), l.DoneAt.Millis(), l.Outcome, l.ID)
	if err == nil && n == 0 {
		err = piton.Errorf(piton.NotFound, op, "", "no such letter")
	}
	return err
}
