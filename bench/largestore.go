package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/kind"
	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/filltest"
)

// perWorkflow is how many checkpoints a workflow has, in the large store and in
// the one beside it, which has one workflow and is all but empty.
const perWorkflow = 50

// shop is a store with a keeper for every verb.
type shop struct {
	history.Keeper
	st   *sqlstore.Store
	path string
	last int    // the workflow that was worked on last
	n    int    // runs so far
	size string // in words
}

// filled makes a store of a size in a folder of its own; the large one is made
// once and copied from then on.
func (l lab) filled(ctx context.Context, name string, size filltest.Size) (string, error) {
	path := filepath.Join(l.dir, name, "piton.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	cached := filepath.Join(os.TempDir(), fmt.Sprintf("piton-filled-%d-%d-%s", size.Checkpoints, sqlstore.SchemaVersion, time.Now().Format(time.DateOnly)))
	if size.Checkpoints > 1000 && copyFile(path, cached) == nil {
		return path, nil
	}
	size.Now = time.Now()
	st, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return "", err
	}
	err = filltest.Fill(ctx, st, st.Local(), size)
	if err2 := st.Close(); err == nil {
		err = err2
	}
	if err != nil || size.Checkpoints <= 1000 {
		return path, err
	}
	part := cached + ".part"
	if err := copyFile(part, path); err != nil {
		return "", err
	}
	return path, os.Rename(part, cached)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}

func openShop(ctx context.Context, path string, size filltest.Size) (*shop, error) {
	st, err := sqlite.Open(ctx, path, sqlite.Options{FTS5: fts5.Register})
	if err != nil {
		return nil, err
	}
	k := history.Keeper{Store: st, Local: st.Local(), Validate: kind.Validate, Archive: archive.Folder{Dir: filepath.Join(filepath.Dir(path), "archive")}}
	return &shop{Keeper: k, st: st, path: path, last: size.Workflows - 1, size: fmt.Sprintf(", %d checkpoints", size.Checkpoints)}, nil
}

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
