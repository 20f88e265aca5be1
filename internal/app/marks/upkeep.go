package marks

import (
	"context"
	"fmt"

	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/setup"
)

// every opens the marks of all trees; nil where none were ever taken.
func (a Marks) every() (*keep.Taker, error) {
	s, err := keep.Open(a.Home(), wait, true)
	if err != nil {
		return nil, caller.UnlessMissing(err)
	}
	k := place.Taker(s, a.Config("").Restore)
	return &k, nil
}

// PruneMarks removes marks as the settings say: those that are old and whose checkpoint is gone, and the oldest where all are too much.
func (a Marks) PruneMarks(ctx context.Context, of history.Keeper, dry bool) (keep.Pruned, error) {
	k, err := a.every()
	if k == nil {
		return keep.Pruned{}, err
	}
	defer k.Close()
	kept := func(id string) bool {
		_, err := of.Find(ctx, history.Selector{ID: id})
		return !caller.Missing(err)
	}
	return k.Prune(ctx, a.Now().Time, kept, dry)
}

// VerifyMarks names the files of marks that cannot be brought back any more.
func (a Marks) VerifyMarks(ctx context.Context) (files []string, err error) {
	k, err := a.every()
	if k == nil {
		return nil, err
	}
	defer k.Close()
	_, damaged, err := k.Verify(ctx)
	for _, d := range damaged {
		files = append(files, d.Mark+" "+shown(d.Path))
	}
	return files, err
}

// DropSecrets removes kept contents that may hold a secret, and counts them.
func (a Marks) DropSecrets(ctx context.Context, dry bool) (int, error) {
	k, err := a.every()
	if k == nil {
		return 0, err
	}
	defer k.Close()
	return k.Drop(ctx, place.Secret, dry)
}

// CheckMarks says for doctor how it stands with marks in a tree.
func (a Marks) CheckMarks(root string) setup.Check {
	const name = "undo"
	if a.Config(root).Restore.Mode == config.RestoreOff {
		return setup.Check{Name: name, OK: true, Detail: "off here: what agents destroy cannot be brought back", Hint: "'piton config set restore.mode on' turns it on"}
	}
	k, err := a.every()
	switch {
	case err != nil:
		return setup.Check{Name: name, Detail: caller.Message(err), Hint: caller.AsError(err).Hint}
	case k == nil:
		return setup.Check{Name: name, OK: true, Detail: "on; no mark of files has been taken yet"}
	}
	defer k.Close()
	s, err := k.Stats()
	if err != nil {
		return setup.Check{Name: name, Detail: caller.Message(err), Hint: "the next hook puts a damaged file aside and begins a new one"}
	}
	return setup.Check{Name: name, OK: true, Detail: fmt.Sprintf("on; marks of files: %d, with %d MB of at most %d", s.Marks, (s.Bytes+1<<20-1)>>20, k.Limits.All>>20)}
}
