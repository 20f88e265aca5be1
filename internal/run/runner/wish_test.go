package runner

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/store"
)

func TestWishes(t *testing.T) {
	for _, c := range []struct {
		name   string
		wish   piton.RunWish
		end    bool // the step ends by itself
		status piton.RunStatus
		want   string
		closed bool
	}{
		{"paused: what runs is let finish, nothing new starts", piton.WishPause, true, piton.RunPaused, "a completed, b pending", false},
		{"cancelled: what runs is ended", piton.WishCancel, false, piton.RunCancelled, "a in_doubt, b pending", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			seen := make(chan struct{})
			d.do["a"] = func(ctx context.Context, call action.Call) (action.Result, error) {
				d.wish(c.wish)
				if c.end {
					<-seen
					return action.Result{}, nil
				}
				<-ctx.Done()
				return action.Result{}, ctx.Err()
			}
			d.Events = func(e Event) {
				if e.Kind == RunStopping {
					close(seen)
				}
			}
			o := d.start(Request{Plan: steps("a", "b <- a")})
			if diff := cmp.Diff(c.want, statuses(o.State)); diff != "" || o.Run.Status != c.status {
				t.Errorf("(-want +got)\n%s%+v", diff, o.Run)
			}
			w, err := d.Keeper.Store.Workflow(t.Context(), o.Run.WorkflowID, "")
			if err != nil || w.Closed != c.closed {
				t.Errorf("got the workflow %+v, %v, want closed %t", w, err, c.closed)
			}
			if c.closed {
				if _, err := d.Resume(t.Context(), Again{Run: o.RunID}); piton.CodeOf(err) != piton.Conflict {
					t.Errorf("got %v, want a conflict", err)
				}
				return
			}
			if o = d.resume(Again{Run: o.RunID}); !o.Success {
				t.Errorf("got %+v, want it to go on", o)
			}
		})
	}
}

// TestCancelIsNotLost lets a run be cancelled when its owner does not look any more.
func TestCancelIsNotLost(t *testing.T) {
	cancels := func(d *desk, fence int64) func() {
		return func() {
			id := d.id()
			d.save(func(tx store.Tx) error { return tx.Runs.WishRun(context.Background(), id, fence, piton.WishCancel) })
		}
	}
	check := func(t *testing.T, d *desk, o Outcome, want string) {
		t.Helper()
		if o.Run.Status != piton.RunCancelled || o.Error != "a person has cancelled it" || statuses(o.State) != want {
			t.Errorf("got %s, %s: %s, want it cancelled with %s", o.Run.Status, o.Error, statuses(o.State), want)
		}
		run, err := d.Keeper.Store.Runs().Run(t.Context(), o.RunID)
		if err != nil || run.Status != piton.RunCancelled || run.Wish != piton.WishNothing {
			t.Errorf("got %+v, %v, want it kept as cancelled", run, err)
		}
		w, err := d.Keeper.Store.Workflow(t.Context(), o.Run.WorkflowID, "")
		if err != nil || !w.Closed {
			t.Errorf("got the workflow %+v, %v, want it closed", w, err)
		}
		var ended []string
		for _, e := range d.events {
			if e.Kind == RunEnded {
				ended = append(ended, e.Message)
			}
		}
		if !slices.Equal(ended, []string{"cancelled"}) {
			t.Errorf("got told %q, want its one end", ended)
		}
	}
	t.Run("while it gives the run back", func(t *testing.T) {
		d := newDesk(t)
		d.Poll = time.Hour
		h := &hooked{Checkpoints: d.Keeper.Store}
		d.Keeper.Store = h
		d.do["a"] = func(context.Context, action.Call) (action.Result, error) {
			h.before = cancels(d, 1)
			return action.Result{}, errors.New("no")
		}
		check(t, d, d.start(Request{Plan: steps("a", "b <- a")}), "a failed, b skipped")
	})
	t.Run("and its process has died", func(t *testing.T) {
		d := newDesk(t)
		begun, never, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
		defer func() { close(never); <-ended }() // it writes until then
		d.do["a"] = func(context.Context, action.Call) (action.Result, error) {
			close(begun)
			<-never // its process is gone, as far as anybody can tell
			return action.Result{}, nil
		}
		first := *d.Runner
		first.Events, first.Poll = nil, time.Hour
		go func() {
			defer close(ended)
			first.Start(context.Background(), Request{Plan: steps("a", "b <- a")})
		}()
		<-begun
		cancels(d, 1)()
		d.Owner = piton.Owner{PID: 2, Host: "here", Boot: "b", Space: "s"}
		check(t, d, d.resume(Again{Run: d.id()}), "a in_doubt, b pending")
	})
}
