package repair_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/pages"
	"github.com/piton-project/piton/internal/store/repair"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/need"
)

// logged is a store whose last saves are in its log.
type logged struct {
	world
	db, wal []byte
	ids     []string
}

func buildLogged(t testing.TB) *logged {
	t.Helper()
	path := filepath.Join(t.TempDir(), "piton.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := &logged{world: world{sums: map[string]string{}, workflow: map[string]string{}}}
	k := history.Keeper{Store: s, Local: s.Local()}
	for i := range 40 {
		c, err := k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: fmt.Appendf(nil, `{"n":%d}`, i)}})
		if err != nil {
			t.Fatal(err)
		}
		l.ids = append(l.ids, c.ID)
		l.sums[c.ID], l.workflow[c.ID] = c.SHA256, c.WorkflowID
		if i == 19 {
			if _, err := s.DB.ExecContext(t.Context(), `PRAGMA wal_checkpoint(truncate)`); err != nil {
				t.Fatal(err)
			}
		}
	}
	l.db, _ = os.ReadFile(path)
	l.wal, _ = os.ReadFile(path + "-wal")
	if len(l.wal) == 0 {
		t.Fatal("got no log")
	}
	return l
}

// saved repairs a store of these files and returns how many of the saves are
// there. None may be wrong.
func (l *logged) saved(t *testing.T, name string, db, wal []byte) int {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	path, to := filepath.Join(dir, "piton.db"), filepath.Join(dir, "new.db")
	for file, b := range map[string][]byte{path: db, path + "-wal": wal} {
		if b != nil {
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := repair.Rebuild(context.Background(), path, to, nil); err != nil {
		if piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		return 0
	}
	s, err := sqlite.Open(t.Context(), to, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := 0
	for i, id := range l.ids {
		state, err := s.State(t.Context(), id)
		if err == nil && string(state) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Errorf("%s: a wrong state %q of save %d", name, state, i)
		}
		if err == nil {
			n++
		}
	}
	return n
}

func TestLogs(t *testing.T) {
	l := buildLogged(t)
	frame := 24 + pages.Size
	frames := (len(l.wal) - 32) / frame
	for _, x := range []struct {
		name    string
		db, wal []byte
		want    int
	}{
		{"as it is", l.db, l.wal, 40},
		{"no log", l.db, nil, 20},
		{"an empty log", l.db, []byte{}, 20},
		{"a log of noise", l.db, bytes.Repeat([]byte{7, 1, 3}, 9999), 20},
		{"the log with noise behind", l.db, append(bytes.Clone(l.wal), bytes.Repeat([]byte{9}, 9000)...), 40},
		{"the log alone", nil, l.wal, 20},
		{"an empty file beside the log", []byte{}, l.wal, 20},
	} {
		if got := l.saved(t, x.name, x.db, x.wal); got < x.want {
			t.Errorf("%s: got %d saves, want %d", x.name, got, x.want)
		}
	}
	rnd := rand.New(rand.NewPCG(6, 6))
	cuts, flips := need.Many(6, 20), need.Many(8, 30)
	last := 0
	for i := range cuts {
		n := 32 + (i+1)*(len(l.wal)-32)/cuts
		if i%2 == 0 {
			n -= rnd.IntN(frame)
		}
		got := l.saved(t, fmt.Sprintf("the log's first %d bytes", n), l.db, l.wal[:n])
		if got < max(20, last) {
			t.Errorf("the log's first %d bytes: got %d saves, and %d from fewer", n, got, last)
		}
		last = got
	}
	// One damaged frame costs no more than what lay on its page.
	worst := 40
	for i := range flips {
		wal := bytes.Clone(l.wal)
		at := rnd.IntN(len(wal))
		if i%4 == 0 { // the log's header
			at = rnd.IntN(32)
		}
		wal[at] ^= 1 << rnd.IntN(8)
		got := l.saved(t, fmt.Sprintf("byte %d of frame %d of %d flipped", (at+frame-32)%frame, (at+frame-32)/frame-1, frames), l.db, wal)
		if worst = min(worst, got); got < 39 {
			t.Errorf("byte %d of frame %d of %d: got %d of 40 saves", (at+frame-32)%frame, (at+frame-32)/frame-1, frames, got)
		}
	}
	t.Logf("%d frames; a flip left at least %d of 40 saves", frames, worst)
}
