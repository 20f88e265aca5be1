package history_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

const project = "prj_0000000000000001"

// shelf is a keeper over a real store; its clock moves a second with every
// save.
type shelf struct {
	testing.TB
	history.Keeper
	store *sqlstore.Store
	path  string
	time  time.Time
}

func open(t testing.TB) *shelf {
	t.Helper()
	s := &shelf{TB: t, path: filepath.Join(t.TempDir(), "piton.db"), time: time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)}
	st, err := sqlite.Open(t.Context(), s.path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	s.store = st
	s.Keeper = history.Keeper{Store: st, Local: st.Local(), Host: "kiln", Now: func() time.Time { return s.time },
		Alive: func(x agent.Session) bool { return x.EndedAt.IsZero() }}
	return s
}

// must saves and moves the clock.
func (s *shelf) must(d history.Draft) history.Saved {
	s.Helper()
	s.time = s.time.Add(time.Second)
	if d.Project == "" {
		d.Project = project
	}
	c, err := s.Save(context.Background(), d)
	if err != nil {
		s.Fatalf("save %+v: %v", d, err)
	}
	return c
}

// fork begins a branch at a checkpoint.
func (s *shelf) fork(from history.Saved, branch string) history.Saved {
	s.Helper()
	s.time = s.time.Add(time.Second)
	p, _, err := s.Prepare(history.Draft{SaveRequest: piton.SaveRequest{InProject: piton.InProject{Project: project}, Branch: branch, State: []byte(`{}`)}})
	if err != nil {
		s.Fatal(err)
	}
	p.Record.WorkflowID, p.Record.ParentID, p.Fork = from.WorkflowID, from.ID, true
	var c piton.Checkpoint
	err = s.store.Save(context.Background(), func(tx store.Tx) error {
		c, err = tx.Append(context.Background(), redact.Value(p))
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return history.Saved{Checkpoint: c}
}

// refused checks that a draft is refused with a code and words, and that
// nothing was written.
func (s *shelf) refused(name string, d history.Draft, code piton.Code, words string) {
	s.Helper()
	before := s.rows()
	if d.Project == "" {
		d.Project = project
	}
	_, err := s.Save(context.Background(), d)
	if piton.CodeOf(err) != code || !strings.Contains(err.Error(), words) {
		s.Errorf("%s: got %v (%s), want %s with %q", name, err, piton.CodeOf(err), code, words)
	}
	if after := s.rows(); after != before {
		s.Errorf("%s: got %d rows after %d, want nothing written", name, after, before)
	}
}

// db is the file beside the store, to look into it and to damage it.
func (s *shelf) db(do func(db *sql.DB) error) {
	s.Helper()
	db, err := sql.Open("sqlite3", "file:"+s.path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		s.Fatal(err)
	}
	defer db.Close()
	if err := do(db); err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) rows() (n int) {
	s.Helper()
	s.db(func(db *sql.DB) error {
		return db.QueryRow(`SELECT (SELECT COUNT(*) FROM checkpoints) + (SELECT COUNT(*) FROM workflows) + (SELECT COUNT(*) FROM sessions)
			+ (SELECT COUNT(*) FROM events) + (SELECT COUNT(*) FROM branches) + (SELECT COUNT(*) FROM blobs)`).Scan(&n)
	})
	return n
}

// damage makes states unreadable.
func (s *shelf) damage(cs ...history.Saved) {
	s.Helper()
	for _, c := range cs {
		s.sql(`UPDATE manifests SET data = x'00' WHERE checkpoint = (SELECT ordinal FROM checkpoints WHERE id = ?)`, c.ID)
	}
}

// sql changes one row.
func (s *shelf) sql(query string, args ...any) {
	s.Helper()
	s.db(func(db *sql.DB) error {
		r, err := db.Exec(query, args...)
		if err != nil {
			return err
		}
		if n, _ := r.RowsAffected(); n != 1 {
			s.Fatalf("%s: got %d rows changed, want 1", query, n)
		}
		return nil
	})
}

// events are the kinds of the events of a checkpoint.
func (s *shelf) events(id string) string {
	s.Helper()
	var list []string
	s.db(func(db *sql.DB) error {
		rows, err := db.Query(`SELECT kind FROM events WHERE checkpoint_id = ? ORDER BY id`, id)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var kind string
			if err := rows.Scan(&kind); err != nil {
				return err
			}
			list = append(list, kind)
		}
		return rows.Err()
	})
	return strings.Join(list, " ")
}

// agent writes a session of an agent's.
func (s *shelf) agent(x agent.Session) agent.Session {
	s.Helper()
	x.Agent, x.Project = "claude", project
	if x.ID == "" {
		x.ID = piton.NewID(piton.SessionPrefix)
	}
	if err := s.store.Update(context.Background(), func(tx store.LocalTx) error { return tx.PutSession(context.Background(), redact.Value(x)) }); err != nil {
		s.Fatal(err)
	}
	return x
}

func (s *shelf) workflow(id string) piton.Workflow {
	s.Helper()
	w, err := s.store.Workflow(context.Background(), id, project)
	if err != nil {
		s.Fatal(err)
	}
	return w
}

func (s *shelf) state(id string) string {
	s.Helper()
	b, err := s.store.State(context.Background(), id)
	if err != nil {
		s.Fatal(err)
	}
	return string(b)
}

func ptr[T any](v T) *T { return &v }
