package app

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// LocalPath is where the local file is.
func (a Upkeep) LocalPath() (string, error) { return a.DatabasePath() }

// CarryOver carries what hooks have saved on this machine to the shared store; nothing
// where the store is the local file.
func (a Upkeep) CarryOver(ctx context.Context) (history.Flushed, error) {
	if !caller.IsShared(a.Config("").Store) || !a.IsConfigured() {
		return history.Flushed{}, nil
	}
	if path, err := a.DatabasePath(); err != nil || isMissing(path) {
		return history.Flushed{}, err // nothing has been saved yet
	}
	k, err := a.Keeper(ctx, false)
	if err != nil {
		return history.Flushed{}, err
	}
	return k.Flush(ctx, nil)
}

func isMissing(path string) bool { _, err := os.Stat(path); return os.IsNotExist(err) }

// DailyPruning is what a daily pruning has done.
type DailyPruning struct {
	At      piton.Time       // of this one, else of the last one; zero: none is wanted
	Pruning *history.Pruning // nil: it was not time for it
}

// dailyPrune bounds a daily pruning; the next one goes on.
const dailyPrune = "10m"

// PruneDaily prunes where a day has passed since somebody's last daily pruning, a
// hook's or a daemon's, and the settings want it.
func (a Upkeep) PruneDaily(ctx context.Context) (DailyPruning, error) {
	set, err := a.UsableConfig("")
	if err != nil || set.Checkpoints.Prune != config.PruneDaily {
		return DailyPruning{At: a.Now()}, err
	}
	st, err := a.Local(ctx, true)
	if caller.Missing(err) {
		return DailyPruning{At: a.Now()}, nil
	}
	if err != nil {
		return DailyPruning{}, err
	}
	now := a.Now()
	last, err := st.Mark(ctx, turn.PrunedAt)
	if err != nil || !turn.PruneDue(last, now) {
		return DailyPruning{At: piton.At(time.UnixMilli(last))}, err
	}
	p, err := a.Prune(ctx, piton.PruneRequest{MaxTime: dailyPrune})
	if err != nil {
		return DailyPruning{Pruning: &p}, err
	}
	return DailyPruning{now, &p}, st.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, turn.PrunedAt, now.Millis()) })
}

// CarryLetters carries letters until ctx ends. NotFound where nothing was saved yet.
func (a Upkeep) CarryLetters(ctx context.Context) error {
	st, err := a.Local(ctx, true)
	if err != nil {
		return err
	}
	a.courier(st.Local()).Run(ctx)
	return ctx.Err()
}

// maxOpenWork bounds the unfinished workflows that are counted.
const maxOpenWork = 200

// OpenWork is how many workflows of all projects are unfinished, at most 200, and the
// names of their projects, which are those of their folders.
func (a Upkeep) OpenWork(ctx context.Context) (n int, names []string, err error) {
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return 0, nil, caller.UnlessMissing(err)
	}
	page, err := k.List(ctx, piton.Query{Open: true, Limit: maxOpenWork})
	if err != nil {
		return 0, nil, err
	}
	projects, err := a.LocalStore.Projects(ctx)
	for _, p := range slices.CompactFunc(projects, func(p, q piton.Project) bool { return p.ID == q.ID }) {
		if slices.ContainsFunc(page.Checkpoints, func(c piton.Checkpoint) bool { return c.Project == p.ID || c.Project == p.SharedID() }) {
			names = append(names, p.Name)
		}
	}
	return len(page.Checkpoints), names, err
}
