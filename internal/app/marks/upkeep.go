package marks

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/setup"
)

// ofAll does something with the marks of all trees; nothing where none were ever taken.
func ofAll[T any](a Marks, do func(keep.Taker) (T, error)) (x T, err error) {
	s, err := keep.Open(a.Home(), wait, true)
	if err != nil {
		return x, caller.UnlessMissing(err)
	}
	defer s.Close()
	return do(place.Taker(s, a.Config("").Restore))
}

// PruneMarks removes marks as the settings say: those that are old and whose checkpoint is gone, and the oldest where all are too much.
func (a Marks) PruneMarks(ctx context.Context, of history.Keeper, dry bool) (keep.Pruned, error) {
	kept := func(id string) bool {
		_, err := of.Find(ctx, history.Selector{ID: id})
		return !caller.Missing(err)
	}
	return ofAll(a, func(k keep.Taker) (keep.Pruned, error) { return k.Prune(ctx, a.Now().Time, kept, dry) })
}

// VerifyMarks names the files of marks that cannot be brought back any more.
func (a Marks) VerifyMarks(ctx context.Context) ([]string, error) {
	return ofAll(a, func(k keep.Taker) (files []string, err error) {
		_, damaged, err := k.Verify(ctx)
		for _, d := range damaged {
			files = append(files, d.Mark+" "+shown(d.Path))
		}
		return files, err
	})
}

// DropSecrets removes kept contents that may hold a secret, and counts them.
func (a Marks) DropSecrets(ctx context.Context, dry bool) (int, error) {
	return ofAll(a, func(k keep.Taker) (int, error) { return k.Drop(ctx, place.Secret, dry) })
}

// CheckMarks says for doctor how it stands with marks in a tree.
func (a Marks) CheckMarks(root string) setup.Check {
	c := setup.Check{Name: "undo", OK: true}
	s, err := ofAll(a, func(k keep.Taker) (keep.Stats, error) {
		if err := k.Try(); err != nil {
			return keep.Stats{}, err
		}
		return k.Stats()
	})
	switch {
	case a.Config(root).Restore.Mode == config.RestoreOff:
		c.Detail, c.Hint = "off here: what agents destroy cannot be brought back", "'piton config set restore.mode on' turns it on"
	case err != nil:
		c.OK, c.Detail, c.Hint = false, caller.Message(err), cmp.Or(caller.AsError(err).Hint, "see that "+filepath.Join(a.Home(), keep.File)+" can be written; the next hook puts a damaged one aside and begins a new one")
	case s.Marks == 0:
		c.Detail = "on; no mark of files has been taken yet"
	default:
		c.Detail = fmt.Sprintf("on; marks of files: %d, with %d MB of at most %d", s.Marks, (s.Bytes+1<<20-1)>>20, a.Config("").Restore.MaxAll)
	}
	if aside, _ := filepath.Glob(filepath.Join(a.Home(), keep.File+".damaged-*")); len(aside) > 0 && c.OK {
		c.Warn, c.Detail = true, c.Detail+"; the store before this one was damaged, and what it kept cannot be brought back"
		c.Hint = "delete " + aside[len(aside)-1] + " to be rid of this line"
	}
	return c
}
