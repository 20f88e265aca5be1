package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/store/filestore"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// checkStore tells whether the local file can be opened and is whole.
func (a Overview) checkStore(ctx context.Context) setup.Check {
	check := setup.Check{Name: "store", OK: true}
	path, err := a.DatabasePath()
	if err == nil {
		check.Detail = path
		if _, err = a.Local(ctx, true); err == nil {
			check = a.checkWhole(ctx, check, path)
			if err = a.checkWrites(ctx, path); err == nil || !check.OK {
				return check
			}
		}
	}
	if caller.Missing(err) {
		check.Detail += " (nothing saved yet)"
	} else {
		check.OK, check.Detail, check.Hint = false, err.Error(), caller.AsError(err).Hint
		if !strings.Contains(check.Detail, path) {
			check.Detail = path + ": " + check.Detail
		}
	}
	return check
}

// checkWrites writes a row to the local file, which syncs it, reads it back and deletes
// it, and sees that a checkpoint fits beside it.
func (a Overview) checkWrites(ctx context.Context, path string) error {
	if err := tryRow(ctx, a.LocalStore.Local()); err != nil {
		return err
	}
	if err := setup.Writable(filepath.Dir(path)); err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: "write to the store", Hint: "free some space; until then nothing large is saved", Err: err}
	}
	return nil
}

// tryRow writes a row to a store, which syncs it, reads it back and deletes it.
func tryRow(ctx context.Context, st *store.Local) error {
	n := rand.Int64()
	mark := fmt.Sprintf("doctor:%x", n) // another doctor may be at work
	if err := st.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, mark, n) }); err != nil {
		return err
	}
	got, err := st.Mark(ctx, mark)
	kept := context.WithoutCancel(ctx) // what was written goes again, whatever became of us
	if err := st.Update(kept, func(tx store.LocalTx) error { return tx.ClearMark(kept, mark) }); err != nil {
		return err
	}
	if err == nil && got != n {
		err = piton.Errorf(piton.Corrupt, "write to the store", "'verify' says what is lost", "what was written is not what is read back")
	}
	return err
}

// maxAhead is how far a record may be ahead of the clock of this machine.
const maxAhead = 5 * time.Minute

// checkClock tells whether what was saved last comes from the future: clocks of machines
// that share a store differ, or this one was set back.
func (a Overview) checkClock(ctx context.Context) setup.Check {
	check := setup.Check{Name: "clock", OK: true, Detail: a.Now().String()}
	if a.LocalStore == nil {
		return check
	}
	page, err := a.LocalStore.List(ctx, piton.Query{Limit: 1})
	if err != nil || len(page.Checkpoints) == 0 {
		return check // the store has its own check
	}
	c := page.Checkpoints[0]
	if ahead := c.CreatedAt.Sub(a.Now().Time); ahead > maxAhead {
		check.Warn, check.Hint = true, "set the clock of this machine, or of the one that saved it; until then ages and retention are wrong"
		check.Detail = fmt.Sprintf("%s was saved at %s, which is %v ahead of this machine's clock", c.ID, c.CreatedAt, ahead.Round(time.Minute))
	}
	return check
}

// checkFolders tells whether settings can be written, and Piton's log.
func (a Overview) checkFolders() setup.Check {
	check := setup.Check{Name: "settings and log", OK: true, Detail: "can be written"}
	file := config.UserFile(a.Options.Getenv)
	for _, path := range []string{file, place.Log(a.Options.Home)} {
		if err := setup.Appendable(path); err != nil {
			check.Warn, check.Detail, check.Hint = true, err.Error(), "see whose it is: 'ls -ld "+filepath.Dir(path)+" "+path+"'; make it yours, or set XDG_CONFIG_HOME or PITON_HOME"
		}
	}
	return check
}

// checkArchive writes a small file to the archive, reads it back and removes it; false
// where none is named and none is there.
func (a Overview) checkArchive(ctx context.Context) (setup.Check, bool) {
	c := a.Config("")
	at := c.Checkpoints.Archive
	info, err := os.Stat(at)
	if c.From["checkpoints.archive"] == "" && err != nil {
		return setup.Check{}, false
	}
	check := setup.Check{Name: "archive", OK: true, Detail: at}
	switch {
	case !strings.Contains(at, "://") && errors.Is(err, fs.ErrNotExist):
		check.Detail += " (nothing archived yet)"
		err = setup.Appendable(filepath.Join(at, "archive"))
	case err == nil && info.IsDir():
		if err = setup.Writable(at); err == nil {
			err = a.tryArchive(ctx)
		}
	default:
		err = a.tryArchive(ctx)
	}
	if err != nil {
		check.OK, check.Detail = false, at+": "+caller.Message(err)
		check.Hint = cmp.Or(caller.AsError(err).Hint, "make it writable, or name another place: 'piton config set checkpoints.archive PLACE'") + "; until then nothing is archived"
	}
	return check, true
}

