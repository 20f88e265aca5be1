package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

const sessionColumns = `id, agent, client_id, project, seen_at, workflow_id, current_id, rest`

func (r reader) session(ctx context.Context, op, where string, args ...any) (agent.Session, error) {
	s, err := scanSession(r.q.QueryRowContext(ctx, `SELECT `+sessionColumns+` FROM sessions WHERE `+where, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return s, store.NoSession(op)
	}
	if err != nil {
		return s, r.d.fail(op, err)
	}
	return s, nil
}

func scanSession(scan scanner) (agent.Session, error) {
	var s agent.Session
	var id, agent, client, project, workflow, current, rest string
	var seen int64
	if err := scan(&id, &agent, &client, &project, &seen, &workflow, &current, &rest); err != nil {
		return s, err
	}
	if err := json.Unmarshal([]byte(rest), &s); err != nil {
		return s, fmt.Errorf("session %s: %w", id, err)
	}
	s.ID, s.Agent, s.ClientID, s.Project, s.WorkflowID, s.CurrentID = id, agent, client, project, workflow, current
	s.SeenAt = piton.FromMillis(seen)
	return s, nil
}

// Session finds a session by our id, its beginning, or the client's own id.
func (r reader) Session(ctx context.Context, ref string) (agent.Session, error) {
	op := "find session " + ref
	if piton.IsID(piton.SessionPrefix, ref) {
		id, err := r.resolve(ctx, op, "sessions", piton.SessionPrefix, ref)
		if err != nil {
			return agent.Session{}, err
		}
		return r.session(ctx, op, `id = $1`, id)
	}
	return r.session(ctx, op, `client_id = $1 AND client_id <> '' ORDER BY seen_at DESC LIMIT 1`, ref)
}

// SessionByClient finds the session of a client's conversation.
func (r reader) SessionByClient(ctx context.Context, agent, clientID string) (agent.Session, error) {
	return r.session(ctx, "find session "+clientID, `client_id = $1 AND agent = $2`, clientID, agent)
}

// Sessions lists sessions, the last seen first.
func (s *Store) Sessions(ctx context.Context, q store.SessionQuery) ([]agent.Session, error) {
	query, args := `SELECT `+sessionColumns+` FROM sessions`, []any{}
	if q.Project != "" {
		query, args = query+` WHERE project = $1`, append(args, q.Project)
	}
	query += ` ORDER BY seen_at DESC, id`
	if q.Limit > 0 {
		query += fmt.Sprintf(` LIMIT %d`, q.Limit)
	}
	return collect(ctx, s.reader, "list sessions", scanSession, query, args...)
}

// PutSession adds a session or replaces it.
func (t *tx) PutSession(ctx context.Context, clean redact.Clean[agent.Session]) error {
	s := clean.Get()
	rest, err := json.Marshal(s)
	if err != nil {
		return internal("write session "+s.ID, err)
	}
	return t.exec(ctx, "write session "+s.ID, `INSERT INTO sessions (id, agent, client_id, project, seen_at, workflow_id, current_id, rest)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (id) DO UPDATE SET agent = excluded.agent, client_id = excluded.client_id, project = excluded.project, seen_at = excluded.seen_at, workflow_id = excluded.workflow_id,
		current_id = excluded.current_id, rest = excluded.rest`,
		s.ID, s.Agent, s.ClientID, s.Project, s.SeenAt.Millis(), s.WorkflowID, s.CurrentID, string(rest))
}

// Turn returns a turn's beginning, the zero Turn when it was not seen.
func (r reader) Turn(ctx context.Context, session string, n int) (agent.Turn, error) {
	t := agent.Turn{SessionID: session, N: n}
	var started, ended int64
	found, err := r.get(ctx, "read the turn", `SELECT started_at, ended_at, baseline FROM turns WHERE session_id = $1 AND n = $2`, params{session, n}, &started, &ended, &t.Baseline)
	if err != nil || !found {
		return agent.Turn{}, err
	}
	t.StartedAt, t.EndedAt = piton.FromMillis(started), piton.FromMillis(ended)
	return t, nil
}

// PutTurn adds a turn or replaces it. A turn that has ended needs no baseline.
func (t *tx) PutTurn(ctx context.Context, clean redact.Clean[agent.Turn]) error {
	x := clean.Get()
	// No baseline is NULL, an empty one is not: a nil slice would be written as
	// an empty one.
	var baseline any
	if x.Baseline != nil {
		baseline = x.Baseline
	}
	return t.exec(ctx, "write the turn", `INSERT INTO turns (session_id, n, started_at, ended_at, baseline) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (session_id, n) DO UPDATE SET started_at = excluded.started_at, ended_at = excluded.ended_at, baseline = excluded.baseline`,
		x.SessionID, x.N, x.StartedAt.Millis(), x.EndedAt.Millis(), baseline)
}
