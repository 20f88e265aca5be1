package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/sqlite"
)

func TestFileSystemThatIsNotLocal(t *testing.T) {
	on := func(kind uint32, err error) sqlite.Options {
		return sqlite.Options{}.WithStatfs(func(string) (uint32, error) { return kind, err })
	}
	const nfs, ext4 = 0x6969, 0xef53
	path := filepath.Join(t.TempDir(), "piton.db")
	_, err := sqlite.Open(t.Context(), path, on(nfs, nil))
	wantError(t, err, piton.Unavailable)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("got %v, want no file made", err)
	}
	id := add(t, open(t, path, on(ext4, nil)), `{"a":1}`).ID
	_, err = sqlite.Open(t.Context(), path, on(nfs, nil))
	wantError(t, err, piton.Unavailable)
	wantState(t, open(t, path, on(0, errors.ErrUnsupported)), id, `{"a":1}`)
}

// TestClockThatGoesBack sets the clock back by an hour between saves: order is
// a number.
func TestClockThatGoesBack(t *testing.T) {
	s := fresh(t)
	now := time.Date(2026, 3, 29, 3, 0, 0, 0, time.UTC)
	k := history.Keeper{Store: s, Now: func() time.Time { return now }}
	var ids []string
	for range 4 {
		c, err := k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{}`)}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID)
		now = now.Add(-time.Hour)
	}
	for i, c := range list(t, s) {
		if want := ids[len(ids)-1-i]; c.ID != want || c.Seq != int64(len(ids)-i) {
			t.Errorf("place %d: got %s with the number %d, want %s", i, c.ID, c.Seq, want)
		}
	}
	head, err := k.Find(t.Context(), history.Selector{Workflow: "w"})
	if err != nil || head.ID != ids[3] || head.ParentID != ids[2] {
		t.Errorf("head: got %s with the parent %s, %v, want %s and %s", head.ID, head.ParentID, err, ids[3], ids[2])
	}
}
