package runner

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

func TestMayTake(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name         string
		owned        bool
		alive, known bool
		lease        time.Duration // from now
		take, watch  bool
		says         string
	}{
		{name: "nobody has it", take: true},
		{name: "its owner runs", owned: true, alive: true, known: true, lease: -time.Hour, says: "process 42 on far works on it"},
		{name: "its owner has died, whatever the lease", owned: true, known: true, lease: time.Hour, take: true},
		{name: "its owner cannot be seen, and the lease counts", owned: true, lease: 20 * time.Second, says: "its lease is until 2026-01-01T12:00:20.000Z"},
		{name: "its owner cannot be seen, and the lease has run out", owned: true, lease: -time.Millisecond, take: true},
		{name: "a lease that nobody can have made now is watched", owned: true, lease: time.Hour, watch: true, says: "cannot be seen"},
		{name: "a clock that is a little behind is borne with", owned: true, lease: 40 * time.Second, says: "cannot be seen"},
	} {
		r := piton.Run{LeaseUntil: piton.At(now.Add(c.lease))}
		if c.owned {
			r.Owner = piton.Owner{PID: 42, Host: "far"}
		}
		got := mayTake(r, c.alive, c.known, now, 30*time.Second)
		if got.Take != c.take || got.Watch != c.watch || !strings.Contains(got.Why, c.says) {
			t.Errorf("%s: got %+v", c.name, got)
		}
	}
}

// TestClockSetBack lets a clock jump: a lease from the future that nobody renews is
// not believed for longer than one lease.
func TestClockSetBack(t *testing.T) {
	synctest.Test(t, clockSetBack)
}

func clockSetBack(t *testing.T) {
	d := newDesk(t)
	begun, never := make(chan struct{}), make(chan struct{})
	d.do["a"] = func(context.Context, action.Call) (action.Result, error) {
		close(begun)
		<-never
		return action.Result{}, nil
	}
	ahead := *d.Runner
	ahead.Now = func() time.Time { return time.Now().Add(24 * time.Hour) }
	renews := &flaky{Checkpoints: d.Keeper.Store}
	ahead.Keeper.Store = renews
	var owner sync.WaitGroup
	owner.Go(func() {
		if o, err := ahead.Start(context.Background(), Request{Plan: steps("a")}); err == nil {
			t.Errorf("got %+v, want the first owner to have lost the run", o.Run)
		}
	})
	<-begun
	id := d.id()
	other := *d.Runner
	other.Events, other.Owner = nil, piton.Owner{PID: 2, Host: "there", Boot: "other"}
	other.Alive = func(piton.Owner) (bool, bool) { return false, false }
	other.Actions = map[string]action.Action{"do": action.Func(plan.Pure, func(context.Context, action.Call) (any, error) { return "other", nil })}
	if _, err := other.Resume(t.Context(), Again{Run: id, Redo: []string{"a"}}); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("while it is renewed: got %v, want a conflict", err)
	}
	synctest.Wait()         // a renewal may be on its way
	renews.down.Store(true) // it has gone
	o, err := other.Resume(t.Context(), Again{Run: id, Redo: []string{"a"}})
	if err != nil || !o.Success {
		t.Errorf("got %+v, %v, want it taken over", o, err)
	}
	close(never)
	owner.Wait()
}

// flaky is a store that can be away: its disk is full, its server is gone.
type flaky struct {
	store.Checkpoints
	down  atomic.Bool
	hangs atomic.Bool   // the next save waits for its context; then it is away
	saves atomic.Int64  // that were refused
	once  time.Duration // it is away for one save, which takes so long to be refused
}

func (f *flaky) Save(ctx context.Context, fn func(store.Tx) error) error {
	if f.hangs.CompareAndSwap(true, false) {
		f.down.Store(true)
		<-ctx.Done()
	}
	if f.down.Load() {
		f.saves.Add(1)
		if f.once > 0 {
			f.down.Store(false)
			time.Sleep(f.once)
		}
		return piton.Errorf(piton.Unavailable, "save", "free some space", "the disk is full")
	}
	return f.Checkpoints.Save(ctx, fn)
}

