package crashtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
)

// pick takes some ids out of those that may go, half of the time the oldest,
// as a prune does.
func (w *child) pick() []string {
	n := 1 + w.rnd.IntN(3)
	var ids []string
	oldest := w.rnd.IntN(2) == 0
	for range n {
		i := 0
		if !oldest {
			i = w.rnd.IntN(len(w.ids))
		}
		ids = append(ids, w.ids[i])
		w.ids = slices.Delete(w.ids, i, i+1)
	}
	return ids
}

func (w *child) remove(ctx context.Context) error {
	// A store keeps growing.
	if len(w.ids) < 12 {
		return w.save(ctx)
	}
	ids := w.pick()
	if err := w.say("begin", Delete, "-", strings.Join(ids, ",")); err != nil {
		return err
	}
	err := w.store.Save(ctx, func(tx store.Tx) error {
		_, err := tx.Delete(ctx, ids)
		return err
	})
	if err != nil {
		return err
	}
	return w.say(Delete, "-", strings.Join(ids, ","))
}

// archive drops the states of some checkpoints, as if they lay in a file.
func (w *child) archive(ctx context.Context) error {
	if len(w.ids) < 12 {
		return w.save(ctx)
	}
	ids, file := w.pick(), fmt.Sprintf(noFile+"%08x%08x.jsonl.zst", uint32(w.seed), w.n)
	if err := w.say("begin", Archive, file, strings.Join(ids, ",")); err != nil {
		return err
	}
	err := w.store.Save(ctx, func(tx store.Tx) error {
		_, err := tx.Archive(ctx, ids, file)
		return err
	})
	if err != nil {
		return err
	}
	return w.say(Archive, file, strings.Join(ids, ","))
}

// complete completes one that was saved.
func (w *child) complete(ctx context.Context) error {
	if len(w.ids) == 0 {
		return w.save(ctx)
	}
	id := w.ids[w.rnd.IntN(len(w.ids))]
	if err := w.say("begin", Complete, "-", id); err != nil {
		return err
	}
	err := w.store.Save(ctx, func(tx store.Tx) error { return tx.Complete(ctx, id, piton.At(time.Now())) })
	if err != nil {
		return err
	}
	return w.say(Complete, "-", id)
}

// policy leaves enough to work on.
var policy = piton.Retention{Warm: 1, DeleteAt: time.Second}

// prune says what a dry run says, and does it.
func (w *child) prune(ctx context.Context) error {
	if len(w.ids) < 12 {
		return w.save(ctx)
	}
	now := time.Now()
	k := history.Keeper{Store: w.store, Archive: archive.Folder{Dir: w.cold}, Now: func() time.Time { return now }}
	o := history.PruneOptions{Policy: policy, Project: own, DryRun: true}
	dry, err := k.Prune(ctx, o)
	if err != nil {
		return err
	}
	var cold, gone []string
	for _, v := range dry.Rows {
		switch v.Action {
		case piton.MoveToCold:
			cold = append(cold, v.ID)
		case piton.DeleteForever:
			gone = append(gone, v.ID)
		}
	}
	if len(cold)+len(gone) == 0 {
		return nil
	}
	what := []any{Prune, listed(cold), listed(gone)}
	if err := w.say(append([]any{"begin"}, what...)...); err != nil {
		return err
	}
	o.DryRun = false
	p, err := k.Prune(ctx, o)
	if err != nil {
		return err
	}
	if p.Archived != len(cold) || p.Deleted != len(gone) {
		return fmt.Errorf("got %d archived, %d deleted, want %d and %d as the dry run said", p.Archived, p.Deleted, len(cold), len(gone))
	}
	w.ids = slices.DeleteFunc(w.ids, func(id string) bool { return slices.Contains(gone, id) })
	return w.say(what...)
}

// listed writes ids between commas, a dash where there is none.
func listed(ids []string) string {
	if len(ids) == 0 {
		return "-"
	}
	return strings.Join(ids, ",")
}
