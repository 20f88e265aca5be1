package planruns

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// between is a store in which something happens before its next save.
type between struct {
	store.Checkpoints
	happens func()
}

func (b *between) Save(ctx context.Context, fn func(store.Tx) error) error {
	if h := b.happens; h != nil {
		b.happens = nil
		h()
	}
	return b.Checkpoints.Save(ctx, fn)
}

// TestSteerARunThatChangesHands lets a run's owner end, or another one take it, between
// the look at the run and the write: what was asked is neither lost nor written to
// somebody who would not hear it.
func TestSteerARunThatChangesHands(t *testing.T) {
	seen := caller.ThisOwner()
	seen.PID, seen.Boot, seen.Space = 1, "another machine", "another" // its lease decides
	next := seen
	next.PID = 2
	for _, c := range []struct {
		name    string
		happens func(context.Context, store.Tx, piton.Run) error
		wish    piton.RunWish
		status  piton.RunStatus
		asked   bool
		fence   int64
		code    piton.Code
	}{
		{"it is cancelled where its owner has just given it back", gaveBack(piton.RunFailed), piton.WishCancel, piton.RunCancelled, false, 2, ""},
		{"a pause of what nobody works on is refused", gaveBack(piton.RunWaiting), piton.WishPause, piton.RunWaiting, false, 1, piton.Conflict},
		{"what has been completed stays so", gaveBack(piton.RunCompleted), piton.WishCancel, piton.RunCompleted, false, 1, piton.Conflict},
		{"another owner is asked", func(ctx context.Context, tx store.Tx, r piton.Run) error {
			_, err := tx.Runs.ClaimRun(ctx, r.ID, r.Fence, redact.Value(next), r.UpdatedAt, r.LeaseUntil)
			return err
		}, piton.WishCancel, piton.RunRunning, true, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, k, r := ownedRun(t, seen)
			b := &between{Checkpoints: k.Store}
			b.happens = func() {
				if err := b.Checkpoints.Save(t.Context(), func(tx store.Tx) error { return c.happens(t.Context(), tx, r) }); err != nil {
					t.Fatal(err)
				}
			}
			k.Store = b
			got, err := a.steer(t.Context(), k, r, c.wish)
			if piton.CodeOf(err) != c.code || got.Asked != c.asked {
				t.Errorf("got %+v, %v, want asked %t and the code %q", got, err, c.asked, c.code)
			}
			now, err := k.Store.Runs().Run(t.Context(), r.ID)
			if err != nil || now.Status != c.status || now.Fence != c.fence || c.asked != (now.Wish == c.wish) {
				t.Errorf("got %s, fence %d, wish %q, %v, want %s, fence %d", now.Status, now.Fence, now.Wish, err, c.status, c.fence)
			}
		})
	}
}

// gaveBack lets the owner of a run end.
func gaveBack(status piton.RunStatus) func(context.Context, store.Tx, piton.Run) error {
	return func(ctx context.Context, tx store.Tx, r piton.Run) error {
		r.Status = status
		return tx.Runs.PutRun(ctx, redact.Value(r))
	}
}

// newRuns are the runs of a caller with a home, a folder and an environment of its own.
func newRuns(t *testing.T, o caller.Options) PlanRuns {
	t.Helper()
	o.Home, o.Dir, o.Environ, o.Getenv = t.TempDir(), t.TempDir(), []string{}, func(string) string { return "" }
	a := caller.New(o)
	t.Cleanup(a.Close)
	return PlanRuns{a}
}

// ownedRun is a run that a process on another machine works on.
func ownedRun(t *testing.T, owner piton.Owner) (PlanRuns, history.Keeper, piton.Run) {
	t.Helper()
	now := piton.At(time.Now())
	a := newRuns(t, caller.Options{Now: func() time.Time { return now.Time }})
	k, _, err := a.openRuns(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	w := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Type: piton.TypePlan, CreatedAt: now}
	r := piton.Run{
		ID: piton.NewID(piton.RunPrefix), WorkflowID: w.ID, Branch: piton.MainBranch, Status: piton.RunRunning, Owner: owner, Fence: 1,
		CreatedAt: now, UpdatedAt: now, LeaseUntil: piton.At(now.Add(time.Minute)),
	}
	err = k.Store.Save(t.Context(), func(tx store.Tx) error {
		if err := tx.PutWorkflow(t.Context(), redact.Value(w)); err != nil {
			return err
		}
		return tx.Runs.AddRun(t.Context(), redact.Value(r), redact.Unchecked(json.RawMessage(`{}`)))
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, k, r
}
