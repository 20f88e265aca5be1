package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// unknown is nobody's id: the question for it sends what a transaction has written.
var unknown = piton.NewID(piton.CheckpointPrefix)

var errUndo = errors.New("this transaction is not to be kept")

// eventsOf are the checkpoints of the events a follower gets.
func eventsOf(t *testing.T, s *sqlstore.Store, after int64) (ids []string, last int64) {
	t.Helper()
	list, err := s.Events(t.Context(), after, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		ids, after = append(ids, e.Checkpoint), e.ID
	}
	return ids, after
}

// found are the ids of the checkpoints that a search for a word finds, the newest first.
func found(t *testing.T, s *sqlstore.Store, word string) (ids []string) {
	t.Helper()
	page, err := s.Search(t.Context(), word, piton.Query{}, func(_ piton.Checkpoint, state []byte) string { return string(state) })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Checkpoints {
		ids = append(ids, c.ID)
	}
	return ids
}

// TestALowerNumberIsWaitedFor: a transaction has taken numbers and is still open while
// another commits higher ones. Lists and searches show what is committed; who follows
// events gets none of them before those below are decided, and then all. Neither
// another program's transaction nor another store in the database keeps it waiting.
func TestALowerNumberIsWaitedFor(t *testing.T) {
	for _, c := range []struct {
		name  string
		first int64 // the numbers go on behind it
		undo  bool
	}{{"committed", 0, false}, {"rolled back", 0, true}, {"beyond 31 bits", 1<<31 - 3, false}, {"beyond 32 bits", 1<<32 - 2, true}} {
		t.Run(c.name, func(t *testing.T) {
			dsn := pgtest.DSN(t)
			s := open(t, dsn)
			one, other := workflow(t, s), workflow(t, s)
			if c.first > 0 {
				run(t, s, `SELECT setval('event_numbers', $1), setval('checkpoint_numbers', $1)`, c.first)
			}
			before := mustSave(t, s, prepared(one, `{"word":"tree"}`))
			foreign, err := s.DB.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer foreign.Rollback()
			run(t, s, `CREATE SCHEMA neighbour`)
			if _, err := foreign.ExecContext(t.Context(), `CREATE TABLE neighbour.mine (n INT)`); err != nil {
				t.Fatal(err)
			}
			newest := func() string {
				t.Helper()
				e, err := s.NewestEvent(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return e.Checkpoint
			}
			var low, high piton.Checkpoint
			err = s.Save(t.Context(), func(tx store.Tx) (err error) {
				if low, err = tx.Append(t.Context(), redact.Value(prepared(one, `{"word":"tree","n":1}`))); err != nil {
					return err
				}
				if _, err = tx.Checkpoint(t.Context(), unknown); piton.CodeOf(err) != piton.NotFound { // what waits is sent
					return err
				}
				for n := range 3 {
					high = mustSave(t, s, prepared(other, fmt.Sprintf(`{"word":"tree","n":%d}`, 2+n)))
				}
				if got, _ := eventsOf(t, s, 0); !slices.Equal(got, []string{before.ID}) || newest() != before.ID {
					t.Errorf("events beside an open transaction: got %v, the newest %s, want the one before it, %s", got, newest(), before.ID)
				}
				if got := found(t, s, "tree"); len(got) != 4 || got[0] != high.ID || got[3] != before.ID {
					t.Errorf("a search: got %v, want the four that are committed", got)
				}
				page, err := s.List(t.Context(), piton.Query{})
				if err != nil || len(page.Checkpoints) != 4 || page.Checkpoints[0].ID != high.ID {
					t.Errorf("a list: got %v, %v, want the four that are committed", page.Checkpoints, err)
				}
				if c.undo {
					return errUndo
				}
				return nil
			})
			if c.undo != errors.Is(err, errUndo) {
				t.Fatal(err)
			}
			if low.Ordinal >= high.Ordinal || low.Ordinal <= before.Ordinal {
				t.Fatalf("got the numbers %d, %d and %d, want them in this order", before.Ordinal, low.Ordinal, high.Ordinal)
			}
			want := []string{before.ID, low.ID}
			if c.undo {
				want = want[:1]
			}
			got, _ := eventsOf(t, s, 0)
			if len(got) != len(want)+3 || !slices.Equal(got[:len(want)], want) || newest() != high.ID {
				t.Errorf("events: got %v, the newest %s, want %v and three more", got, newest(), want)
			}
			if got := found(t, s, "tree"); len(got) != len(want)+3 || slices.Contains(got, low.ID) == c.undo {
				t.Errorf("a search: got %v, want %d of them", got, len(want)+3)
			}
			wantSound(t, s)
		})
	}
}

// TestStoresOfOneDatabaseDoNotWaitForEachOther: the keys of numbers are a store's own.
func TestStoresOfOneDatabaseDoNotWaitForEachOther(t *testing.T) {
	dsn := pgtest.DSN(t)
	run(t, open(t, dsn), `CREATE SCHEMA beside`)
	a, b := open(t, dsn), open(t, dsn+"&search_path=beside")
	flow, other := workflow(t, a), workflow(t, b)
	err := a.Save(t.Context(), func(tx store.Tx) error {
		if _, err := tx.Append(t.Context(), redact.Value(prepared(flow, `{}`))); err != nil {
			return err
		}
		for range 3 {
			mustSave(t, b, prepared(other, `{}`))
		}
		if got, _ := eventsOf(t, b, 0); len(got) != 3 {
			t.Errorf("got %d events beside an open transaction of another store, want 3", len(got))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNoSaveWaitsForAnotherWorkflow saves inside of an open transaction, of the same
// project and with the same counters: with a lock that is wider than a workflow it
// would wait for itself.
func TestNoSaveWaitsForAnotherWorkflow(t *testing.T) {
	s := open(t, pgtest.DSN(t)+"&lock_timeout=2000")
	deep := 0
	day := piton.At(time.Now())
	var nest func() error
	nest = func() error {
		flow := workflow(t, s)
		return s.Save(t.Context(), func(tx store.Tx) error {
			if _, err := tx.Append(t.Context(), redact.Value(prepared(flow, `{}`))); err != nil {
				return err
			}
			if err := tx.Count(t.Context(), day, "p", store.Counted{Name: "test", N: 1}, store.Counted{Name: "another", N: 2}); err != nil {
				return err
			}
			if _, err := tx.Checkpoint(t.Context(), unknown); piton.CodeOf(err) != piton.NotFound {
				return err
			}
			if deep++; deep < 6 {
				return nest()
			}
			return nil
		})
	}
	for range 2 {
		deep = 0
		if err := nest(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Metrics(t.Context(), piton.At(day.Add(-time.Hour)))
	want := []store.Metric{{Day: day.UTC().Format("2006-01-02"), Project: "p", Name: "another", N: 24}, {Day: day.UTC().Format("2006-01-02"), Project: "p", Name: "test", N: 12}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got the counters %v, %v, want %v", got, err, want)
	}
	if rows := text(t, s, `SELECT COUNT(*)::text FROM counters WHERE name LIKE 'm %'`); rows != "12" {
		t.Errorf("got %s rows of counters, want two for each of the six at once", rows)
	}
	wantSound(t, s)
}

// TestBothNumbersOfAWorkflowRise: saves to several branches of a workflow at once get
// numbers in the workflow and in the store in the same order.
func TestBothNumbersOfAWorkflowRise(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := open(t, dsn)
	flow := workflow(t, s)
	root := mustSave(t, s, prepared(flow, `{}`))
	var all sync.WaitGroup
	for i := range 4 {
		own, branch := open(t, dsn), fmt.Sprint("b", i)
		p := prepared(flow, `{}`)
		p.Fork, p.Record.ParentID, p.Record.Branch = true, root.ID, branch
		mustSave(t, own, p)
		all.Go(func() {
			for range 25 {
				p := prepared(flow, `{}`)
				p.Record.Branch = branch
				if _, err := save(t, own, p); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := text(t, s, `SELECT COUNT(*)::text FROM (SELECT ordinal, LAG(ordinal) OVER (ORDER BY seq) AS before FROM checkpoints) AS x WHERE ordinal <= before`); got != "0" {
		t.Errorf("%s numbers of the store fall where those of the workflow rise", got)
	}
	wantSound(t, s)
}

// TestFollowersMissNothing has many write at once, some of whom wait before they commit,
// take back what they wrote, or are killed, and followers that read events and search
// all the time. Followers get each event once, in order, and the search's mark never
// leaves a checkpoint behind.
func TestFollowersMissNothing(t *testing.T) {
	const writers = 8
	dsn := pgtest.DSN(t)
	s := open(t, dsn)
	found(t, s, "tree") // makes the index
	var mu sync.Mutex
	kept := map[string]bool{}
	var writing, following sync.WaitGroup
	done := make(chan bool)
	for i := range writers {
		own, flow := open(t, dsn+"&application_name=writer"), workflow(t, s)
		writing.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(i), 5))
			for n := range need.Many(60, 1000) {
				p := prepared(flow, fmt.Sprintf(`{"word":"tree","writer":%d,"n":%d}`, i, n))
				waits, undo := rnd.IntN(4), rnd.IntN(8) == 0
				err := own.Save(t.Context(), func(tx store.Tx) error {
					if _, err := tx.Append(t.Context(), redact.Value(p)); err != nil {
						return err
					}
					for range waits { // each a round trip, with what was written before it
						if _, err := tx.Checkpoint(t.Context(), p.Record.ID); err != nil {
							return err
						}
					}
					if undo {
						return errUndo
					}
					return nil
				})
				switch {
				case err == nil:
					mu.Lock()
					kept[p.Record.ID] = true
					mu.Unlock()
				case !errors.Is(err, errUndo) && piton.CodeOf(err) != piton.Unavailable:
					t.Error(err)
				}
			}
		})
	}
	goOn := func() bool {
		select {
		case <-done:
			return false
		default:
			return true
		}
	}
	got := make([][]string, 3)
	for i := range got {
		following.Go(func() {
			last := int64(0)
			for more := true; more; {
				more = goOn() // once more after the last writer
				list, err := s.Events(t.Context(), last, 7+i)
				if err != nil {
					t.Error(err)
				}
				for _, e := range list {
					if e.ID <= last {
						t.Errorf("got the event %d behind %d", e.ID, last)
					}
					got[i], last = append(got[i], e.Checkpoint), e.ID
				}
				more = more || len(list) > 0
			}
		})
	}
	following.Go(func() {
		for goOn() {
			mu.Lock()
			before := len(kept)
			mu.Unlock()
			if got := found(t, s, "tree"); len(got) < before {
				t.Errorf("a search found %d, want the %d that were committed before it", len(got), before)
			}
		}
	})
	following.Go(func() {
		killer, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			t.Error(err)
			return
		}
		defer killer.Close(context.WithoutCancel(t.Context()))
		for goOn() {
			if _, err := killer.Exec(t.Context(), `SELECT pg_terminate_backend(pid), pg_sleep(0.05) FROM pg_stat_activity
				WHERE datname = current_database() AND application_name = 'writer' AND xact_start IS NOT NULL ORDER BY random() LIMIT 1`); err != nil {
				t.Error(err)
			}
		}
	})
	writing.Wait()
	close(done)
	following.Wait()
	page, err := s.List(t.Context(), piton.Query{})
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, c := range page.Checkpoints {
		there[c.ID] = true
	}
	for id := range kept {
		if !there[id] {
			t.Errorf("%s was acknowledged and is lost", id)
		}
	}
	for i, ids := range got {
		once := slices.Compact(slices.Sorted(slices.Values(ids)))
		if len(once) != len(ids) || len(once) != len(there) {
			t.Errorf("follower %d got %d events of %d checkpoints, want one of each of %d", i, len(ids), len(once), len(there))
		}
	}
	// The index by its mark alone, as the search after this one takes it for granted.
	behind := text(t, s, `SELECT COALESCE(string_agg(c.ordinal::text, ' '), '') FROM checkpoints c, counters m
		WHERE m.name = 'searched' AND c.ordinal <= m.value AND NOT EXISTS (SELECT 1 FROM search_index x WHERE x.ordinal = c.ordinal)`)
	if strings.TrimSpace(behind) != "" {
		t.Errorf("the search index has left behind %s", behind)
	}
	if got := found(t, s, "tree"); len(got) != len(there) {
		t.Errorf("a search found %d, want all %d", len(got), len(there))
	}
	t.Logf("%d checkpoints, %d acknowledged", len(there), len(kept))
	wantSound(t, s)
}

// TestAnOlderProgramThatIsRunningIsRefused: its statements that count in a row, and move
// the index's mark past what is not there yet, write nothing.
func TestAnOlderProgramThatIsRunningIsRefused(t *testing.T) {
	s := open(t, pgtest.DSN(t))
	for _, q := range []string{`UPDATE counters SET value = value + 1 WHERE name = 'ordinal'`, `INSERT INTO counters (name, value) VALUES ('search_index', 0)`} {
		if _, err := s.DB.ExecContext(t.Context(), q); err == nil || !strings.Contains(err.Error(), "the_store_needs_a_newer_piton") {
			t.Errorf("%s: got %v, want it refused", q, err)
		}
	}
	if got := text(t, s, `SELECT oldest_writer::text FROM piton_schema`); got != "12" {
		t.Errorf("the oldest writer: got %s, want 12", got)
	}
	if _, err := (history.Keeper{Store: s}).Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{}`)}}); err != nil {
		t.Error(err)
	}
}

// TestARoleThatMayWriteTheTablesMaySave: sequences ask for no grants of their own.
func TestARoleThatMayWriteTheTablesMaySave(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := open(t, dsn)
	run(t, s, `CREATE ROLE clerk LOGIN`)
	run(t, s, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk`)
	defer run(t, s, `DROP OWNED BY clerk`)
	clerk := open(t, strings.Replace(dsn, "piton@", "clerk@", 1))
	if got := text(t, clerk, `SELECT current_user::text`); got != "clerk" {
		t.Fatalf("got the role %s", got)
	}
	mustSave(t, clerk, prepared(workflow(t, clerk), `{}`))
	if got, _ := eventsOf(t, clerk, 0); len(got) != 1 {
		t.Errorf("got %d events, want one", len(got))
	}
}
