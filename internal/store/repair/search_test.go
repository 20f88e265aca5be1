package repair_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/repair"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// TestSearchAfterARepair searches a store whose search index was not carried.
func TestSearchAfterARepair(t *testing.T) {
	dir := t.TempDir()
	path, to := filepath.Join(dir, "piton.db"), filepath.Join(dir, "new.db")
	o := sqlite.Options{FTS5: fts5.Register}
	s, err := sqlite.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	k := history.Keeper{Store: s, Local: s.Local()}
	c, err := k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", StepName: "zebra", State: []byte(`{"a":1}`)}})
	if err != nil {
		t.Fatal(err)
	}
	find := func(k history.Keeper) int {
		page, err := k.Search(t.Context(), "zebra", piton.Query{})
		if err != nil {
			t.Fatal(err)
		}
		return len(page.Checkpoints)
	}
	if n := find(k); n != 1 {
		t.Fatalf("got %d found before, want %s", n, c.ID)
	}
	s.Close()
	if _, err := repair.Rebuild(t.Context(), path, to, nil); err != nil {
		t.Fatal(err)
	}
	os.Remove(path)
	if s, err = sqlite.Open(t.Context(), to, o); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := find(history.Keeper{Store: s, Local: s.Local()}); n != 1 {
		t.Errorf("got %d found, want 1", n)
	}
}
