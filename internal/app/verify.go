package app

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/repair"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// Verify reads checkpoints again and checks every sum; empty for all workflows
// and all projects. With an error the answer says what was done before it, where
// Stopped is set.
func (a *App) Verify(ctx context.Context, workflow, dir string, mend bool, progress func(done, total int64)) (history.Verification, error) {
	k, err := a.Keeper(ctx, true)
	if missing(err) {
		return history.Verification{Damaged: []history.Damage{}, Store: []string{}}, nil
	}
	if err != nil {
		return history.Verification{}, err
	}
	q := piton.Query{Workflow: workflow}
	if dir != "" || workflow != "" {
		s, err := a.selector(ctx, Choice{Workflow: workflow, Dir: dir})
		if err != nil {
			return history.Verification{}, err
		}
		if q.Project = s.Project; dir != "" && s.Project == "" {
			return history.Verification{}, piton.Errorf(piton.NotFound, "verify", "nothing has been saved for it yet", "Piton has not seen the folder %s", dir)
		}
	}
	return k.Verify(ctx, q, mend, progress)
}

// Repair makes a new store out of what can be read of a damaged local file.
func (a *App) Repair(ctx context.Context, o repair.Options) (repair.Report, error) {
	const op, hint = "repair the store", "name the store with 'store sqlite:PATH' or PITON_HOME"
	path, err := a.databasePath()
	if err != nil {
		return repair.Report{}, err
	}
	info, err := os.Stat(path)
	_, errLog := os.Stat(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) && errLog != nil {
		return repair.Report{}, piton.Errorf(piton.NotFound, op, hint, "there is no %s", path)
	}
	if err == nil && !info.Mode().IsRegular() {
		return repair.Report{}, piton.Errorf(piton.Invalid, op, hint, "%s is not a regular file", path)
	}
	if o.Archive, err = a.archive(""); err != nil {
		return repair.Report{}, err
	}
	return repair.Run(ctx, path, o)
}

// Accepted is a store that was taken as it is.
type Accepted struct {
	Accepted bool   `json:"accepted"`
	File     string `json:"file"`
}

// Accept takes a local file as it is that is older than what was acknowledged.
func (a *App) Accept(ctx context.Context) (Accepted, error) {
	path, err := a.databasePath()
	if err != nil {
		return Accepted{}, err
	}
	a.o.Behind = true
	st, err := a.Local(ctx, true)
	if err != nil && !missing(err) {
		return Accepted{}, err
	}
	return Accepted{true, path}, sqlite.Accept(ctx, path, st)
}
