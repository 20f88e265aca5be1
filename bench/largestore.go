package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/testkit/filltest"
)

// largeStore measures every verb on a store of many checkpoints beside the
// same on one that is all but empty; and what a saver waits while the large one
// is searched for the first time and pruned.
func (l lab) largeStore(ctx context.Context) ([]row, error) {
	var shops [2]*shop
	for i, size := range []filltest.Size{
		{Checkpoints: l.large, Workflows: l.large / perWorkflow, Over: 40 * 24 * time.Hour},
		{Checkpoints: perWorkflow, Workflows: 1, Over: 24 * time.Hour},
	} {
		path, err := l.filled(ctx, []string{"large", "empty"}[i], size)
		if err != nil {
			return nil, err
		}
		if shops[i], err = openShop(ctx, path, size); err != nil {
			return nil, err
		}
		defer shops[i].st.Close()
	}
	large, empty := shops[0], shops[1]
	rows, err := l.eachVerb(ctx, large, empty, verbs)
	if err != nil {
		return nil, err
	}
	first, err := large.besideLong(ctx, "first search", func(k history.Keeper) error {
		_, err := k.Search(ctx, "parser", piton.Query{Limit: 20})
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, err := empty.Search(ctx, "parser", piton.Query{Limit: 20}); err != nil {
		return nil, err
	}
	found, err := l.eachVerb(ctx, large, empty, searches)
	if err != nil {
		return nil, err
	}
	rows = append(append(rows, found...), first...)
	var pruned history.Pruning
	for _, dry := range []bool{true, false} {
		name := "prune"
		if dry {
			name = "prune --dry-run"
		}
		more, err := large.besideLong(ctx, name, func(k history.Keeper) (err error) {
			pruned, err = k.Prune(ctx, history.PruneOptions{Policy: piton.DefaultRetention, DryRun: dry})
			return err
		})
		if err != nil {
			return nil, err
		}
		more[0].what += fmt.Sprintf(" (%d archived, %d deleted)", pruned.Archived, pruned.Deleted)
		rows = append(rows, more...)
	}
	return rows, nil
}

// besideLong measures a long verb and what saves wait beside it.
func (s *shop) besideLong(ctx context.Context, name string, work func(history.Keeper) error) ([]row, error) {
	alone, _, err := savesBeside(ctx, s.path, 100, nil)
	if err != nil {
		return nil, err
	}
	r := row{what: "a save during " + name, against: "a save alone", floor: alone}
	var took time.Duration
	if r.got, took, err = savesBeside(ctx, s.path, 0, func() error { return work(s.Keeper) }); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(os.Stderr, "%s: %.1f s\n", name, took.Seconds())
	return []row{{what: name + s.size, figure: took.Seconds(), unit: "s"}, r, longest(r)}, nil
}

// eachVerb measures the verbs whose cost should not grow, in turn on the large
// store and on the empty one.
func (l lab) eachVerb(ctx context.Context, large, empty *shop, verbs []verb) ([]row, error) {
	var rows []row
	for _, v := range verbs {
		r := row{what: v.name + large.size, against: "on an empty store", bar: v.bar}
		for i := range l.n + 3 {
			for _, s := range []*shop{large, empty} {
				took, err := v.time(ctx, s)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", v.name, err)
				}
				switch {
				case i < 3: // warm-up
				case s == large:
					r.got = append(r.got, took)
				default:
					r.floor = append(r.floor, took)
				}
			}
		}
		fmt.Fprintf(os.Stderr, "%s: %s, %s\n", v.name, ms(quantile(r.got, 0.5)), ms(quantile(r.floor, 0.5)))
		rows = append(rows, r)
	}
	return rows, nil
}
