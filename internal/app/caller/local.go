package caller

import (
	"context"

	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// DatabasePath is the local file that is in force.
func (a *opened) DatabasePath() (string, error) {
	// Only what chooses the store can be in the way of it: a slip in another
	// setting must not keep anybody from their checkpoints.
	c := a.Config("")
	if c.Unread && c.Store == "" {
		_, err := a.UsableConfig("")
		return "", err
	}
	if c.Store == "" || IsShared(c.Store) {
		return place.Database(a.Options.Home), nil
	}
	path, ok := place.SQLite(c.Store)
	if !ok {
		return "", unknownStore(c.Store)
	}
	return a.AbsolutePath(path)
}

// Local opens the local store, in which agents' sessions stand, and where no
// other is named the checkpoints too. existing: nothing is made where there is
// none, which is NotFound.
func (a *opened) Local(ctx context.Context, existing bool) (*sqlstore.Store, error) {
	if a.LocalStore != nil {
		return a.LocalStore, nil
	}
	path, err := a.DatabasePath()
	if err != nil {
		return nil, err
	}
	o := sqlite.Options{Existing: existing, Plain: !a.Config("").Checkpoints.Compress}
	if a.Options.Search {
		o.FTS5 = fts5.Register
	}
	if a.Options.Stores != nil && !a.Options.Search {
		a.LocalStore, a.closeLocal, err = a.Options.Stores.local(ctx, path, o)
	} else if a.LocalStore, err = sqlite.Open(ctx, path, o); err == nil {
		a.closeLocal = a.LocalStore.Close
	}
	if behind := a.checkBehind(ctx, path, err); behind != nil {
		return nil, behind
	}
	if Missing(err) {
		err = piton.Errorf(piton.NotFound, "open the store", "after 'piton init' agents save by themselves, and 'save' saves now; or name another store: 'store STORE', PITON_STORE or PITON_HOME", "nothing has been saved yet: there is no %s", path)
	}
	a.Options.Log.DebugContext(ctx, "opened the local file", "path", path, "err", err)
	return a.LocalStore, err
}

// checkBehind warns where the store that was just opened is older than what was
// acknowledged. Where the file is gone, opened is NotFound and there is nothing to
// go on with: the error is returned.
func (a *opened) checkBehind(ctx context.Context, path string, opened error) error {
	if a.Options.Behind || opened != nil && !Missing(opened) {
		return nil
	}
	err := sqlite.Behind(ctx, path, a.LocalStore)
	if piton.CodeOf(err) != piton.Corrupt {
		return nil // what cannot be read now is said by what reads it
	}
	if opened != nil {
		return err
	}
	a.Options.Warn(AsError(err))
	return nil
}
