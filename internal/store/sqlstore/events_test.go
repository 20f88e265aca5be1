package sqlstore_test

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

func TestEventsSayWhatHappened(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w := workflow(t, s)
		a, b := add(t, s, w, `{}`), add(t, s, w, `{}`)
		for range 2 {
			update(t, s, func(tx store.LocalTx) error { return tx.Complete(t.Context(), b.ID, piton.At(when)) })
			if err := s.MarkDamaged(t.Context(), a.ID, redact.Value("a sum does not fit")); err != nil {
				t.Fatal(err)
			}
		}
		const query = `SELECT kind FROM events WHERE workflow_id = $1 AND checkpoint_id = $2 ORDER BY id`
		if got, want := text(t, s, query, w, a.ID), "checkpoint_created checkpoint_damaged"; got != want {
			t.Errorf("events of the first: got %q, want %q", got, want)
		}
		if got, want := text(t, s, query, w, b.ID), "checkpoint_created checkpoint_completed"; got != want {
			t.Errorf("events of the second: got %q, want %q", got, want)
		}
		if got, want := text(t, s, `SELECT data FROM events WHERE kind = 'checkpoint_damaged'`), `{"why":"a sum does not fit"}`; got != want {
			t.Errorf("data: got %q, want %q", got, want)
		}
	})
}

func TestEventIsKeptWhole(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		update(t, s, func(tx store.LocalTx) error {
			return tx.Log(t.Context(), redact.Value(store.LogEvent{At: piton.At(when), Kind: "tool_use", Session: "s", Project: "p", Workflow: "w", Checkpoint: "c", Data: map[string]any{"n": 1}}))
		})
		got := text(t, s, `SELECT at || ' ' || kind || ' ' || session_id || ' ' || project || ' ' || workflow_id || ' ' || checkpoint_id || ' ' || data FROM events`)
		if want := `1772600767000 tool_use s p w c {"n":1}`; got != want {
			t.Errorf("event: got %q, want %q", got, want)
		}
	})
}

func TestCountersAdd(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		for _, n := range []int64{1, 41} {
			update(t, s, func(tx store.LocalTx) error { return tx.Count(t.Context(), "resumes", n) })
		}
		if got := number(t, s, `SELECT value FROM counters WHERE name = 'resumes'`); got != 42 {
			t.Errorf("counter: got %d, want 42", got)
		}
	})
}

func TestLetterPostedTwiceStaysAsItWas(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		for _, body := range []string{"first", "second"} {
			update(t, s, func(tx store.LocalTx) error {
				return tx.Post(t.Context(), redact.Value(agent.Letter{ID: "ltr_1", SessionID: "s", Kind: "debrief", Due: piton.At(when), Body: body}))
			})
		}
		got := text(t, s, `SELECT id || ' ' || session_id || ' ' || kind || ' ' || due || ' ' || body FROM letters`)
		if want := "ltr_1 s debrief 1772600767000 first"; got != want {
			t.Errorf("letters: got %q, want %q", got, want)
		}
	})
}

func TestErrorLeavesNoEventLetterOrCount(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w := workflow(t, s)
		a := add(t, s, w, `{}`)
		tables := []string{"events", "letters", "counters", "workflows", "branches", "epochs", "blobs", "checkpoints", "manifests", "sessions", "turns", "decisions", "projects"}
		count := func() (ns []int64) {
			t.Helper()
			for _, table := range tables {
				ns = append(ns, number(t, s, `SELECT COUNT(*) FROM `+table))
			}
			return append(ns, number(t, s, `SELECT SUM(value) FROM counters`), number(t, s, `SELECT SUM(appended) FROM branches`))
		}
		before := count()
		err := s.Update(t.Context(), func(tx store.LocalTx) error {
			tx.Log(t.Context(), redact.Value(store.LogEvent{Kind: "x"}))
			tx.Post(t.Context(), redact.Value(agent.Letter{ID: "l"}))
			tx.Count(t.Context(), "x", 1)
			tx.PutSession(t.Context(), redact.Value(agent.Session{ID: "s"}))
			tx.PutTurn(t.Context(), redact.Value(agent.Turn{SessionID: "s", N: 1}))
			tx.Decide(t.Context(), redact.Value(agent.Decision{Session: "s"}))
			tx.Append(t.Context(), redact.Value(prepared(w, noise(1, 2000))))
			p := prepared(w, `{"late":1}`)
			p.Parent = a.ID
			_, err := tx.Append(t.Context(), redact.Value(p))
			return err
		})
		if piton.CodeOf(err) != piton.Conflict {
			t.Fatalf("got %v, want conflict", err)
		}
		after := count()
		for i, table := range append(tables, "sum of counters", "sum of appended") {
			if before[i] != after[i] {
				t.Errorf("%s: got %d, want %d as before", table, after[i], before[i])
			}
		}
	})
}
