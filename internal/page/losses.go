package page

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/mark"
)

// losses are what commands took away in the trees of late, found again from time to time:
// each tree costs what 'git status' does.
type losses struct {
	mu   sync.Mutex
	at   time.Time
	list []marks.UndoList
	not  []string // trees that could not be looked at
}

// Bounds of losses.
const (
	lossesLast = 10 * time.Second
	lossIsNews = 24 * time.Hour
	maxTrees   = 30
	maxLosses  = 5
	maxActs    = 50 // commands that are looked at, in a tree
)

func (x *losses) of(ctx context.Context, a *app.App, now app.Now) ([]marks.UndoList, []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if time.Since(x.at) < lossesLast {
		return x.list, x.not
	}
	var roots []string
	for _, s := range now.Sessions {
		if s.Root != "" && !slices.Contains(roots, s.Root) {
			roots = append(roots, s.Root)
		}
	}
	var all []marks.UndoList
	var not []string
	for i, root := range roots {
		if i == maxTrees {
			not = append(not, roots[i:]...)
			break
		}
		list, err := a.Undos(ctx, piton.UndosRequest{Limit: maxActs, InProject: piton.InProject{Project: root}})
		if err != nil {
			not = append(not, root) // the undo screen of the tree says why
			continue
		}
		list.Undos = slices.DeleteFunc(list.Undos, func(e marks.UndoEntry) bool {
			took := e.Kind == mark.AtCommand && e.Removed+e.Reverted+e.Emptied > 0
			return !took || e.CanReturn == 0 || time.Since(e.At.Time) > lossIsNews
		})
		list.Undos = list.Undos[:min(len(list.Undos), maxLosses)]
		if len(list.Undos) > 0 || list.Interrupted != nil {
			all = append(all, list)
		}
	}
	if ctx.Err() == nil {
		x.at, x.list, x.not = time.Now(), all, not
	}
	return all, not
}
