package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/storetest"
)

// searching opens a new store that has a search index.
func searching(t testing.TB) *sqlstore.Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{FTS5: fts5.Register})
}

func TestSearchWithoutIndex(t *testing.T) {
	storetest.RunSearch(t, func(t testing.TB) store.Checkpoints { return fresh(t) })
}

// find searches and returns how many were found and how many were read.
func find(t testing.TB, s *sqlstore.Store, words string) (found, read int) {
	t.Helper()
	page, err := s.Search(t.Context(), words, piton.Query{}, func(_ piton.Checkpoint, state []byte) string {
		read++
		return string(state)
	})
	if err != nil {
		t.Fatalf("search %q: got %v, want no error", words, err)
	}
	return len(page.Checkpoints), read
}

// wantFound fails unless a search finds and reads so many.
func wantFound(t testing.TB, s *sqlstore.Store, words string, found, read int) {
	t.Helper()
	if f, r := find(t, s, words); f != found || r != read {
		t.Fatalf("search %q: got %d found, %d read; want %d, %d", words, f, r, found, read)
	}
}

// rowsOfIndex counts what is in the index.
func rowsOfIndex(t testing.TB, s *sqlstore.Store) (n int) {
	t.Helper()
	if err := s.DB.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM search_index_docsize`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A program without FTS5 goes on with a file that has the index: it saves,
// deletes, checks and vacuums, and searches without it.
func TestSearchIndexAndAProgramWithoutIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	with := open(t, path, sqlite.Options{FTS5: fts5.Register})
	one := add(t, with, `{"text":"a word"}`)
	add(t, with, `{"text":"a word"}`)
	wantFound(t, with, "word", 2, 2)
	wantFound(t, with, "word", 2, 0)

	without := open(t, path, sqlite.Options{})
	add(t, without, `{"text":"another word"}`)
	err := without.Save(t.Context(), func(tx store.Tx) error {
		_, err := tx.Delete(t.Context(), []string{one.ID})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	integrity(t, without)
	if _, err := without.DB.ExecContext(t.Context(), `VACUUM`); err != nil {
		t.Fatalf("vacuum: got %v, want no error", err)
	}
	wantFound(t, without, "word", 2, 2)
	wantFound(t, with, "word", 2, 1)
	wantFound(t, with, "another", 1, 0)
	integrity(t, with)
	if n := rowsOfIndex(t, with); n != 2 {
		t.Errorf("got %d rows in the index, want 2: the deleted one goes", n)
	}
}

func TestSearchInAStoreThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{FTS5: fts5.Register})
	add(t, s, `{"text":"a word"}`)
	readOnly := func(c *sqlite3.Conn) error { return errors.Join(fts5.Register(c), c.Exec(`PRAGMA query_only(1)`)) }
	wantFound(t, open(t, path, sqlite.Options{FTS5: readOnly}), "word", 1, 1)
	wantFound(t, s, "word", 1, 1)
	add(t, s, `{"text":"a word"}`)
	if found, _ := find(t, open(t, path, sqlite.Options{FTS5: readOnly}), "word"); found != 2 {
		t.Errorf("got %d with a new one, want 2", found)
	}
}

// An index that somebody has meddled with is made anew; the answers are right
// all the while.
func TestSearchMendsItsIndex(t *testing.T) {
	for _, c := range []struct{ name, damage string }{
		{"a row is gone", `DELETE FROM search_index WHERE rowid = 2`},
		{"the table is gone", `DROP TABLE search_index`},
		{"the mark is gone", `DELETE FROM counters WHERE name = 'search_index'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := searching(t)
			for range 3 {
				add(t, s, `{"text":"a word"}`)
			}
			wantFound(t, s, "word", 3, 3)
			if _, err := s.DB.ExecContext(t.Context(), c.damage); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if found, _ := find(t, s, "word"); found != 3 {
					t.Fatalf("got %d, want 3", found)
				}
			}
			wantFound(t, s, "word", 3, 0)
		})
	}
}

func TestDropSearch(t *testing.T) {
	s := searching(t)
	if err := s.DropSearch(t.Context()); err != nil {
		t.Fatal(err)
	}
	add(t, s, `{"text":"a word"}`)
	wantFound(t, s, "word", 1, 1)
	if err := s.DropSearch(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantFound(t, s, "word", 1, 1)
	wantFound(t, s, "word", 1, 0)
}

// The index catches up in steps, and a saver waits for no more than one of them: no
// transaction is open while a text is read.
func TestSaversBesideACatchUp(t *testing.T) {
	s := searching(t)
	for i := range 200 {
		add(t, s, fmt.Sprintf(`{"text":"word %d %s"}`, i, longText(i)))
	}
	read, kept := 0, 0
	page, err := s.Search(t.Context(), "word", piton.Query{}, func(_ piton.Checkpoint, state []byte) string {
		add(t, s, `{}`) // it would wait for ever if the whole catching up were one transaction
		read, kept = read+1, rowsOfIndex(t, s)
		return string(state)
	})
	if err != nil || len(page.Checkpoints) != 200 || read < 200 || kept == 0 {
		t.Errorf("got %d found of %d read, %v; %d were in the index before the last one was read, want some", len(page.Checkpoints), read, err, kept)
	}
}

func longText(n int) string {
	text := ""
	for i := range 300 {
		text += fmt.Sprintf("src/dir%d/file%d.go ", n%7, (n*i)%5000)
	}
	return text
}