// TestStoreAway lets the store be away while steps run.
func TestStoreAway(t *testing.T) {
	t.Run("what steps bring meanwhile is kept when it is back", func(t *testing.T) {
		d := newDesk(t)
		f := &flaky{Checkpoints: d.Keeper.Store}
		d.Keeper.Store = f
		d.do["a"] = func(context.Context, action.Call) (action.Result, error) {
			f.down.Store(true)
			go func() {
				for f.saves.Load() < 3 {
					time.Sleep(time.Millisecond)
				}
				f.down.Store(false)
			}()
			return action.Result{Output: 1.0}, nil
		}
		o := d.start(Request{Plan: steps("a", "b <- a")})
		if !o.Success || len(d.did) != 2 {
			t.Errorf("got %+v, %v, want it completed, each step once", o.Run, d.did)
		}
	})
	t.Run("a save whose refusal takes longer than the lease is tried again", func(t *testing.T) {
		d := newDesk(t)
		f := &flaky{Checkpoints: d.Keeper.Store, once: 2 * time.Second}
		d.Keeper.Store, d.Lease = f, time.Second
		d.do["a"] = func(context.Context, action.Call) (action.Result, error) {
			f.down.Store(true)
			return action.Result{Output: 1.0}, nil
		}
		if o := d.start(Request{Plan: steps("a", "b <- a")}); !o.Success || len(d.did) != 2 || f.saves.Load() != 1 {
			t.Errorf("got %+v, %v after %d refusals, want it completed, each step once", o.Run, d.did, f.saves.Load())
		}
	})
	t.Run("a run whose store stays away ends, and what was acknowledged is there", func(t *testing.T) {
		d := newDesk(t)
		f := &flaky{Checkpoints: d.Keeper.Store}
		d.Keeper.Store = f
		d.Lease = 60 * time.Millisecond
		d.do["b"] = func(context.Context, action.Call) (action.Result, error) {
			f.down.Store(true)
			return action.Result{}, nil
		}
		o, err := d.Start(t.Context(), Request{Plan: steps("a", "b <- a", "c <- b")})
		if piton.CodeOf(err) != piton.Unavailable || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("got %v, want it unavailable", err)
		}
		f.down.Store(false)
		if o = d.resume(Again{Run: o.RunID}); o.Run.Status != piton.RunInDoubt || statuses(o.State) != "a completed, b in_doubt, c pending" {
			t.Errorf("got %s, %+v", statuses(o.State), o.Run)
		}
	})
	t.Run("a renewal that hangs ends the steps with the lease", func(t *testing.T) {
		d := newDesk(t)
		f := &flaky{Checkpoints: d.Keeper.Store}
		d.Keeper.Store, d.Lease = f, 60*time.Millisecond
		d.do["a"] = func(ctx context.Context, _ action.Call) (action.Result, error) {
			f.hangs.Store(true)
			<-ctx.Done()
			return action.Result{}, ctx.Err()
		}
		if _, err := d.Start(t.Context(), Request{Plan: steps("a")}); piton.CodeOf(err) != piton.Unavailable {
			t.Errorf("got %v, want it unavailable", err)
		}
	})
	t.Run("no step begins whose intent is not kept", func(t *testing.T) {
		d := newDesk(t)
		f := &flaky{Checkpoints: d.Keeper.Store}
		f.down.Store(true)
		d.Keeper.Store = f
		_, err := d.Start(t.Context(), Request{Plan: steps("a")})
		if piton.CodeOf(err) != piton.Unavailable || len(d.did) != 0 {
			t.Errorf("got %v, %v, want nothing begun", err, d.did)
		}
	})
}

