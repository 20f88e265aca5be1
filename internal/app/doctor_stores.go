package app

import (
	"context"
	"fmt"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/store/filestore"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// checkStore tells whether the local file can be opened and is whole.
func (a *App) checkStore(ctx context.Context) setup.Check {
	check := setup.Check{Name: "store", OK: true}
	path, err := a.databasePath()
	if err == nil {
		check.Detail = path
		if _, err = a.Local(ctx, true); err == nil {
			return a.checkWhole(ctx, check, path)
		}
	}
	if missing(err) {
		check.Detail += " (nothing saved yet)"
	} else {
		check.OK, check.Detail, check.Hint = false, err.Error(), AsError(err).Hint
	}
	return check
}

// checkWhole tells whether the local file is whole, as far as a look at its
// pages, indexes and references tells.
func (a *App) checkWhole(ctx context.Context, check setup.Check, path string) setup.Check {
	faults, err := a.local.Check(ctx)
	if err != nil {
		faults = append(faults, err.Error())
	}
	if behind := sqlite.Behind(ctx, path, a.local); len(faults) == 1 && piton.CodeOf(behind) == piton.Corrupt {
		check.OK, check.Detail, check.Hint = false, path+": "+Message(behind), AsError(behind).Hint
		return check
	}
	if len(faults) > 0 {
		check.OK = false
		check.Detail += fmt.Sprintf(" is damaged: %s (%d faults)", faults[0], len(faults))
		check.Hint = "'verify' says what is lost, 'verify repair' makes indexes and references again, 'repair' makes a new store of what can be read"
	}
	return check
}

// sharedPatience is how long doctor waits for a shared store.
const sharedPatience = 10 * time.Second

// checkShared tells whether a store other than the local file can be reached;
// false where the settings name none.
func (a *App) checkShared(ctx context.Context) (setup.Check, bool) {
	spec := a.config("").Store
	if !IsShared(spec) {
		return setup.Check{}, false
	}
	check := setup.Check{Name: "store of several machines", OK: true, Detail: spec}
	if isPostgres(spec) {
		check.Detail = postgres.Shown(spec)
	}
	ctx, cancel := context.WithTimeout(ctx, sharedPatience)
	defer cancel()
	shared, err := a.openShared(ctx, true)
	switch files, ok := shared.(*filestore.Store); {
	case missing(err):
		check.Detail += " (nothing saved yet)"
	case err != nil:
		check.OK, check.Detail, check.Hint = false, err.Error(), AsError(err).Hint
	case ok && len(files.Warnings()) > 0:
		check.OK, check.Detail, check.Hint = false, check.Detail+": "+files.Warnings()[0], "'piton verify' lists all that is wrong"
	}
	return check, true
}
