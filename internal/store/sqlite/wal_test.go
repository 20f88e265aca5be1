package sqlite_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// crashed is a store's files as a power cut leaves them: the states are in the
// -wal alone.
type crashed struct {
	db, wal []byte
	ids     []string // in the order they were saved
}

func crash(t testing.TB) crashed {
	t.Helper()
	path := filepath.Join(t.TempDir(), "piton.db")
	s := open(t, path, sqlite.Options{})
	var c crashed
	for i := range 10 {
		c.ids = append(c.ids, add(t, s, fmt.Sprintf(`{"n":%d}`, i)).ID)
	}
	var err error
	if c.db, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if c.wal, err = os.ReadFile(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	return c
}

// survivors opens a store with these files beside it and returns how many of
// the states are there: the first ones, each right, none after a missing one.
// The store must work again.
func (c crashed) survivors(t testing.TB, name string, beside map[string][]byte) int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "piton.db")
	if err := os.WriteFile(path, c.db, 0o600); err != nil {
		t.Fatal(err)
	}
	for suffix, content := range beside {
		fresh := time.Now().Add(time.Hour) // however long it takes until it is opened: see logAge
		if err := errors.Join(os.WriteFile(path+suffix, content, 0o600), os.Chtimes(path+suffix, fresh, fresh)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Errorf("%s: got %v, want no error", name, err)
		return 0
	}
	defer s.Close()
	n, lost := 0, false
	for i, id := range c.ids {
		got, err := s.State(t.Context(), id)
		switch {
		case piton.CodeOf(err) == piton.NotFound:
			lost = true
		case err != nil || string(got) != fmt.Sprintf(`{"n":%d}`, i):
			t.Errorf("%s: state %d: got %q, %v", name, i, got, err)
		case lost:
			t.Errorf("%s: state %d is there, and one before it is not", name, i)
		default:
			n++
		}
	}
	integrity(t, s)
	wantState(t, s, add(t, s, `{"more":1}`).ID, `{"more":1}`)
	return n
}

func TestLogIsRecovered(t *testing.T) {
	c := crash(t)
	garbage := make([]byte, 32<<10)
	fill(rand.New(rand.NewPCG(1, 1)), garbage)
	for name, beside := range map[string]map[string][]byte{
		"the log alone": {"-wal": c.wal}, "with an index of noise": {"-wal": c.wal, "-shm": garbage}, "with an empty index": {"-wal": c.wal, "-shm": nil},
		"the log with noise behind": {"-wal": append(bytes.Clone(c.wal), garbage...)},
	} {
		if n := c.survivors(t, name, beside); n != len(c.ids) {
			t.Errorf("%s: got %d states, want all %d", name, n, len(c.ids))
		}
	}
}

func TestLostLogLosesOnlyWhatWasInIt(t *testing.T) {
	c := crash(t)
	garbage := make([]byte, len(c.wal))
	fill(rand.New(rand.NewPCG(2, 2)), garbage)
	for name, beside := range map[string]map[string][]byte{
		"no log": nil, "an empty log": {"-wal": nil}, "a log of noise": {"-wal": garbage}, "a log's head alone": {"-wal": c.wal[:32]}, "no log and an index of noise": {"-shm": garbage[:32<<10]},
	} {
		if n := c.survivors(t, name, beside); n != 0 {
			t.Errorf("%s: got %d states, want none, for they were in the log", name, n)
		}
	}
}

func TestTornLogKeepsWhatWasWhole(t *testing.T) {
	c := crash(t)
	rnd := rand.New(rand.NewPCG(3, 3))
	for range 30 {
		n := rnd.IntN(len(c.wal))
		c.survivors(t, fmt.Sprintf("the log's first %d bytes", n), map[string][]byte{"-wal": c.wal[:n]})
		flipped := bytes.Clone(c.wal)
		flipped[n] ^= 1 << rnd.IntN(8)
		c.survivors(t, fmt.Sprintf("the log with byte %d flipped", n), map[string][]byte{"-wal": flipped})
	}
}

// TestDamageInTheMiddleOfALog leaves a log alone whose later transactions
// SQLite would drop, and takes one whose last transaction is torn.
func TestDamageInTheMiddleOfALog(t *testing.T) {
	c := crash(t)
	const frame = 24 + page
	rnd := rand.New(rand.NewPCG(4, 3))
	frames := (len(c.wal) - 32) / frame
	var ends []int // the last frame of each transaction
	for i := range frames {
		if binary.BigEndian.Uint32(c.wal[32+i*frame+4:]) != 0 {
			ends = append(ends, i)
		}
	}
	refused := 0
	for i := -1; i < frames; i++ { // -1: the header
		for _, at := range []int{24 + rnd.IntN(page), rnd.IntN(frame)} {
			if i < 0 {
				at = frame - 32 + at%32
			}
			wal := bytes.Clone(c.wal)
			wal[32+i*frame+at] ^= 1 << rnd.IntN(8)
			path := filepath.Join(t.TempDir(), "piton.db")
			old := time.Now().Add(-time.Minute)
			if err := errors.Join(os.WriteFile(path, c.db, 0o600), os.WriteFile(path+"-wal", wal, 0o600), os.Chtimes(path+"-wal", old, old)); err != nil {
				t.Fatal(err)
			}
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			last := i > ends[len(ends)-2]
			switch {
			case err == nil && !last:
				t.Errorf("frame %d of %d, byte %d: got it opened, want it refused: whole transactions follow", i, frames, at)
			case err != nil && last:
				t.Errorf("frame %d of %d, byte %d: got %v, want it opened: it may be torn", i, frames, at, err)
			case err != nil:
				refused++
				wantError(t, err, piton.Corrupt)
				if left, err := os.ReadFile(path + "-wal"); err != nil || !bytes.Equal(left, wal) {
					t.Errorf("frame %d: the log has changed (%v)", i, err)
				}
			}
			if s != nil {
				s.Close()
			}
		}
	}
	if refused == 0 {
		t.Error("got none refused")
	}
}

// TestLogWithoutItsFile has the file emptied, or gone, beside a log that holds
// everything: SQLite would take it for a new file and delete the log.
func TestLogWithoutItsFile(t *testing.T) {
	c := crash(t)
	for name, make := range map[string]func(path string) error{
		"empty": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"gone":  func(string) error { return nil },
	} {
		path := filepath.Join(t.TempDir(), "piton.db")
		if err := errors.Join(make(path), os.WriteFile(path+"-wal", c.wal, 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, o := range []sqlite.Options{{}, {Existing: true}} {
			_, err := sqlite.Open(t.Context(), path, o)
			wantError(t, err, piton.Corrupt)
		}
		if left, err := os.ReadFile(path + "-wal"); err != nil || !bytes.Equal(left, c.wal) {
			t.Errorf("%s: the log has changed (%v), want it as it was", name, err)
		}
	}
}

func TestFolderInsteadOfTheLog(t *testing.T) {
	c := crash(t)
	for _, suffix := range []string{"-wal", "-shm"} {
		path := filepath.Join(t.TempDir(), "piton.db")
		if err := os.WriteFile(path, c.db, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(path+suffix, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		wantError(t, err, piton.Invalid)
	}
}
