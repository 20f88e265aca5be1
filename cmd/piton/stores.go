package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/store/filestore"
	"github.com/piton-project/piton/internal/store/postgres"
)

// isPostgres and filePrefix tell the stores other than the local file by what
// --store says.
func isPostgres(spec string) bool {
	return strings.HasPrefix(spec, "postgres://") || strings.HasPrefix(spec, "postgresql://")
}

const filePrefix = "file:"

// isFar tells whether a store is another than a local file.
func isFar(spec string) bool {
	return isPostgres(spec) || strings.HasPrefix(spec, filePrefix) && spec != filePrefix
}

// storeKind is how what names a store begins; behind that a password may come.
func storeKind(spec string) string {
	if i := strings.IndexFunc(spec, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); i >= 0 {
		spec = spec[:i]
	}
	return spec[:min(len(spec), 20)]
}

// unknownStore says what is wrong with what names no store.
func unknownStore(spec string) error {
	why := "it begins with none of sqlite:, postgres:// and file:"
	switch kind := storeKind(spec); {
	case spec == "sqlite:" || spec == filePrefix:
		why = spec + " names no path"
	case kind != "" && spec != kind:
		why = fmt.Sprintf("there is no kind of store %q", kind)
	}
	return piton.Errorf(piton.Invalid, "open the store", "give sqlite:PATH, postgres://… or file:DIR", "%s", why)
}

// storeName tells a store from others without its password.
func storeName(spec string) string { return config.StoreName(spec) }

// openFar opens a store other than the local file; nil where there is none.
// existing: no folder is made where there is none, which is NotFound.
func (a *app) openFar(ctx context.Context, existing bool) (store.Checkpoints, error) {
	if a.far != nil {
		return a.far, nil
	}
	set := a.config("")
	spec := set.Store
	switch {
	case isPostgres(spec):
		st, err := postgres.Open(ctx, spec, postgres.Options{Plain: !set.Checkpoints.Compress})
		if err != nil {
			return nil, err
		}
		a.far, a.closeFar = st, st.Close
	case strings.HasPrefix(spec, filePrefix) && spec != filePrefix:
		var err error
		if spec, err = whole(spec); err != nil {
			return nil, err
		}
		dir := strings.TrimPrefix(spec, filePrefix)
		if _, err := os.Stat(dir); existing && errors.Is(err, fs.ErrNotExist) {
			return nil, piton.Errorf(piton.NotFound, "open the store", "save something with 'piton save', or name another store with --store or PITON_STORE", "nothing has been saved yet: there is no folder %s", dir)
		}
		st, err := filestore.Open(dir, filestore.Options{Cache: filepath.Join(a.home(), "cache")})
		if err != nil {
			return nil, err
		}
		a.far, a.closeFar = st, st.Close
		if list := st.Warnings(); len(list) > 0 && !a.json {
			fmt.Fprintf(a.err, "piton: warning: %s: %s; 'piton verify' lists all that is wrong\n", clean(dir), clean(list[0]))
		}
	default:
		return nil, nil
	}
	a.farName = storeName(spec)
	return a.far, nil
}

// whole is what names a store, the same wherever we stand.
func whole(spec string) (string, error) {
	dir, ok := strings.CutPrefix(spec, filePrefix)
	if !ok {
		return spec, nil
	}
	dir, err := absolute(dir)
	return filePrefix + dir, err
}

// configured tells whether the store is the one that settings and environment
// name, and not another that --store names for this command alone.
func (a *app) configured() bool {
	named, err := whole(a.config("").Store)
	if err != nil || a.storeFlag == "" {
		return true // an error is told where the store is opened
	}
	set, err := whole(a.setStore)
	return err == nil && storeName(set) == storeName(named)
}

// unowned tells whose open work the files of a file store are that name no
// project, because another program wrote them: that of the project in whose work
// tree the folder lies; where it lies in none, of every project. nil for other
// stores.
func (a *app) unowned(ctx context.Context) func(project string) bool {
	spec, err := whole(a.config("").Store)
	dir, ok := strings.CutPrefix(spec, filePrefix)
	if err != nil || !ok {
		return nil
	}
	root, _, tree := git.Find(dir)
	if !tree {
		return func(string) bool { return true }
	}
	p, err := a.project(ctx, root, false)
	return func(project string) bool { return err == nil && p.ID == project }
}

// absolute is the whole path of a store.
func absolute(path string) (string, error) {
	if strings.HasPrefix(path, "~") {
		return "", piton.Errorf(piton.Invalid, "open the store", "write ~/, $HOME or the whole path", "no shell has filled in the ~ of %q", path)
	}
	return filepath.Abs(path)
}

// flushPatience is how long a command that reads waits for what hooks have
// saved on this machine to reach the store.
const flushPatience = 10 * time.Second

// flush carries to the store what hooks have saved here, so that a list shows
// it. A command goes on without it.
func (a *app) flush(ctx context.Context, k history.Keeper) {
	ctx, cancel := context.WithTimeout(ctx, flushPatience)
	defer cancel()
	if _, err := k.Flush(ctx, nil); err != nil {
		a.log().WarnContext(ctx, "what hooks have saved here did not reach the store; 'piton flush' tries again", "err", err)
	}
}

// archiveBeside is where the archive of a store lies that the settings name none
// for: beside the SQLite file, wherever it is used from. home is the place for
// the file in PITON_HOME, and for other stores.
func archiveBeside(store, home string) string {
	path, ok := strings.CutPrefix(store, "sqlite:")
	if !ok || path == "" {
		return home
	}
	path, err := absolute(path)
	if err != nil {
		return home // opening the store says what is wrong
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Join(filepath.Dir(path), "archive")
}

// archive is the cold tier: the place the settings name, else a folder beside
// the local file. What was written when it lay in PITON_HOME, for whatever
// store, is still found there. owner is needed to write to it.
func (a *app) archive(owner string) (store.Archive, error) {
	c := a.config("")
	cold, err := archive.Open(c.Checkpoints.Archive, owner)
	before := a.homeArchive()
	if err != nil || c.From["checkpoints.archive"] != "" || c.Checkpoints.Archive == before {
		return cold, err
	}
	return archive.Both{Archive: cold, Before: archive.Folder{Dir: before, Owner: owner}}, nil
}

// homeArchive is the archive in PITON_HOME.
func (a *app) homeArchive() string { return filepath.Join(a.home(), "archive") }

// owner tells this store from others that use the same archive: it is drawn
// once and kept in the store's local file.
func (a *app) owner(ctx context.Context) (string, error) {
	const mark = "store_id"
	n, err := a.store.Mark(ctx, mark)
	if err == nil && n == 0 {
		n = rand.Int64()
		err = a.store.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, mark, n) })
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x/%s", n, a.farName), nil
}

// pruner is the keeper that may write to the archive.
func (a *app) pruner(ctx context.Context) (history.Keeper, error) {
	k, err := a.keeper(ctx, true)
	if err != nil {
		return k, err
	}
	owner, err := a.owner(ctx)
	if err == nil {
		k.Archive, err = a.archive(owner)
	}
	return k, err
}