// TestTwoRunners lets several processes resume a run at once: one has it.
func TestTwoRunners(t *testing.T) {
	d := newDesk(t)
	d.do["a"] = fails("no")
	o := d.start(Request{Plan: steps("a", "b <- a", "c <- b")})
	delete(d.do, "a")
	d.did = nil
	var all sync.WaitGroup
	var won, lost atomic.Int64
	for n := range 5 {
		r := *d.Runner
		r.Events, r.Owner = nil, piton.Owner{PID: 100 + n}
		r.Alive = func(piton.Owner) (bool, bool) { return true, true }
		all.Go(func() {
			o, err := r.Resume(context.Background(), Again{Run: o.RunID})
			switch {
			case err == nil && o.Success:
				won.Add(1)
			case piton.CodeOf(err) == piton.Conflict:
				lost.Add(1)
			default:
				t.Errorf("got %+v, %v", o.Run, err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || lost.Load() != 4 || strings.Join(d.did, " ") != "a b c" {
		t.Errorf("got %d winners, %d losers, the steps %v, want one winner and each step once", won.Load(), lost.Load(), d.did)
	}
}

// hooked is a store that lets something happen before its next save.
type hooked struct {
	store.Checkpoints
	before func()
}

func (h *hooked) Save(ctx context.Context, fn func(store.Tx) error) error {
	if before := h.before; before != nil {
		h.before = nil
		before()
	}
	return h.Checkpoints.Save(ctx, fn)
}

// TestOwnerThatStillSaves lets an owner save once more between the look at its state
// and the takeover: that state is out of date. One that may be alive, whose lease has
// run out, keeps its run; of one that has died a server may commit the last save late.
func TestOwnerThatStillSaves(t *testing.T) {
	for _, c := range []struct {
		name   string
		known  bool
		taken  bool
		status piton.RunStatus
	}{
		{"nobody can see its process", false, false, piton.RunStopped},
		{"its process has died", true, true, piton.RunInDoubt},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			begun, save, saved := make(chan struct{}), make(chan struct{}), make(chan struct{})
			d.do["a"] = func(ctx context.Context, c action.Call) (action.Result, error) {
				close(begun)
				<-save
				if err := c.Note(ctx, action.Note{Session: "s"}); err != nil {
					t.Error(err)
				}
				close(saved)
				<-ctx.Done()
				return action.Result{}, ctx.Err()
			}
			ctx, stop := context.WithCancel(context.Background())
			ended := make(chan struct{})
			go func() { defer close(ended); d.Start(ctx, Request{Plan: steps("a")}) }()
			<-begun
			other := *d.Runner
			other.Events, other.Owner = nil, piton.Owner{PID: 2, Host: "here", Boot: "b", Space: "s"}
			other.Alive = func(piton.Owner) (bool, bool) { return false, c.known }
			other.Now = func() time.Time { return time.Now().Add(40 * time.Second) }
			other.Keeper.Store = &hooked{Checkpoints: d.Keeper.Store, before: func() { close(save); <-saved }}
			o, err := other.Resume(t.Context(), Again{Run: d.id()})
			if !c.taken && (piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "has just saved it")) {
				t.Errorf("got %v, want a conflict", err)
			}
			if c.taken && (err != nil || len(o.State.Plan) != 1 || o.State.Plan[0].Note == nil || o.State.Plan[0].Note.Session != "s") {
				t.Errorf("got %+v, %v, want the run with what was saved last", o.State, err)
			}
			stop()
			<-ended
			run, err := d.Keeper.Store.Runs().Run(t.Context(), d.id())
			if err != nil || run.Status != c.status {
				t.Errorf("got %+v, %v, want it %s", run, err, c.status)
			}
		})
	}
}

// Who claims a run too late is told how it stands now, not what a writer would be.
func TestOutrun(t *testing.T) {
	for _, c := range []struct {
		name  string
		alive bool
		end   bool
		want  string
	}{
		{"another one works on it", true, false, "process 1 on here works on it"},
		{"another one has given it back", false, false, "another process has worked on it a moment ago"},
		{"another one has ended it", false, true, "nothing is left to do"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.do["a"] = fails("no")
			if c.end {
				delete(d.do, "a")
			}
			now := d.start(Request{Plan: steps("a")}).Run
			if c.alive {
				d.save(func(tx store.Tx) error {
					_, err := tx.Runs.ClaimRun(t.Context(), now.ID, now.Fence, redact.Value(d.Owner), piton.At(time.Now()), piton.At(time.Now().Add(time.Minute)))
					return err
				})
			}
			late, before := *d.Runner, now
			late.Owner, late.Alive = piton.Owner{PID: 2, Host: "here", Boot: "b", Space: "s"}, func(piton.Owner) (bool, bool) { return c.alive, true }
			before.Fence--
			err := late.outrun(t.Context(), before, store.NotYours("resume", now))
			if piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
