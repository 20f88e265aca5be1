package caller

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/diff"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/kind"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/turn"
)

// Keeper opens the stores and returns the verbs over them. existing: nothing
// is made where there is no store, which is NotFound; what hooks have saved here is
// carried to a shared store first, so that a list shows it.
func (a *opened) Keeper(ctx context.Context, existing bool) (history.Keeper, error) {
	shared, err := a.OpenShared(ctx, existing)
	if err != nil {
		return history.Keeper{}, err
	}
	st, err := a.localBeside(ctx, shared != nil, existing)
	if err != nil {
		return history.Keeper{}, err
	}
	cold, err := a.Archive("")
	if err != nil {
		return history.Keeper{}, err
	}
	a.warnOfSettings()
	host, _ := os.Hostname()
	k := history.Keeper{
		Store: st, Local: st.Local(), Archive: cold, Now: a.Options.Now, Host: host, Person: func() string { return place.Person(a.Options.Getenv, a.Config("")) }, Log: a.Options.Log, Recent: &states.Recent{}, Redact: a.RedactRules(),
		Capture: a.capture, Validate: kind.Validate, Diff: diff.States, Drift: turn.Drift,
		Agents: clients.Names(), Alive: func(s agent.Session) bool { return turn.AtWork(s, a.Now()) },
		RunAlive: a.runWorkedOn,
	}
	if shared == nil {
		return k, nil
	}
	k.Store, k.StoreName = shared, a.sharedName
	k.Unowned = a.Unowned(ctx)
	// What was saved by hand while the store was the local file stays there.
	k.Carries = func(w piton.Workflow) bool { return w.Type == piton.TypeSession }
	k.OneOff = !a.IsConfigured()
	if existing && !k.OneOff && !a.carried && a.unkept == nil {
		a.carried = true
		a.carry(ctx, k)
	}
	return k, nil
}

// localBeside opens the local file. Beside another store it is only the agents' side of
// it, and is made where it is missing; where it cannot be, on a full disk, say, who
// reads gets an empty one that lies nowhere.
func (a *opened) localBeside(ctx context.Context, shared, existing bool) (*sqlstore.Store, error) {
	if !shared || !existing {
		return a.Local(ctx, existing)
	}
	st, err := a.Local(ctx, true)
	if Missing(err) {
		st, err = a.Local(ctx, false)
	}
	if piton.CodeOf(err) != piton.Unavailable || ctx.Err() != nil {
		return st, err
	}
	a.unkept = err
	a.Options.Log.WarnContext(ctx, "the local file cannot be used, so what hooks have saved here is not shown", "err", err)
	if a.LocalStore, err = sqlite.Memory(ctx, sqlite.Options{}); err == nil {
		a.closeLocal = a.LocalStore.Close
	}
	return a.LocalStore, err
}

// carryPatience is how long a reader waits for what hooks have saved on this
// machine to reach the store.
const carryPatience = 10 * time.Second

// carry carries to the store what hooks have saved here. A reader goes on
// without it.
func (a *opened) carry(ctx context.Context, k history.Keeper) {
	ctx, cancel := context.WithTimeout(ctx, carryPatience)
	defer cancel()
	if _, err := k.Flush(ctx, nil); err != nil {
		a.Options.Log.WarnContext(ctx, "what hooks have saved here did not reach the store; 'piton flush' tries again", "err", err)
	}
}

// Writer is the Keeper that may write to the archive.
func (a *opened) Writer(ctx context.Context) (history.Keeper, error) {
	k, err := a.Keeper(ctx, true)
	if err = cmp.Or(err, a.unkept); err != nil { // the archive's files belong to a home
		return k, err
	}
	home, err := a.HomeID(ctx)
	if err == nil {
		k.Archive, err = a.Archive(home + "/" + a.sharedName)
	}
	return k, err
}

// DryWriter is the Keeper that knows which files of the archive are this store's, and
// writes nothing. A store without an id has written none.
func (a *opened) DryWriter(ctx context.Context) (history.Keeper, error) {
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return k, err
	}
	n, err := a.LocalStore.Mark(ctx, storeID)
	if err == nil && n != 0 {
		k.Archive, err = a.Archive(fmt.Sprintf("%x/%s", n, a.sharedName))
	}
	return k, err
}
