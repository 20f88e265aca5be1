package planruns

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/store"
)

// runLogsKept is how long the logs of a run's steps are kept after the last line.
const runLogsKept = 30 * 24 * time.Hour

// PruneLogs removes the logs of runs that have been written to for the last time long
// ago, unless the run can still go on. What cannot be removed stays for the next time.
func (a PlanRuns) PruneLogs(ctx context.Context, runs store.RunReader) {
	entries, err := os.ReadDir(filepath.Dir(a.runLogs("x")))
	if err != nil || runs == nil {
		return
	}
	for _, e := range entries {
		id := e.Name()
		if !e.IsDir() || !piton.IsWholeID(piton.RunPrefix, id) || a.Options.Now().Sub(lastWritten(a.runLogs(id))) < runLogsKept {
			continue
		}
		if r, err := runs.Run(ctx, id); err == nil && !r.Status.Ended() || err != nil && !caller.Missing(err) {
			continue
		}
		if err := os.RemoveAll(a.runLogs(id)); err != nil {
			a.Options.Log.WarnContext(ctx, "the logs of a run cannot be removed", "run", id, "err", err)
		}
	}
}

// lastWritten is when a folder or a file in it was last written to.
func lastWritten(dir string) (last time.Time) {
	note := func(info os.FileInfo, err error) {
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	note(os.Stat(dir))
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		note(e.Info())
	}
	return last
}
