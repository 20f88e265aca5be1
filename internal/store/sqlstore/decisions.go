package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
)

// Decide records a decision and drops what is beyond the newest: their numbers
// rise without a gap.
func (t *tx) Decide(ctx context.Context, clean redact.Clean[agent.Decision]) error {
	d := clean.Get()
	const op = "record the decision"
	data, err := json.Marshal(d)
	if err != nil {
		return internal(op, err)
	}
	if err := t.exec(ctx, op, `INSERT INTO decisions (at, session_id, data) VALUES ($1, $2, $3)`, d.At.Millis(), d.Session, string(data)); err != nil {
		return err
	}
	return t.exec(ctx, op, `DELETE FROM decisions WHERE id <= (SELECT MAX(id) FROM decisions) - $1`, agent.DecisionsKept)
}

// Decisions returns what was decided, newest first.
func (s *Store) Decisions(ctx context.Context, session string, limit int) ([]agent.Decision, error) {
	query, args := `SELECT data FROM decisions`, []any{}
	if session != "" {
		query, args = query+` WHERE session_id = $1`, append(args, session)
	}
	query += ` ORDER BY id DESC`
	if limit > 0 {
		query += fmt.Sprintf(` LIMIT %d`, limit)
	}
	return collect(ctx, s.reader, "list decisions", fromJSON[agent.Decision], query, args...)
}

// Verified is what a command that Piton ran itself gave under this key.
func (s *Store) Verified(ctx context.Context, key string) (v agent.Verified, err error) {
	const op = "read what a command gave"
	all, err := collect(ctx, s.reader, op, fromJSON[agent.Verified], `SELECT data FROM verified WHERE key = $1`, key)
	if err == nil && len(all) == 0 {
		err = piton.Errorf(piton.NotFound, op, "", "it has not run on this tree")
	}
	if err != nil {
		return v, err
	}
	return all[0], nil
}

// PutVerified keeps what a command gave, and drops the oldest.
func (t *tx) PutVerified(ctx context.Context, key string, clean redact.Clean[agent.Verified]) error {
	v := clean.Get()
	const op = "keep what a command gave"
	data, err := json.Marshal(v)
	if err != nil {
		return internal(op, err)
	}
	err = t.exec(ctx, op, `INSERT INTO verified (key, at, data) VALUES ($1, $2, $3) ON CONFLICT (key) DO UPDATE SET at = excluded.at, data = excluded.data`,
		key, v.At.Millis(), string(data))
	if err != nil {
		return err
	}
	return t.exec(ctx, op, `DELETE FROM verified WHERE key NOT IN (SELECT key FROM verified ORDER BY at DESC, key LIMIT $1)`, agent.VerifiedKept)
}
