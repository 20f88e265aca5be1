package event

import (
	"context"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// LockWait is how long a hook waits for the other writers.
const LockWait = 2 * time.Second

// opening is the local store, opened once when it is first asked for: the file
// that the settings name, else the one in PITON_HOME. A store elsewhere is none of
// a hook's business.
type opening struct {
	spec, home string
	plain      bool
	once       sync.Once
	st         *sqlstore.Store
	err        error

	behind error // the store is older than what was acknowledged
}

func (o *opening) open(ctx context.Context) (*store.Local, error) {
	o.once.Do(func() {
		path, ok := place.SQLite(o.spec)
		if !ok {
			path = place.Database(o.home)
		}
		o.st, o.err = sqlite.Open(ctx, path, sqlite.Options{Wait: LockWait, Plain: o.plain, KeepLog: true, Behind: func(err error) { o.behind = err }})
	})
	if o.err != nil {
		return nil, o.err
	}
	return o.st.Local(), nil
}

func (o *opening) close() {
	if o.st != nil {
		o.st.Close()
	}
}
