package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/archive"
)

// pruneFilled is how many checkpoints of about 100 KB are pruned.
const pruneFilled = 600

// prune measures what a saver waits while a large store is pruned: old
// checkpoints to the archive, still older ones deleted, the space given back.
// The same saves alone are the floor.
func (l lab) prune(ctx context.Context) ([]row, error) {
	path := filepath.Join(l.dir, "prune.db")
	k, end, err := keeper(ctx, path)
	if err != nil {
		return nil, err
	}
	k.Archive = archive.Folder{Dir: filepath.Join(l.dir, "cold")}
	old := time.Now().Add(-20 * 24 * time.Hour)
	for i := range pruneFilled {
		then := old
		if i%2 == 0 {
			then = old.Add(-20 * 24 * time.Hour) // to be deleted
		}
		filler := k
		filler.Now = func() time.Time { return then }
		w := newWriter(uint64(i))
		var ms []message
		for range 50 {
			ms = append(ms, w.message(recordBytes))
		}
		if _, err := filler.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: fmt.Sprint("old ", i%20), State: atTop.state(ms)}}); err != nil {
			return nil, err
		}
	}
	before, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	alone, _, err := savesBeside(ctx, path, 100, nil)
	if err != nil {
		return nil, err
	}
	r := row{floor: alone, against: "a save alone"}
	var pruned history.Pruning
	var took time.Duration
	r.got, took, err = savesBeside(ctx, path, 0, func() (err error) {
		pruned, err = k.Prune(ctx, history.PruneOptions{Policy: piton.DefaultRetention})
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := end(); err != nil {
		return nil, err
	}
	after, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	r.what = fmt.Sprintf("a save while %d are archived and %d deleted", pruned.Archived, pruned.Deleted)
	sizes := row{what: "the same: the file before and after", against: fmt.Sprintf("%.1f MB in %.1f s", float64(before.Size())/1e6, took.Seconds()), figure: float64(after.Size()) / 1e6, unit: "MB"}
	return []row{r, longest(r), sizes}, nil
}
