package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Events are those behind a number, oldest first.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]store.LogEvent, error) {
	var list []store.LogEvent
	err := s.rows(ctx, "read events", func(rows *sql.Rows) error {
		var e store.LogEvent
		var at int64
		var data string
		err := rows.Scan(&e.ID, &at, &e.Kind, &e.Session, &e.Project, &e.Workflow, &e.Checkpoint, &data)
		if err == nil && data != "" {
			err = json.Unmarshal([]byte(data), &e.Data)
		}
		e.At = piton.FromMillis(at)
		list = append(list, e)
		return err
	}, `SELECT id, at, kind, session_id, project, workflow_id, checkpoint_id, data FROM events WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
	return list, err
}

// Event is the event with a number: its time and its checkpoint.
func (r reader) Event(ctx context.Context, id int64) (store.LogEvent, error) {
	return r.event(ctx, `id = $1`, id)
}

// NewestEvent is the newest one; the zero LogEvent where there is none.
func (s *Store) NewestEvent(ctx context.Context) (store.LogEvent, error) {
	e, err := s.event(ctx, `id = (SELECT MAX(id) FROM events)`)
	if piton.CodeOf(err) == piton.NotFound {
		return e, nil
	}
	return e, err
}

func (r reader) event(ctx context.Context, where string, args ...any) (e store.LogEvent, err error) {
	const op = "read an event"
	var at int64
	err = r.q.QueryRowContext(ctx, `SELECT id, at, checkpoint_id FROM events WHERE `+where, args...).Scan(&e.ID, &at, &e.Checkpoint)
	if errors.Is(err, sql.ErrNoRows) {
		return e, piton.Errorf(piton.NotFound, op, "", "no such event")
	}
	if err != nil {
		return e, r.d.fail(op, err)
	}
	e.At = piton.FromMillis(at)
	return e, nil
}

// Mark is a number kept under a name.
func (s *Store) Mark(ctx context.Context, name string) (n int64, err error) {
	err = s.q.QueryRowContext(ctx, `SELECT value FROM counters WHERE name = $1`, name).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		err = s.D.fail("read the mark "+name, err)
	}
	return n, err
}

// SetMark keeps a number under a name.
func (t *tx) SetMark(ctx context.Context, name string, n int64) error {
	return t.exec(ctx, "set the mark "+name, `INSERT INTO counters (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, n)
}

// Projects lists the projects of this machine with their origins.
func (s *Store) Projects(ctx context.Context) ([]piton.Project, error) {
	var list []piton.Project
	err := s.rows(ctx, "list the projects", func(rows *sql.Rows) error {
		var p piton.Project
		err := rows.Scan(&p.ID, &p.Name, &p.Origin)
		list = append(list, p)
		return err
	}, `SELECT p.id, p.name, COALESCE((SELECT MIN(a.value) FROM aliases a WHERE a.project = p.id AND a.kind = 'origin'), '') FROM projects p ORDER BY p.id`)
	return list, err
}

// Mirrored are the open heads of another store in a project.
func (s *Store) Mirrored(ctx context.Context, store, project string) ([]piton.Checkpoint, error) {
	var list []piton.Checkpoint
	err := s.rows(ctx, "read the mirrored heads", func(rows *sql.Rows) error {
		var record string
		if err := rows.Scan(&record); err != nil {
			return err
		}
		var c piton.Checkpoint
		err := json.Unmarshal([]byte(record), &c)
		list = append(list, c)
		return err
	}, `SELECT record FROM mirror m WHERE m.store = $1 AND m.project = $2 AND NOT EXISTS (SELECT 1 FROM workflows w WHERE w.id = m.workflow_id AND w.type = $3) ORDER BY record`, store, project, piton.TypeSession)
	return list, err
}

// SetMirror keeps the open heads of another store in a project.
func (t *tx) SetMirror(ctx context.Context, store, project string, clean redact.Clean[[]piton.Checkpoint]) error {
	heads := clean.Get()
	const op = "mirror open heads"
	if err := t.exec(ctx, op, `DELETE FROM mirror WHERE project = $1 AND store = $2`, project, store); err != nil {
		return err
	}
	for _, c := range heads {
		record, err := json.Marshal(c)
		if err != nil {
			return &piton.Error{Code: piton.Internal, Op: op, Err: err}
		}
		if err := t.exec(ctx, op, `INSERT INTO mirror (store, project, workflow_id, record) VALUES ($1, $2, $3, $4)`, store, project, c.WorkflowID, string(record)); err != nil {
			return err
		}
	}
	return nil
}
