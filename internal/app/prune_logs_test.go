package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
)

// TestLogsOfOldRunsAreRemoved: those of a run that can go on stay, and so does what
// is not a run's.
func TestLogsOfOldRunsAreRemoved(t *testing.T) {
	home := t.TempDir()
	now := time.Now()
	a := New(caller.Options{Home: home, Dir: t.TempDir(), Getenv: func(string) string { return "" }, Environ: []string{}, Now: func() time.Time { return now }})
	defer a.Close()
	ctx := t.Context()
	open, err := a.Run(ctx, planruns.RunRequest{File: "plan.yaml", FileLess: true, RunRequest: piton.RunRequest{Plan: []byte("steps:\n- {id: a, run: 'exit 3'}\n")}})
	if err != nil {
		t.Fatal(err)
	}
	log := func(name string, age time.Duration) string {
		dir := filepath.Join(home, "runs", name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "a.1.log")
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{file, dir} {
			if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	old, young := 31*24*time.Hour, 29*24*time.Hour
	want := map[string]bool{
		log(open.RunID, old):                     true,
		log(piton.NewID(piton.RunPrefix), old):   false,
		log(piton.NewID(piton.RunPrefix), young): true,
		log("mine", old):                         true,
	}
	if _, err := a.Prune(ctx, piton.PruneRequest{}); err != nil {
		t.Fatal(err)
	}
	for dir, stays := range want {
		if _, err := os.Stat(dir); (err == nil) != stays {
			t.Errorf("%s: got %v, want it there: %v", filepath.Base(dir), err, stays)
		}
	}
}
