package sqlstore

import (
	"context"
	"encoding/json"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Events are those behind a number, oldest first, as far as no more will come between them.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]store.LogEvent, error) {
	const op = "read events"
	up, err := s.settled(ctx, op, ofEvents)
	if err != nil {
		return nil, err
	}
	return collect(ctx, s.reader, op, func(scan scanner) (e store.LogEvent, err error) {
		var at int64
		var data string
		err = scan(&e.ID, &at, &e.Kind, &e.Session, &e.Project, &e.Workflow, &e.Checkpoint, &data)
		if err == nil && data != "" {
			err = json.Unmarshal([]byte(data), &e.Data)
		}
		e.At = piton.FromMillis(at)
		return e, err
	}, `SELECT id, at, kind, session_id, project, workflow_id, checkpoint_id, data FROM events WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3`, after, up, limit)
}

// Event is the event with a number: its time and its checkpoint.
func (r reader) Event(ctx context.Context, id int64) (store.LogEvent, error) {
	e, found, err := r.event(ctx, `id = $1`, id)
	if err == nil && !found {
		err = piton.Errorf(piton.NotFound, "read an event", "", "no such event")
	}
	return e, err
}

// NewestEvent is the newest one of Events; the zero LogEvent where there is none.
func (s *Store) NewestEvent(ctx context.Context) (e store.LogEvent, err error) {
	up, err := s.settled(ctx, "read an event", ofEvents)
	if err == nil {
		e, _, err = s.event(ctx, `id = (SELECT MAX(id) FROM events WHERE id <= $1)`, up)
	}
	return e, err
}

func (r reader) event(ctx context.Context, where string, args ...any) (e store.LogEvent, found bool, err error) {
	var at int64
	found, err = r.get(ctx, "read an event", `SELECT id, at, checkpoint_id FROM events WHERE `+where, args, &e.ID, &at, &e.Checkpoint)
	e.At = piton.FromMillis(at)
	return e, found, err
}

// Log adds an event to the stream.
func (t *tx) Log(ctx context.Context, clean redact.Clean[store.LogEvent]) error {
	return t.note(ctx, clean.Get())
}

// note is Log for an event about what was just written.
func (t *tx) note(ctx context.Context, e store.LogEvent) error {
	const op = "log an event"
	if t.noted != nil {
		t.noted(e)
		return nil
	}
	data := ""
	if len(e.Data) > 0 {
		b, err := json.Marshal(e.Data)
		if err != nil {
			return internal(op, err)
		}
		data = string(b)
	}
	if t.d.Pipelined {
		ctx = later(ctx)
	}
	res, err := t.q.ExecContext(ctx, `INSERT INTO events (at, kind, session_id, project, workflow_id, checkpoint_id, data) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		e.At.Millis(), string(e.Kind), e.Session, e.Project, e.Workflow, e.Checkpoint, data)
	if err != nil {
		return t.d.Error(op, err)
	}
	if t.d.Acknowledge != nil {
		if e.ID, err = res.LastInsertId(); err != nil {
			return t.d.Error(op, err)
		}
		t.last = e
	}
	return nil
}

// Mark is a number kept under a name.
func (r reader) Mark(ctx context.Context, name string) (n int64, err error) {
	_, err = r.get(ctx, "read the mark "+name, `SELECT value FROM counters WHERE name = $1`, params{name}, &n)
	return n, err
}

// SetMark keeps a number under a name.
func (t *tx) SetMark(ctx context.Context, name string, n int64) error {
	return t.exec(ctx, "set the mark "+name, `INSERT INTO counters (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, n)
}

// ClearMark removes a number.
func (t *tx) ClearMark(ctx context.Context, name string) error {
	return t.exec(ctx, "clear the mark "+name, `DELETE FROM counters WHERE name = $1`, name)
}

// Mirrored are the open heads of another store in a project.
func (s *Store) Mirrored(ctx context.Context, store, project string) ([]piton.Checkpoint, error) {
	return collect(ctx, s.reader, "read the mirrored heads", fromJSON[piton.Checkpoint],
		`SELECT record FROM mirror m WHERE m.store = $1 AND m.project = $2 AND NOT EXISTS (SELECT 1 FROM workflows w WHERE w.id = m.workflow_id AND w.type = $3) ORDER BY record`, store, project, piton.TypeSession)
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
			return internal(op, err)
		}
		if err := t.exec(ctx, op, `INSERT INTO mirror (store, project, workflow_id, record) VALUES ($1, $2, $3, $4)`, store, project, c.WorkflowID, string(record)); err != nil {
			return err
		}
	}
	return nil
}
