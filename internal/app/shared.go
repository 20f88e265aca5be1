package app

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

// openShared opens a store other than the local file; nil where there is none.
// existing: no folder is made where there is none, which is NotFound.
func (a *opened) openShared(ctx context.Context, existing bool) (store.Checkpoints, error) {
	if a.shared != nil {
		return a.shared, nil
	}
	set := a.config("")
	spec, err := a.whole(set.Store)
	if !IsShared(set.Store) || err != nil {
		return nil, err
	}
	if dir, ok := folderOf(spec); ok {
		err = a.openFolder(dir, existing)
	} else {
		err = a.openServer(ctx, spec, !set.Checkpoints.Compress)
	}
	a.sharedName = config.StoreName(spec)
	return a.shared, err
}

// openServer opens a database, or joins those who have it open.
func (a *opened) openServer(ctx context.Context, spec string, plain bool) error {
	if a.o.Stores != nil {
		st, leave, err := a.o.Stores.take(ctx, spec, plain)
		if err == nil {
			a.shared, a.closeShared = st, leave
		}
		return err
	}
	st, err := postgres.Open(ctx, spec, postgres.Options{Plain: plain})
	if err == nil {
		a.shared, a.closeShared = st, st.Close
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
	st, err := filestore.Open(dir, filestore.Options{Cache: place.Cache(a.o.Home)})
	if err != nil {
		return err
	}
	a.shared, a.closeShared = st, st.Close
	if list := st.Warnings(); len(list) > 0 {
		a.o.Warn(piton.Errorf(piton.Invalid, "", "'piton verify' lists all that is wrong", "%s: %s", dir, list[0]))
	}
	return nil
}

// checkpoints is the open store of the checkpoints.
func (a *opened) checkpoints() store.Checkpoints {
	if a.shared != nil {
		return a.shared
	}
	return a.local
}

// archive is the cold tier: the place the settings name, else a folder beside
// the local file. What was written when it lay in PITON_HOME, for whatever
// store, is still found there. owner is needed to write to it.
func (a *opened) archive(owner string) (store.Archive, error) {
	c := a.config("")
	cold, err := archive.Open(c.Checkpoints.Archive, owner)
	before := place.Archive(a.o.Home)
	if err != nil || c.From["checkpoints.archive"] != "" || c.Checkpoints.Archive == before {
		return cold, err
	}
	return archive.Both{Archive: cold, Before: archive.Folder{Dir: before, Owner: owner}}, nil
}

// archiveIsHere tells whether the archive of a shared store lies in a folder of
// this machine, where the others would not find what it holds.
func (a *opened) archiveIsHere() bool {
	return a.shared != nil && a.config("").Checkpoints.Archive == place.Archive(a.o.Home)
}

// owner tells this store from others that use the same archive: it is drawn
// once and kept in the store's local file.
func (a *opened) owner(ctx context.Context) (string, error) {
	n, err := a.homeNumber(ctx)
	return a.ownerOf(n), err
}

// ownerOf is the owner that a home's number makes.
func (a *opened) ownerOf(n int64) string { return fmt.Sprintf("%x/%s", n, a.sharedName) }

// storeID is the mark of a home's number.
const storeID = "store_id"

// homeID tells this home from others: it is drawn once and kept in the local file.
func (a *opened) homeID(ctx context.Context) (string, error) {
	n, err := a.homeNumber(ctx)
	return fmt.Sprintf("%x", n), err
}

func (a *opened) homeNumber(ctx context.Context) (int64, error) {
	n, err := a.local.Mark(ctx, storeID)
	if err == nil && n == 0 {
		n = rand.Int64()
		err = a.local.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, storeID, n) })
	}
	return n, err
}

// storeNamed is the store as a command has to name it, where it was named for this
// caller alone; "" where a command finds it by itself.
func (a *opened) storeNamed() string {
	switch {
	case a.o.Store == "":
		return ""
	case a.shared != nil && a.isConfigured():
		return ""
	case a.shared != nil:
		return a.sharedName
	}
	file := func(spec string) string {
		path := place.Database(a.o.Home)
		if p, ok := place.SQLite(spec); ok && spec != "" {
			if abs, err := a.absolute(p); err == nil {
				path = abs
			}
		}
		return path
	}
	if here := file(a.o.Store); here != file(a.configured) {
		return "sqlite:" + here
	}
	return ""
}
