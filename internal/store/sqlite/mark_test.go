package sqlite_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// files is a store's files at some moment; nil: there is none.
type files struct{ db, wal []byte }

func keepFiles(t testing.TB, path string) (f files) {
	t.Helper()
	f.db, _ = os.ReadFile(path)
	f.wal, _ = os.ReadFile(path + "-wal")
	return f
}

// place puts a store's files where a store has its mark.
func (f files) place(t testing.TB, path string) {
	t.Helper()
	for suffix, b := range map[string][]byte{"": f.db, "-wal": f.wal, "-shm": nil} {
		os.Remove(path + suffix)
		if b != nil {
			if err := os.WriteFile(path+suffix, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// backwards tells whether the store at path is older than what was
// acknowledged; it can be used all the same.
func backwards(t testing.TB, path string) bool {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Existing: true})
	if err != nil && piton.CodeOf(err) != piton.NotFound {
		t.Fatal(err)
	}
	if s != nil {
		defer s.Close()
	}
	err = sqlite.Behind(t.Context(), path, s)
	if code := piton.CodeOf(err); err != nil && (code != piton.Corrupt || hint(err) == "") {
		t.Fatalf("got %v, want corrupt with a hint", err)
	}
	return err != nil
}

// TestGoingBackIsNoticed puts every older state of a store in the place of a
// newer one.
func TestGoingBackIsNoticed(t *testing.T) {
	for _, closing := range []bool{true, false} {
		t.Run(fmt.Sprintf("closed each time %t", closing), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "piton.db")
			var history []files
			var s *sqlstore.Store
			for i := range 12 {
				if s == nil {
					s = open(t, path, sqlite.Options{})
				}
				add(t, s, fmt.Sprintf(`{"n":%d}`, i))
				if closing {
					s.Close()
					s = nil
				}
				history = append(history, keepFiles(t, path))
			}
			mark, err := os.ReadFile(path + ".mark")
			if err != nil {
				t.Fatal(err)
			}
			if s != nil {
				s.Close()
			}
			for i, f := range history {
				other := filepath.Join(t.TempDir(), "piton.db")
				f.place(t, other)
				if err := os.WriteFile(other+".mark", mark, 0o600); err != nil {
					t.Fatal(err)
				}
				if got, want := backwards(t, other), i < len(history)-1; got != want {
					t.Errorf("state %d of %d: got %t, want %t", i, len(history), got, want)
				}
			}
		})
	}
}

func TestWhatIsNoticed(t *testing.T) {
	// A store with all of its history in the log, and an older one.
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{})
	add(t, s, `{"n":1}`)
	old := keepFiles(t, path)
	add(t, s, `{"n":2}`)
	now := keepFiles(t, path)
	mark, err := os.ReadFile(path + ".mark")
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	another := filepath.Join(t.TempDir(), "piton.db")
	s = open(t, another, sqlite.Options{})
	for range 9 {
		add(t, s, `{"other":1}`)
	}
	s.Close()
	stranger := keepFiles(t, another)
	for _, x := range []struct {
		name string
		files
		mark []byte
		want bool
	}{
		{"as it is", now, mark, false},
		{"an older copy", old, mark, true},
		{"the log is gone", files{now.db, nil}, mark, true},
		{"the log is cut", files{now.db, now.wal[:len(now.wal)-100]}, mark, true},
		{"the log is empty", files{now.db, []byte{}}, mark, true},
		{"an older log", files{now.db, old.wal}, mark, true},
		{"an empty file", files{[]byte{}, nil}, mark, true},
		{"no file", files{}, mark, true},
		{"another store", stranger, mark, true},
		{"no mark", old, nil, false},
		{"an empty mark", old, []byte{}, false},
		{"a torn mark", old, mark[:len(mark)-20], false},
		{"a damaged mark", old, append([]byte("x"), mark[1:]...), false},
	} {
		path := filepath.Join(t.TempDir(), "piton.db")
		x.place(t, path)
		if x.mark != nil {
			if err := os.WriteFile(path+".mark", x.mark, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := backwards(t, path); got != x.want {
			t.Errorf("%s: got %t, want %t", x.name, got, x.want)
		}
	}
}

// TestAStoreThatHasGoneBackStaysNoticed goes on with an older copy until it is
// longer than the store ever was, and then accepts it.
func TestAStoreThatHasGoneBackStaysNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{})
	add(t, s, `{"n":1}`)
	s.Close()
	old := keepFiles(t, path)
	s = open(t, path, sqlite.Options{})
	add(t, s, `{"n":2}`)
	add(t, s, `{"n":3}`)
	s.Close()
	old.place(t, path)
	for i := range 6 {
		told := 0
		s := open(t, path, sqlite.Options{Behind: func(err error) {
			if told++; piton.CodeOf(err) != piton.Corrupt {
				t.Errorf("got %v, want corrupt", err)
			}
		}})
		c := add(t, s, fmt.Sprintf(`{"again":%d}`, i))
		wantState(t, s, c.ID, fmt.Sprintf(`{"again":%d}`, i))
		if s.Close(); told == 0 || !backwards(t, path) {
			t.Errorf("save %d: got %d times told, behind %t, want it to be noticed", i, told, backwards(t, path))
		}
	}
	s = open(t, path, sqlite.Options{})
	if faults, err := s.Check(t.Context()); err != nil || len(faults) != 1 {
		t.Errorf("got %q, %v, want one fault", faults, err)
	}
	if err := sqlite.Accept(t.Context(), path, s); err != nil {
		t.Fatal(err)
	}
	add(t, s, `{"after":1}`)
	if faults, err := s.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("accepted: got %q, %v, want no fault", faults, err)
	}
	s.Close()
	if backwards(t, path) {
		t.Error("accepted: got it noticed again")
	}
	if os.Remove(path); !backwards(t, path) {
		t.Error("removed: got it not noticed")
	}
	if err := sqlite.Accept(t.Context(), path, nil); err != nil || backwards(t, path) {
		t.Errorf("removed and accepted: got %v, or noticed", err)
	}
}

// TestNoFalseAlarm deletes old events, damages the mark at random and lets it
// lag behind.
func TestNoFalseAlarm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	rnd := rand.New(rand.NewPCG(4, 4))
	var marks [][]byte
	for i := range 25 {
		s := open(t, path, sqlite.Options{})
		add(t, s, fmt.Sprintf(`{"n":%d}`, i))
		if i%5 == 4 {
			if err := s.Expire(t.Context(), piton.At(time.Now().Add(time.Hour))); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		b, err := os.ReadFile(path + ".mark")
		if err != nil {
			t.Fatal(err)
		}
		if marks = append(marks, b); backwards(t, path) {
			t.Fatalf("save %d: got an alarm", i)
		}
		b = bytes.Clone(marks[rnd.IntN(len(marks))])
		switch i % 3 {
		case 0:
			b = b[:rnd.IntN(len(b))]
		case 1:
			b[rnd.IntN(len(b))] ^= 1 << rnd.IntN(8)
		}
		if err := os.WriteFile(path+".mark", b, 0o600); err != nil {
			t.Fatal(err)
		}
		if backwards(t, path) {
			t.Errorf("save %d: got an alarm of the mark %q", i, b)
		}
	}
	// What is in the mark's place and no file is left alone.
	os.Remove(path + ".mark")
	if err := os.Mkdir(path+".mark", 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, sqlite.Options{})
	add(t, s, `{"last":1}`)
	s.Close()
	if backwards(t, path) {
		t.Error("a folder: got an alarm")
	}
}
