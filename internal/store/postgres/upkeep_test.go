package postgres_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// run executes SQL of the test's own.
func run(t testing.TB, s *sqlstore.Store, query string, args ...any) {
	t.Helper()
	if _, err := s.DB.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// text asks for one value.
func text(t testing.TB, s *sqlstore.Store, query string, args ...any) (answer string) {
	t.Helper()
	if err := s.DB.QueryRowContext(t.Context(), query, args...).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return answer
}

func TestCheckNamesWhatPointsNowhere(t *testing.T) {
	s := open(t, pgtest.DSN(t))
	flow := workflow(t, s)
	long := func(x string) string { return `{"` + x + `":"` + strings.Repeat(x, 3000) + `"}` } // one blob each
	a, b := mustSave(t, s, prepared(flow, long("a"))), mustSave(t, s, prepared(flow, long("b")))
	run(t, s, `CREATE EXTENSION amcheck`)
	wantSound(t, s)
	run(t, s, `UPDATE checkpoints SET parent_id = 'chk_nowhere' WHERE id = $1`, b.ID)
	run(t, s, `DELETE FROM manifests WHERE checkpoint = $1`, a.Ordinal)
	run(t, s, `UPDATE workflows SET head_id = 'chk_gone', seq = 1`)
	run(t, s, `UPDATE epochs SET next_blob = 1`)
	faults, err := s.D.Check(t.Context(), s.DB)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(faults, "\n")
	for _, want := range []string{
		"checkpoint " + b.ID + ": its parent chk_nowhere is missing",
		"checkpoint " + a.ID + ": the list of its blobs is missing",
		"workflow " + flow + ": its head chk_gone is missing",
		"checkpoint " + b.ID + ": its number 2 is above the last of its workflow, 1",
		"has not come so far",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("got %q, want %q among it", all, want)
		}
	}
	if len(faults) != 5 {
		t.Errorf("got %d faults, want 5: %s", len(faults), all)
	}
}

func TestReclaimGivesBackWhatWasDeleted(t *testing.T) {
	s := open(t, pgtest.DSN(t))
	flow := workflow(t, s)
	var ids []string
	for i := range 40 {
		ids = append(ids, mustSave(t, s, prepared(flow, string(words(uint64(i), 100_000)))).ID)
	}
	err := s.Save(t.Context(), func(tx store.Tx) error {
		_, err := tx.Delete(t.Context(), ids[1:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var last, total int64
	freed, err := s.D.Reclaim(t.Context(), s.DB, func(done, of int64) {
		if done < last {
			t.Errorf("progress: got %d after %d, want it to rise", done, last)
		}
		last, total = done, of
	})
	// 39 states of 100 KB, of which a third remains when compressed.
	if err != nil || freed < 500_000 {
		t.Errorf("got %d bytes, %v, want more than 500000", freed, err)
	}
	if last != total || total < freed {
		t.Errorf("progress: got %d of %d in the end, want all", last, total)
	}
	wantSound(t, s)
}

// TestDamagedPageIsCorrupt flips a byte in the table of manifests under a stopped
// server: its page sum tells, and nothing wrong is ever answered.
func TestDamagedPageIsCorrupt(t *testing.T) {
	c := pgtest.Own(t)
	s := open(t, c.DSN("postgres"))
	id := mustSave(t, s, prepared(workflow(t, s), `{"a":"something to find again"}`)).ID
	path := filepath.Join(c.Dir, "data", text(t, s, `SELECT pg_relation_filepath('manifests')`))
	c.Stop()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	i := strings.Index(string(b), "something to find again")
	if i < 0 {
		t.Fatal("the state is not in the table's file")
	}
	b[i] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = s.State(t.Context(), id)
	wantError(t, err, piton.Corrupt)
	faults, err := s.D.Check(t.Context(), s.DB)
	if err != nil || len(faults) == 0 {
		t.Errorf("check: got %q, %v, want a fault", faults, err)
	}
}
