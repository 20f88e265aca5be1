package runner

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
)

// TestProcessThatLivesOn has a process, which can be seen to run, resume runs that
// it gave up itself.
func TestProcessThatLivesOn(t *testing.T) {
	alive := func(piton.Owner) (bool, bool) { return true, true }
	t.Run("after the store was away", func(t *testing.T) {
		d := newDesk(t)
		f := &flaky{Checkpoints: d.Keeper.Store}
		d.Keeper.Store, d.Alive, d.Lease = f, alive, 60*time.Millisecond
		d.do["a"] = func(context.Context, action.Call) (action.Result, error) {
			f.down.Store(true)
			return action.Result{}, nil
		}
		o, err := d.Start(t.Context(), Request{Plan: steps("a", "b <- a")})
		if piton.CodeOf(err) != piton.Unavailable {
			t.Fatalf("got %v, want it unavailable", err)
		}
		f.down.Store(false)
		if o = d.resume(Again{Run: o.RunID, Took: []string{"a"}}); !o.Success {
			t.Errorf("got %+v, want it completed", o.Run)
		}
	})
	t.Run("after a panic", func(t *testing.T) {
		d := newDesk(t)
		d.Alive = alive
		ended := make(chan struct{})
		d.do["a"] = func(ctx context.Context, _ action.Call) (action.Result, error) {
			defer close(ended)
			<-ctx.Done()
			return action.Result{}, ctx.Err()
		}
		watch := d.Events
		d.Events = func(e Event) {
			if e.Kind == StepStarted && e.Step == "b" {
				panic("of the watcher")
			}
		}
		func() {
			defer func() { _ = recover() }()
			d.Start(t.Context(), Request{Plan: steps("a", "b")})
			t.Error("got no panic")
		}()
		<-ended
		d.Events = watch
		o, err := d.Resume(t.Context(), Again{Run: d.id()})
		for piton.CodeOf(err) == piton.Conflict { // the step has returned, and its attempt is about to
			o, err = d.Resume(t.Context(), Again{Run: d.id()})
		}
		if err != nil || o.Run.Status != piton.RunInDoubt {
			t.Errorf("got %+v, %v, want it resumed, with steps in doubt", o.Run, err)
		}
	})
}

// TestStepThatDoesNotEnd has a process give a run up whose step goes on all the
// same: the run is at work until the step has ended.
func TestStepThatDoesNotEnd(t *testing.T) {
	d := newDesk(t)
	letGo := atWork.hold("run_a", 3)
	r := piton.Run{ID: "run_a", Fence: 3, Owner: d.Owner}
	for _, c := range []struct {
		name         string
		run          piton.Run
		alive, known bool
	}{
		{name: "the claim that is held", run: r, alive: true, known: true},
		{name: "an earlier claim of it", run: piton.Run{ID: "run_a", Fence: 2, Owner: d.Owner}, known: true},
		{name: "another run of this process", run: piton.Run{ID: "run_b", Fence: 3, Owner: d.Owner}, known: true},
		{name: "a run of nobody", run: piton.Run{ID: "run_a", Fence: 3}, known: true},
		{name: "another process that runs", run: piton.Run{ID: "run_a", Fence: 2, Owner: piton.Owner{PID: 1, Start: "9", Boot: "b", Space: "s"}}, alive: true, known: true},
		{name: "this process under another host name", run: piton.Run{ID: "run_a", Fence: 2, Owner: piton.Owner{PID: 1, Host: "renamed", Boot: "b", Space: "s"}}, known: true},
		{name: "the same pid on another host, where nothing else is known", run: piton.Run{ID: "run_a", Fence: 2, Owner: piton.Owner{PID: 1, Host: "there"}}, alive: true, known: true},
	} {
		if alive, known := Alive(c.run, d.Owner, func(piton.Owner) (bool, bool) { return true, true }); alive != c.alive || known != c.known {
			t.Errorf("%s: got %v, %v, want %v, %v", c.name, alive, known, c.alive, c.known)
		}
	}
	attempt := atWork.hold("run_a", 3)
	letGo()
	letGo()
	if alive, _ := Alive(r, d.Owner, nil); !alive {
		t.Error("an attempt runs, and the run is not at work")
	}
	attempt()
	if alive, _ := Alive(r, d.Owner, nil); alive {
		t.Error("the attempt has ended, and the run is at work")
	}
}

// TestTwoInOneProcess has two goroutines of a process resume a run at once.
func TestTwoInOneProcess(t *testing.T) {
	d := newDesk(t)
	d.do["a"] = fails("no")
	o := d.start(Request{Plan: steps("a", "b <- a")})
	beaten := make(chan struct{})
	d.do["a"] = func(context.Context, action.Call) (action.Result, error) {
		<-beaten
		return action.Result{}, nil
	}
	d.did = nil
	var meet, all sync.WaitGroup
	meet.Add(2)
	outcomes, errs := [2]Outcome{}, [2]error{}
	for n := range 2 {
		r := *d.Runner
		r.Events = nil
		r.Keeper.Store = &hooked{Checkpoints: d.Keeper.Store, before: func() { meet.Done(); meet.Wait() }} // both have read the row
		all.Go(func() {
			if outcomes[n], errs[n] = r.Resume(context.Background(), Again{Run: o.RunID}); errs[n] != nil {
				close(beaten)
			}
		})
	}
	all.Wait()
	won := 0
	if errs[0] != nil {
		won = 1
	}
	if err := errs[1-won]; piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "process 1 on here works on it") {
		t.Errorf("got %v, want a conflict that names the process", err)
	}
	if errs[won] != nil || !outcomes[won].Success || strings.Join(d.did, " ") != "a b" {
		t.Errorf("got %+v, %v, the steps %v, want each once", outcomes[won].Run, errs[won], d.did)
	}
}
