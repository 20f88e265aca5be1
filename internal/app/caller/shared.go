package caller

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/store/filestore"
	"github.com/piton-project/piton/internal/store/postgres"
)

// OpenShared opens a store other than the local file; nil where there is none.
// existing: no folder is made where there is none, which is NotFound.
func (a *opened) OpenShared(ctx context.Context, existing bool) (store.Checkpoints, error) {
	if a.Shared != nil {
		return a.Shared, nil
	}
	set := a.Config("")
	spec, err := a.WholeSpec(set.Store)
	if !IsShared(set.Store) || err != nil {
		return nil, err
	}
	if dir, ok := FolderOf(spec); ok {
		err = a.openFolder(dir, existing)
	} else {
		err = a.openServer(ctx, spec, !set.Checkpoints.Compress)
	}
	a.sharedName = config.StoreName(spec)
	a.Options.Log.DebugContext(ctx, "opened the shared store", "store", a.sharedName, "err", err)
	return a.Shared, err
}

// openServer opens a database, or joins those who have it open.
func (a *opened) openServer(ctx context.Context, spec string, plain bool) error {
	if a.Options.Stores != nil {
		st, leave, err := a.Options.Stores.take(ctx, spec, plain)
		if err == nil {
			a.Shared, a.closeShared = st, leave
		}
		return err
	}
	st, err := postgres.Open(ctx, spec, postgres.Options{Plain: plain})
	if err == nil {
		a.Shared, a.closeShared = st, st.Close
	}
	return err
}

func (a *opened) openFolder(dir string, existing bool) error {
	missing := ""
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		missing = "there is no folder " + dir
	case err == nil && info.IsDir() && !filestore.Holds(dir): // somebody's folder: to read makes nothing in it
		missing = "there is no store in the folder " + dir
	}
	if existing && missing != "" {
		return piton.Errorf(piton.NotFound, "open the store", "save something with 'save', or name another store: 'store STORE' or PITON_STORE", "nothing has been saved yet: %s", missing)
	}
	st, err := filestore.Open(dir, filestore.Options{Cache: place.Cache(a.Options.Home)})
	if err != nil {
		return err
	}
	a.Shared, a.closeShared = st, st.Close
	if list := st.Warnings(); len(list) > 0 {
		a.Options.Warn(piton.Errorf(piton.Invalid, "", "'piton verify' lists all that is wrong", "%s: %s", dir, list[0]))
	}
	return nil
}

// CheckpointStore is the open store of the checkpoints, which Keeper has opened.
func (a *opened) CheckpointStore() store.Checkpoints {
	if a.Shared != nil {
		return a.Shared
	}
	return a.LocalStore
}

// Archive is the cold tier: the place the settings name, else a folder beside
// the local file. What was written when it lay in PITON_HOME, for whatever
// store, is still found there. owner is needed to write to it.
func (a *opened) Archive(owner string) (store.Archive, error) {
	c := a.Config("")
	cold, err := archive.Open(c.Checkpoints.Archive, owner)
	before := place.Archive(a.Options.Home)
	if err != nil || c.From["checkpoints.archive"] != "" || c.Checkpoints.Archive == before {
		return cold, err
	}
	return archive.Both{Archive: cold, Before: archive.Folder{Dir: before, Owner: owner}}, nil
}

// ArchiveIsHere tells whether the archive of a shared store lies in a folder of
// this machine, where the others would not find what it holds.
func (a *opened) ArchiveIsHere() bool {
	return a.Shared != nil && a.Config("").Checkpoints.Archive == place.Archive(a.Options.Home)
}

// storeID is the mark of a home's number. With the store's name it tells the files of an
// archive from those of other stores.
const storeID = "store_id"

// HomeID tells this home from others: it is drawn once and kept in the local file.
func (a *opened) HomeID(ctx context.Context) (string, error) {
	n, err := a.LocalStore.Mark(ctx, storeID)
	if err == nil && n == 0 {
		err = a.LocalStore.Update(ctx, func(tx store.LocalTx) (err error) {
			if n, err = tx.Mark(ctx, storeID); err != nil || n != 0 { // another process was first
				return err
			}
			n = rand.Int64()
			return tx.SetMark(ctx, storeID, n)
		})
	}
	return fmt.Sprintf("%x", n), err
}

// StoreNamed is the store as a command has to name it, where it was named for this
// caller alone; "" where a command finds it by itself.
func (a *opened) StoreNamed() string {
	switch {
	case a.Options.Store == "":
		return ""
	case a.Shared != nil && a.IsConfigured():
		return ""
	case a.Shared != nil:
		return a.sharedName
	}
	file := func(spec string) string {
		path := place.Database(a.Options.Home)
		if p, ok := place.SQLite(spec); ok && spec != "" {
			if abs, err := a.AbsolutePath(p); err == nil {
				path = abs
			}
		}
		return path
	}
	if here := file(a.Options.Store); here != file(a.configured) {
		return "sqlite:" + here
	}
	return ""
}
