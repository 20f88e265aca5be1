package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/store"
)

// TestScheduleRemovesOrphans: the daily pruning removes an archive file that nothing
// names any more, 30 days after this home wrote it. One that it has not noted is
// somebody else's, and stays.
func TestScheduleRemovesOrphans(t *testing.T) {
	now := noon
	dir := t.TempDir()
	o := caller.Options{Home: filepath.Join(dir, "state"), Dir: dir, Environ: []string{}, Now: func() time.Time { return now }, Getenv: func(name string) string {
		return map[string]string{"HOME": dir, "PITON_HOME": filepath.Join(dir, "state"), "PITON_CHECKPOINTS_WARM": "2"}[name]
	}}
	file := orphan(t, o)
	text, err := os.ReadFile(file)
	unnoted := filepath.Join(filepath.Dir(file), "piton-20260101-0123456789abcdef.jsonl.zst")
	if err == nil {
		err = os.WriteFile(unnoted, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	is := func(path string) bool { _, err := os.Stat(path); return err == nil }
	prune := func(after time.Duration) {
		t.Helper()
		now = noon.Add(after)
		w := newWorks(o, nil, func() time.Time { return now })
		if l := w.do(t.Context(), jobs[1], last{}); l.failures > 0 || l.at.Before(now.Add(-time.Second)) {
			t.Fatalf("got %+v, want a pruning at %s", l, now)
		}
	}
	if prune(29 * 24 * time.Hour); !is(file) {
		t.Error("29 days later it is gone already")
	}
	if prune(31 * 24 * time.Hour); is(file) {
		t.Error("31 days later it is there still")
	}
	if !is(unnoted) {
		t.Error("a file that this home has not noted was removed")
	}
}

// orphan leaves an archive file that nothing names, as a deletion does that was stopped
// before its last step, and returns its path.
func orphan(t *testing.T, o caller.Options) string {
	t.Helper()
	ctx := t.Context()
	a := app.New(o)
	defer a.Close()
	for n := range 5 {
		_, err := a.Save(ctx, piton.SaveRequest{Workflow: "w", State: fmt.Appendf(nil, `{"n":%d}`, n)})
		if err != nil {
			t.Fatal(err)
		}
	}
	p, err := a.Prune(ctx, piton.PruneRequest{})
	if err != nil || len(p.Files) != 1 {
		t.Fatalf("got %+v, %v; want one archive file", p, err)
	}
	file := filepath.Join(o.Home, "archive", p.Files[0])
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range p.Rows {
		if row.Action != piton.MoveToCold {
			continue
		}
		if _, err := a.Delete(ctx, piton.DeleteRequest{Scope: piton.Scope{Ref: row.ID}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Fatal("the file outlives its checkpoints: this test needs no more than that")
	}
	st, err := a.Local(ctx, true)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err == nil {
		err = st.Update(ctx, func(tx store.LocalTx) error {
			return tx.SetMark(ctx, store.ArchivedMark+p.Files[0], noon.UnixMilli())
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}
