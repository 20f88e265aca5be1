package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func now() piton.Time { return piton.At(time.Now()) }

// Project finds the project of the first alias that is known, or makes one.
func (s *Store) Project(ctx context.Context, cleanName redact.Clean[string], cleanAliases redact.Clean[[]piton.Alias]) (piton.Project, error) {
	name, aliases := cleanName.Get(), cleanAliases.Get()
	if len(aliases) == 0 {
		return piton.Project{}, piton.Errorf(piton.Invalid, "find the project", "give the path of a folder", "a project without path or origin")
	}
	p, known, err := s.project(ctx, aliases)
	if err != nil || len(known) == len(aliases) {
		return p, err
	}
	err = s.write(ctx, "write the project", func(t *tx) error {
		// Another process may have been first.
		if p, known, err = t.project(ctx, aliases); err != nil {
			return err
		}
		if p.ID == "" {
			p = piton.Project{ID: piton.NewID(piton.ProjectPrefix), Name: name}
			if err := t.exec(ctx, "write the project", `INSERT INTO projects (id, name, created_at) VALUES ($1, $2, $3)`, p.ID, p.Name, now().Millis()); err != nil {
				return err
			}
		}
		for _, a := range aliases {
			if known[a] {
				continue
			}
			if err := t.exec(ctx, "write the project", `INSERT INTO aliases (kind, value, project) VALUES ($1, $2, $3) ON CONFLICT (kind, value) DO NOTHING`, string(a.Kind), a.Value, p.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return p, err
}

// KnownProject finds the project of the first alias that is known.
func (r reader) KnownProject(ctx context.Context, aliases []piton.Alias) (piton.Project, error) {
	p, _, err := r.project(ctx, aliases)
	if err == nil && p.ID == "" {
		err = piton.Errorf(piton.NotFound, "find the project", "nothing has been saved for it yet", "Piton has not seen this folder")
	}
	return p, err
}

// project looks the aliases up; the first one known decides.
func (r reader) project(ctx context.Context, aliases []piton.Alias) (p piton.Project, known map[piton.Alias]bool, err error) {
	known = map[piton.Alias]bool{}
	for _, a := range aliases {
		var found piton.Project
		err := r.q.QueryRowContext(ctx, `SELECT p.id, p.name FROM aliases a JOIN projects p ON p.id = a.project WHERE a.kind = $1 AND a.value = $2`, string(a.Kind), a.Value).
			Scan(&found.ID, &found.Name)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return p, nil, r.d.Error("find the project", err)
		}
		known[a] = true
		if p.ID == "" {
			p = found
		}
	}
	return p, known, nil
}

const sessionColumns = `id, agent, client_id, project, seen_at, workflow_id, current_id, rest`

func (r reader) session(ctx context.Context, op, where string, args ...any) (agent.Session, error) {
	s, err := scanSession(r.q.QueryRowContext(ctx, `SELECT `+sessionColumns+` FROM sessions WHERE `+where, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return s, piton.Errorf(piton.NotFound, op, "'sessions' shows what there is", "no such session")
	}
	if err != nil {
		return s, r.d.fail(op, err)
	}
	return s, nil
}

func scanSession(scan func(...any) error) (agent.Session, error) {
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
	var list []agent.Session
	err := s.rows(ctx, "list sessions", func(rows *sql.Rows) error {
		x, err := scanSession(rows.Scan)
		list = append(list, x)
		return err
	}, query, args...)
	return list, err
}

// PutSession adds a session or replaces it.
func (t *tx) PutSession(ctx context.Context, clean redact.Clean[agent.Session]) error {
	s := clean.Get()
	rest, err := json.Marshal(s)
	if err != nil {
		return &piton.Error{Code: piton.Internal, Op: "write session " + s.ID, Err: err}
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
	err := r.q.QueryRowContext(ctx, `SELECT started_at, ended_at, baseline FROM turns WHERE session_id = $1 AND n = $2`, session, n).Scan(&started, &ended, &t.Baseline)
	if errors.Is(err, sql.ErrNoRows) {
		return agent.Turn{}, nil
	}
	if err != nil {
		return agent.Turn{}, r.d.Error("read the turn", err)
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

// Decide records a decision and drops what is beyond the newest: their numbers
// rise without a gap.
func (t *tx) Decide(ctx context.Context, clean redact.Clean[agent.Decision]) error {
	d := clean.Get()
	data, err := json.Marshal(d)
	if err != nil {
		return &piton.Error{Code: piton.Internal, Op: "record the decision", Err: err}
	}
	const op = "record the decision"
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
	var list []agent.Decision
	err := s.rows(ctx, "list decisions", func(rows *sql.Rows) error {
		var data string
		if err := rows.Scan(&data); err != nil {
			return err
		}
		var d agent.Decision
		if err := json.Unmarshal([]byte(data), &d); err != nil {
			return err
		}
		list = append(list, d)
		return nil
	}, query, args...)
	return list, err
}