// tryArchive writes a file to the archive, reads it back and removes it.
func (a Overview) tryArchive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sharedPatience)
	defer cancel()
	w, id, state := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix)}, piton.NewID(piton.CheckpointPrefix), []byte("{}")
	cold, err := archive.Open(a.Config("").Checkpoints.Archive, fmt.Sprintf("doctor/%x", rand.Int64()))
	if err != nil {
		return err
	}
	one := store.Entry{Workflow: w, State: state, Checkpoint: piton.Checkpoint{ID: id, InWorkflow: piton.InWorkflow{WorkflowID: w.ID}, CreatedAt: a.Now(), OfState: piton.OfState{StateBytes: int64(len(state)), SHA256: fmt.Sprintf("%x", sha256.Sum256(state))}}}
	name, _, err := cold.Write(ctx, func(yield func(redact.Clean[store.Entry], error) bool) { yield(redact.Value(one), nil) })
	if err != nil {
		return err
	}
	_, err = cold.Entry(ctx, name, id)
	return cmp.Or(err, cold.Remove(context.WithoutCancel(ctx), name))
}

// checkWhole tells whether the local file is whole, as far as a look at its
// pages, indexes and references tells.
func (a Overview) checkWhole(ctx context.Context, check setup.Check, path string) setup.Check {
	faults, err := a.LocalStore.Check(ctx)
	if err != nil {
		faults = append(faults, err.Error())
	}
	if behind := sqlite.Behind(ctx, path, a.LocalStore); len(faults) == 1 && piton.CodeOf(behind) == piton.Corrupt {
		check.OK, check.Detail, check.Hint = false, path+": "+caller.Message(behind), caller.AsError(behind).Hint
		return check
	}
	if len(faults) > 0 {
		check.OK = false
		check.Detail += " is damaged: " + faults[0]
		if more := len(faults) - 1; more > 0 {
			check.Detail += fmt.Sprintf(" (and %d more)", more)
		}
		check.Hint = "'verify' says what is lost, 'verify repair' makes indexes, references and the records of sessions again, 'repair' makes a new store of what can be read"
	}
	return check
}

// folderFull is why nothing can be written to a store of files; nil where it can.
func (a Overview) folderFull(spec string) error {
	whole, err := a.WholeSpec(spec)
	if dir, ok := caller.FolderOf(whole); err == nil && ok {
		err = setup.Writable(dir)
	}
	return err
}

// sharedPatience is how long doctor waits for a shared store.
const sharedPatience = 10 * time.Second

// checkShared tells whether a store other than the local file can be reached;
// false where the settings name none.
func (a Overview) checkShared(ctx context.Context) (setup.Check, bool) {
	spec := a.Config("").Store
	if !caller.IsShared(spec) {
		return setup.Check{}, false
	}
	check := setup.Check{Name: "store of several machines", OK: true, Detail: spec}
	if caller.IsPostgres(spec) {
		check.Detail = postgres.Shown(spec)
	}
	ctx, cancel := context.WithTimeout(ctx, sharedPatience)
	defer cancel()
	a.Options.Stores = nil // whether it can be reached now, not whether it could once
	shared, err := a.OpenShared(ctx, true)
	switch files, ok := shared.(*filestore.Store); {
	case caller.Missing(err):
		check.Detail += " (nothing saved yet)"
	case err != nil:
		check.OK, check.Detail, check.Hint = false, err.Error(), caller.AsError(err).Hint
	case ok && a.folderFull(spec) != nil:
		check.OK, check.Detail, check.Hint = false, a.folderFull(spec).Error(), "free some space or make it writable; until then nothing is saved there"
	case ok && len(files.Warnings()) > 0:
		check.OK, check.Detail, check.Hint = false, check.Detail+": "+files.Warnings()[0], "'piton verify' lists all that is wrong"
	}
	if rows, ok := shared.(interface{ Local() *store.Local }); ok && err == nil {
		if err := tryRow(ctx, rows.Local()); err != nil {
			check.OK, check.Detail, check.Hint = false, check.Detail+": "+caller.Message(err), cmp.Or(caller.AsError(err).Hint, "see what the database's log says; until then nothing is saved there")
		}
	}
	return check, true
}
