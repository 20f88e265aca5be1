package sqlstore_test

import (
	"fmt"
	"math"
	"testing"
	"time"

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
			if err := s.MarkDamaged(t.Context(), a.ID, redact.Value("a sum does not match")); err != nil {
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
		if got, want := text(t, s, `SELECT data FROM events WHERE kind = 'checkpoint_damaged'`), `{"why":"a sum does not match"}`; got != want {
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

// What is counted adds up by day and project, and goes when it is too long ago.
func TestMetrics(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		day := time.Date(2026, 3, 4, 23, 59, 0, 0, time.UTC)
		for _, c := range []struct {
			at      time.Time
			project string
			counts  []store.Counted
		}{
			{day.Add(-500 * 24 * time.Hour), "p", []store.Counted{{Name: "old", N: 1}}},
			{day, "p", []store.Counted{{Name: "b", N: 1}, {Name: "a b", N: 2}, {Name: "b", N: 3}, {Name: "none", N: 0}}},
			{day, "p", []store.Counted{{Name: "b", N: 4}}},
			{day, "", []store.Counted{{Name: "b", N: 5}}},
			{day.Add(time.Minute), "p", []store.Counted{{Name: "b", N: 6}}},
			{day, "p", nil},
		} {
			update(t, s, func(tx store.LocalTx) error { return tx.Count(t.Context(), piton.At(c.at), c.project, c.counts...) })
		}
		read := func(from time.Time) string {
			t.Helper()
			list, err := s.Metrics(t.Context(), piton.At(from))
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(list)
		}
		const recent = "{2026-03-04  b 5} {2026-03-04 p a b 2} {2026-03-04 p b 8} {2026-03-05 p b 6}"
		if got, want := read(time.Time{}), "[{2024-10-20 p old 1} "+recent+"]"; got != want {
			t.Errorf("all: got %s, want %s", got, want)
		}
		if got, want := read(day.Add(time.Hour)), "[{2026-03-05 p b 6}]"; got != want {
			t.Errorf("from a day on: got %s, want %s", got, want)
		}
		if err := s.Expire(t.Context(), piton.At(day.Add(-30*24*time.Hour))); err != nil {
			t.Fatal(err)
		}
		if got, want := read(time.Time{}), "["+recent+"]"; got != want {
			t.Errorf("after what is old has expired: got %s, want %s", got, want)
		}
	})
}

// TestFullCounterRefusesNoSave: a counter that has reached the largest number stays
// there.
func TestFullCounterRefusesNoSave(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		for _, c := range []struct {
			name   string
			counts []int64
		}{
			{"full at once", []int64{math.MaxInt64, 1}},
			{"filled", []int64{math.MaxInt64 - 3, 2, 2, 2}},
			{"twice the largest", []int64{math.MaxInt64, math.MaxInt64}},
			{"in one transaction", []int64{0, 1}},
		} {
			for _, n := range c.counts {
				counted := []store.Counted{{Name: c.name, N: n}}
				if n == 0 {
					counted = []store.Counted{{Name: c.name, N: math.MaxInt64}, {Name: c.name, N: 5}, {Name: c.name, N: -7}}
				}
				update(t, s, func(tx store.LocalTx) error { return tx.Count(t.Context(), piton.At(when), "", counted...) })
			}
		}
		list, err := s.Metrics(t.Context(), piton.Time{})
		if err != nil || len(list) != 4 {
			t.Fatalf("got %v, %v, want four counters", list, err)
		}
		for _, m := range list {
			if m.N != math.MaxInt64 {
				t.Errorf("%s: got %d, want the largest number", m.Name, m.N)
			}
		}
	})
}

// What hooks took stands in their events; those that say nothing of it are not
// among them.
func TestHookTimes(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		for i, data := range []map[string]any{{store.TookMS: 7}, nil, {"why": "x"}, {store.TookMS: 9}} {
			update(t, s, func(tx store.LocalTx) error {
				return tx.Log(t.Context(), redact.Value(store.LogEvent{At: piton.At(when.Add(time.Duration(i) * time.Second)), Kind: "tool_done", Project: "p", Data: data}))
			})
		}
		list, err := s.HookTimes(t.Context(), piton.At(when.Add(time.Second)))
		if err != nil || len(list) != 1 || list[0].MS != 9 || list[0].Kind != "tool_done" || list[0].Project != "p" {
			t.Errorf("got %+v, %v, want the last one", list, err)
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
			tx.Count(t.Context(), piton.At(time.Now()), "", store.Counted{Name: "x", N: 1})
			tx.PutSession(t.Context(), redact.Value(agent.Session{Identity: agent.Identity{ID: "s"}}))
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
