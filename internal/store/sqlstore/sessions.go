package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/record"
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
	if s.Damaged {
		return s, piton.Errorf(piton.Corrupt, op, "'verify repair' begins its record anew and keeps its checkpoints", "the record of session %s cannot be read", s.ID)
	}
	return s, nil
}

// scanSession reads a row. One whose fields cannot be read is marked, so that a
// list goes on with the others.
func scanSession(scan scanner) (agent.Session, error) {
	var id, name, client, project, workflow, current, rest string
	var seen int64
	if err := scan(&id, &name, &client, &project, &seen, &workflow, &current, &rest); err != nil {
		return agent.Session{}, err
	}
	s, err := record.ReadSession([]byte(rest))
	if err != nil {
		s = agent.Session{Identity: agent.Identity{Damaged: true}} // what was read of it so far is not to be trusted
	}
	s.ID, s.Agent, s.ClientID, s.Project, s.WorkflowID, s.CurrentID = id, name, client, project, workflow, current
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
	where := func(column, is string) {
		if is != "" {
			args = append(args, is)
			query += fmt.Sprintf(` %s %s = $%d`, [...]string{"WHERE", "AND"}[min(len(args), 2)-1], column, len(args))
		}
	}
	where("project", q.Project)
	where("agent", q.Agent)
	query += ` ORDER BY seen_at DESC, id`
	if q.Limit > 0 {
		query += fmt.Sprintf(` LIMIT %d`, q.Limit)
	}
	return collect(ctx, s.reader, "list sessions", scanSession, query, args...)
}

// damagedSessions are the ids of the sessions whose rows cannot be read.
func (r reader) damagedSessions(ctx context.Context, op string) (ids []string, err error) {
	all, err := collect(ctx, r, op, scanSession, `SELECT `+sessionColumns+` FROM sessions`)
	for _, s := range all {
		if s.Damaged {
			ids = append(ids, s.ID)
		}
	}
	return ids, err
}

// mendSessions begins the records of damaged sessions anew: what is in columns of
// their own stays, so that their checkpoints are found, and so does nothing else.
func (t *tx) mendSessions(ctx context.Context, op string) (done []string, err error) {
	ids, err := t.damagedSessions(ctx, op)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := t.exec(ctx, op, `UPDATE sessions SET rest = '{}' WHERE id = $1`, id); err != nil {
			return nil, err
		}
		done = append(done, "began the record of session "+id+" anew: it could not be read")
	}
	return done, nil
}

// PutSession adds a session or replaces it.
func (t *tx) PutSession(ctx context.Context, clean redact.Clean[agent.Session]) error {
	s := clean.Get()
	rest, err := record.WriteSession(s)
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
