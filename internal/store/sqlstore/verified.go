package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
)

// Verified is what a command that Piton ran itself gave under this key.
func (s *Store) Verified(ctx context.Context, key string) (agent.Verified, error) {
	const op = "read what a command gave"
	var v agent.Verified
	var data string
	err := s.q.QueryRowContext(ctx, `SELECT data FROM verified WHERE key = $1`, key).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return v, piton.Errorf(piton.NotFound, op, "", "it has not run on this tree")
	}
	if err == nil {
		err = json.Unmarshal([]byte(data), &v)
	}
	if err != nil {
		return agent.Verified{}, s.D.fail(op, err)
	}
	return v, nil
}

// PutVerified keeps what a command gave, and drops the oldest.
func (t *tx) PutVerified(ctx context.Context, key string, clean redact.Clean[agent.Verified]) error {
	v := clean.Get()
	const op = "keep what a command gave"
	data, err := json.Marshal(v)
	if err != nil {
		return &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	err = t.exec(ctx, op, `INSERT INTO verified (key, at, data) VALUES ($1, $2, $3) ON CONFLICT (key) DO UPDATE SET at = excluded.at, data = excluded.data`,
		key, v.At.Millis(), string(data))
	if err != nil {
		return err
	}
	return t.exec(ctx, op, `DELETE FROM verified WHERE key NOT IN (SELECT key FROM verified ORDER BY at DESC, key LIMIT $1)`, agent.VerifiedKept)
}
