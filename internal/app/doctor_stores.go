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
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/store/filestore"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// noneSaved is said of a store that nothing was saved to: it cannot be opened, and need not be.
const noneSaved = " (nothing saved yet)"

// verdict is the check of a store that lies somewhere; err is why it cannot be used.
func verdict(name, where string, err error, otherwise string) setup.Check {
	if err == nil {
		return client.Pass(name, where)
	}
	detail := err.Error()
	if !strings.Contains(detail, where) {
		detail = where + ": " + detail
	}
	return client.Fail(name, detail, cmp.Or(caller.AsError(err).Hint, otherwise))
}

// checkStore tells whether the local file can be opened, is whole and can be written to, and
// whether a checkpoint fits beside it.
func (a Overview) checkStore(ctx context.Context) setup.Check {
	path, err := a.DatabasePath()
	if err == nil {
		_, err = a.Local(ctx, true)
	}
	if caller.Missing(err) {
		return client.Pass("store", path+noneSaved)
	}
	if err == nil {
		err = a.damage(ctx, path)
	}
	if err == nil {
		err = tryRow(ctx, a.LocalStore.Local())
	}
	if err == nil {
		err = writable(filepath.Dir(path))
	}
	return verdict("store", path, err, "")
}

// writable is why a store's folder cannot take what is saved.
func writable(dir string) error {
	err := setup.Writable(dir)
	if err == nil {
		return nil
	}
	return &piton.Error{Code: piton.Unavailable, Op: "write to the store", Hint: "free some space or make it writable; until then nothing large is saved there", Err: err}
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
	now := a.Now()
	if a.LocalStore != nil {
		page, err := a.LocalStore.List(ctx, piton.Query{Limit: 1})
		for _, c := range page.Checkpoints {
			if ahead := c.CreatedAt.Sub(now.Time); err == nil && ahead > maxAhead {
				return client.Warn("clock", fmt.Sprintf("%s was saved at %s, which is %v ahead of this machine's clock", c.ID, c.CreatedAt, ahead.Round(time.Minute)),
					"set the clock of this machine, or of the one that saved it; until then ages and retention are wrong")
			}
		}
	}
	return client.Pass("clock", now.String())
}

// checkFolders tells whether settings can be written, and Piton's log.
func (a Overview) checkFolders() setup.Check {
	for _, path := range []string{config.UserFile(a.Options.Getenv), place.Log(a.Options.Home)} {
		if err := setup.Appendable(path); err != nil {
			return client.Warn("settings and log", err.Error(), "see whose it is: 'ls -ld "+filepath.Dir(path)+" "+path+"'; make it yours, or set XDG_CONFIG_HOME or PITON_HOME")
		}
	}
	return client.Pass("settings and log", "can be written")
}

// checkArchive writes to the archive, reads it back and removes it; false where none is named
// and none is there.
func (a Overview) checkArchive(ctx context.Context) (setup.Check, bool) {
	c := a.Config("")
	at := c.Checkpoints.Archive
	_, err := os.Stat(at)
	switch {
	case c.From["checkpoints.archive"] == "" && err != nil:
		return setup.Check{}, false
	case strings.Contains(at, "://"):
		err = a.tryArchive(ctx)
	case errors.Is(err, fs.ErrNotExist):
		if err = setup.Appendable(filepath.Join(at, "archive")); err == nil {
			at += " (nothing archived yet)"
		}
	default:
		err = setup.Writable(at)
	}
	return verdict("archive", at, err, "make it writable, or name another place: 'piton config set checkpoints.archive PLACE'; until then nothing is archived"), true
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

// damage is what is wrong with the local file, as far as a look at its pages, indexes and
// references tells.
func (a Overview) damage(ctx context.Context, path string) error {
	faults, err := a.LocalStore.Check(ctx)
	if err != nil {
		faults = append(faults, err.Error())
	}
	behind := sqlite.Behind(ctx, path, a.LocalStore)
	switch more := len(faults) - 1; {
	case more < 0:
		return nil
	case more == 0 && piton.CodeOf(behind) == piton.Corrupt:
		return behind
	case more > 0:
		faults[0] += fmt.Sprintf(" (and %d more)", more)
	}
	return piton.Errorf(piton.Corrupt, "", "'verify' says what is lost, 'verify repair' makes indexes, references and the records of sessions again, 'repair' makes a new store of what can be read", "%s is damaged: %s", path, faults[0])
}

// sharedPatience is how long doctor waits for a shared store.
const sharedPatience = 10 * time.Second

// checkShared tells whether a store other than the local file can be used; false where the
// settings name none.
func (a Overview) checkShared(ctx context.Context) (setup.Check, bool) {
	spec := a.Config("").Store
	if !caller.IsShared(spec) {
		return setup.Check{}, false
	}
	shown := spec
	if caller.IsPostgres(spec) {
		shown = postgres.Shown(spec)
	}
	ctx, cancel := context.WithTimeout(ctx, sharedPatience)
	defer cancel()
	a.Options.Stores = nil // whether it can be reached now, not whether it could once
	shared, err := a.OpenShared(ctx, true)
	if caller.Missing(err) {
		return client.Pass("store of several machines", shown+noneSaved), true
	}
	if files, ok := shared.(*filestore.Store); ok && err == nil {
		err = a.tryFiles(spec, files)
	}
	if rows, ok := shared.(interface{ Local() *store.Local }); ok && err == nil {
		err = tryRow(ctx, rows.Local())
	}
	return verdict("store of several machines", shown, err, "see what the database's log says; until then nothing is saved there"), true
}

// tryFiles is why a store of files cannot be used.
func (a Overview) tryFiles(spec string, files *filestore.Store) error {
	whole, err := a.WholeSpec(spec)
	if dir, ok := caller.FolderOf(whole); err == nil && ok {
		err = writable(dir)
	}
	if warnings := files.Warnings(); err == nil && len(warnings) > 0 {
		err = piton.Errorf(piton.Corrupt, "", "'piton verify' lists all that is wrong", "%s", warnings[0])
	}
	return err
}
