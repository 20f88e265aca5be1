package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// TestAlwaysRunsAfterAStop is what steps with always() do where the run does not come to
// its end by itself.
func TestAlwaysRunsAfterAStop(t *testing.T) {
	tokens := plan.Budget{Tokens: 10}
	uses := func(context.Context, action.Call) (action.Result, error) {
		return action.Result{Usage: piton.TokenUsage{Input: 20}}, nil
	}
	for _, c := range []struct {
		name   string
		steps  []string
		effect plan.Effect
		budget plan.Budget
		hangs  string // this step runs until it is ended
		wish   piton.RunWish
		status piton.RunStatus
		want   string
	}{
		{"cancelled while a step runs", []string{"work", "clean <- work if always()"}, plan.Pure, plan.Budget{}, "work", piton.WishCancel, piton.RunCancelled, "work pending, clean completed"},
		{"cancelled while a step runs that may not run twice", []string{"work", "clean <- work if always()"}, plan.Once, plan.Budget{}, "work", piton.WishCancel, piton.RunCancelled, "work in_doubt, clean completed"},
		{"cancelled before what it depends on", []string{"a", "b <- a", "clean <- b if always()"}, plan.Pure, plan.Budget{}, "a", piton.WishCancel, piton.RunCancelled, "a pending, b pending, clean completed"},
		{"one after the other", []string{"work", "one <- work if always()", "two <- one if always()"}, plan.Pure, plan.Budget{}, "work", piton.WishCancel, piton.RunCancelled, "work pending, one completed, two completed"},
		{"what depends on a clean-up and has no always()", []string{"work", "clean <- work if always()", "tell <- clean"}, plan.Pure, plan.Budget{}, "work", piton.WishCancel, piton.RunCancelled, "work pending, clean completed, tell pending"},
		{"a condition with more than always()", []string{"work", "clean <- work if always() && 1 == 1"}, plan.Pure, plan.Budget{}, "work", piton.WishCancel, piton.RunCancelled, "work pending, clean completed"},
		{"a condition that does not hold", []string{"work", "clean <- work if always() && 1 == 2"}, plan.Pure, plan.Budget{}, "work", piton.WishCancel, piton.RunCancelled, "work pending, clean pending"},
		{"failure() and success() ask for no stop", []string{"work", "x <- work if failure()", "y <- work if success()"}, plan.Pure, plan.Budget{}, "work", piton.WishCancel, piton.RunCancelled, "work pending, x pending, y pending"},
		{"the clean-up itself is cancelled", []string{"work", "clean <- work if always()", "last <- clean if always()"}, plan.Pure, plan.Budget{}, "", "", piton.RunCompleted, "work completed, clean completed, last completed"},
		{"the run's tokens", []string{"use", "more <- use", "clean <- more if always()"}, plan.Pure, tokens, "", "", piton.RunStopped, "use completed, more pending, clean completed"},
		{"the run's tries", []string{"use", "more <- use", "clean <- more if always()"}, plan.Pure, plan.Budget{Tries: 1}, "", "", piton.RunStopped, "use completed, more pending, clean completed"},
		{"the run's time", []string{"work", "clean <- work if always()"}, plan.Pure, plan.Budget{Time: plan.Duration(20 * time.Millisecond)}, "work", "", piton.RunStopped, "work pending, clean completed"},
		{"a doubt", []string{"doubt", "b <- doubt", "clean <- b if always()"}, plan.Once, plan.Budget{}, "", "", piton.RunInDoubt, "doubt in_doubt, b pending, clean completed"},
		{"a doubt that it does not depend on, and what it depends on goes on", []string{"doubt", "work", "clean <- work if always()"}, plan.Once, plan.Budget{}, "", "", piton.RunInDoubt, "doubt in_doubt, work completed, clean completed"},
		{"a pause is none", []string{"work", "b <- work", "clean <- b if always()"}, plan.Pure, plan.Budget{}, "", piton.WishPause, piton.RunPaused, "work completed, b pending, clean pending"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.effect = c.effect
			d.do["use"], d.do["doubt"] = uses, ends(context.DeadlineExceeded)
			begun := make(chan struct{})
			if c.hangs != "" {
				d.do[c.hangs] = hangs(begun)
			} else if c.wish == piton.WishPause {
				d.do["work"] = func(context.Context, action.Call) (action.Result, error) {
					d.wish(c.wish)
					time.Sleep(100 * time.Millisecond)
					return action.Result{}, nil
				}
			}
			p := steps(c.steps...)
			p.Budget = c.budget
			if c.hangs != "" && c.wish != "" {
				go func() { <-begun; d.wish(c.wish) }()
			}
			o := d.start(Request{Plan: p})
			if got := statuses(o.State); got != c.want || o.Run.Status != c.status {
				t.Errorf("got %s: %s\nwant %s: %s (%s)", o.Run.Status, got, c.status, c.want, o.Error)
			}
		})
	}
}

// wish is what a person wants of the run.
func (d *desk) wish(w piton.RunWish) {
	run, err := d.Keeper.Store.Runs().Run(context.Background(), d.id())
	if err != nil {
		d.t.Error(err)
	}
	d.save(func(tx store.Tx) error { return tx.Runs.WishRun(context.Background(), run.ID, run.Fence, w) })
}

// ends makes a step end with an error.
func ends(err error) func(context.Context, action.Call) (action.Result, error) {
	return func(context.Context, action.Call) (action.Result, error) { return action.Result{}, err }
}

// TestCleanUpRunsAgain has what cleaned up after a stop run again, once what it depends
// on has run after all.
func TestCleanUpRunsAgain(t *testing.T) {
	d := newDesk(t)
	d.effect = plan.Pure
	p := steps("use", "more <- use", "clean <- more if always()")
	p.Budget.Tries = 1
	o := d.start(Request{Plan: p})
	o = d.resume(Again{Run: o.RunID, Budget: &plan.Budget{Tries: 9}})
	if got := fmt.Sprint(d.did); got != "[use clean more clean]" || !o.Success {
		t.Errorf("got %s, %s", got, o.Run.Status)
	}
	d = newDesk(t)
	d.do["a"] = ends(context.DeadlineExceeded)
	o = d.start(Request{Plan: steps("a", "clean <- a if always()")})
	o = d.resume(Again{Run: o.RunID})
	if o.Run.Status != piton.RunInDoubt || fmt.Sprint(d.did) != "[a clean]" {
		t.Errorf("resumed without a word: %s, %v", o.Run.Status, d.did)
	}
	if o = d.resume(Again{Run: o.RunID, Took: []string{"a"}}); !o.Success || fmt.Sprint(d.did) != "[a clean]" {
		t.Errorf("took: got %s, %v", o.Run.Status, d.did)
	}
}

// TestCleanUpOfARunThatNobodyWorksOn runs when it is cancelled.
func TestCleanUpOfARunThatNobodyWorksOn(t *testing.T) {
	d := newDesk(t)
	d.do["a"] = fails("no")
	o := d.start(Request{Plan: steps("a", "b <- a", "clean <- b if always()", "x")})
	if o.Run.Status != piton.RunFailed || len(d.did) != 3 {
		t.Fatalf("got %+v, %v", o.Run, d.did)
	}
	if o = d.resume(Again{Run: o.RunID, Cancel: true}); o.Run.Status != piton.RunCancelled || len(d.did) != 3 {
		t.Errorf("got %s, %v, want nothing run again", o.Run.Status, d.did)
	}
	d = newDesk(t)
	d.do["a"] = ends(context.DeadlineExceeded)
	p := steps("a", "b <- a", "clean <- b if always()")
	p.Steps[2].When = "always() && steps.b.status != 'failed'"
	o = d.start(Request{Plan: p})
	d.do["clean"] = func(ctx context.Context, _ action.Call) (action.Result, error) {
		run, err := d.Keeper.Store.Runs().Run(ctx, o.RunID)
		if err != nil || run.Wish != piton.WishCancel {
			t.Errorf("while it cleans up: the wish is %q, %v; should it die, nobody would end it", run.Wish, err)
		}
		return action.Result{}, nil
	}
	if o = d.resume(Again{Run: o.RunID, Cancel: true}); o.Run.Status != piton.RunCancelled || !slices.Contains(d.did, "clean") {
		t.Errorf("got %s, %v, want it cleaned up", o.Run.Status, d.did)
	}
}

// TestCleanUpIsBounded ends what cleans up after its time.
func TestCleanUpIsBounded(t *testing.T) {
	d := newDesk(t)
	d.effect = plan.Pure
	begun, cleaning := make(chan struct{}), make(chan struct{})
	d.do["work"], d.do["clean"] = hangs(begun), hangs(cleaning)
	at := time.Now()
	var skip time.Duration
	d.Now = func() time.Time { d.mu.Lock(); defer d.mu.Unlock(); return time.Now().Add(skip) }
	go func() {
		<-begun
		d.wish(piton.WishCancel)
		<-cleaning
		d.mu.Lock()
		skip = maxCleanUp
		d.mu.Unlock()
	}()
	o := d.start(Request{Plan: steps("work", "clean <- work if always()")})
	if x := o.State.Plan[1]; o.Run.Status != piton.RunCancelled || x.Status != Failed || !strings.Contains(x.Reason, "5m0s") || time.Since(at) > time.Minute {
		t.Errorf("got %s, %+v", o.Run.Status, x)
	}
}

// TestBackoffSurvivesAKill: the time of the next try stands in the state.
func TestBackoffSurvivesAKill(t *testing.T) {
	now := piton.At(time.Now())
	later := piton.At(now.Add(time.Hour))
	p := steps("a")
	for _, c := range []struct {
		name string
		step Step
		g    Again
		want bool // it waits
	}{
		{"a try that is due later", Step{ID: "a", Status: Pending, Tried: 1, RetryAt: later, EndedAt: now}, Again{}, true},
		{"a person has it run", Step{ID: "a", Status: Pending, Tried: 1, RetryAt: later, EndedAt: now}, Again{Redo: []string{"a"}}, false},
		{"it is due", Step{ID: "a", Status: Pending, Tried: 1, RetryAt: now, EndedAt: now}, Again{}, false},
		{"the clock was set back", Step{ID: "a", Status: Pending, Tried: 1, RetryAt: piton.At(later.Add(time.Hour)), EndedAt: later}, Again{}, false},
		{"it has failed for good", Step{ID: "a", Status: Failed, Tried: 3, RetryAt: later, EndedAt: now}, Again{}, false},
		{"it was broken off", Step{ID: "a", Status: Running, Tried: 1, RetryAt: later}, Again{}, false},
	} {
		s, err := again(p, State{Plan: []Step{c.step}}, func(plan.Step) plan.Effect { return plan.Pure }, c.g)
		if err != nil {
			t.Fatal(err)
		}
		n := next(p, s, now.Time, nil)
		if (len(n.Start) == 0) != c.want || n.Wake.IsZero() == c.want {
			t.Errorf("%s: got %+v", c.name, n)
		}
	}
}

// TestWordsReachTheWork is which steps a rejection sends back.
func TestWordsReachTheWork(t *testing.T) {
	do := func(id, action string, parameters map[string]any, effect plan.Effect, needs ...string) plan.Step {
		return plan.Step{ID: id, Action: action, Parameters: parameters, Effect: effect, Dependencies: needs}
	}
	words := map[string]any{"command": `./work.sh "$PITON_WORDS"`}
	plainly := map[string]any{"command": "./test.sh"}
	for _, c := range []struct {
		name  string
		steps []plan.Step
		want  string
	}{
		{"the work itself", []plan.Step{do("work", "agent", nil, ""), do("ok", "approve", nil, "", "work")}, "work"},
		{"a test between", []plan.Step{do("work", "agent", nil, ""), do("test", "shell", plainly, "", "work"), do("ok", "approve", nil, "", "test")}, "work"},
		{"two tests between", []plan.Step{do("work", "agent", nil, ""), do("lint", "shell", plainly, "", "work"), do("test", "shell", plainly, "", "lint"), do("ok", "approve", nil, "", "test")}, "work"},
		{"tests beside each other", []plan.Step{do("work", "agent", nil, ""), do("a", "shell", plainly, "", "work"), do("b", "shell", plainly, "", "work"), do("ok", "approve", nil, "", "a", "b")}, "work"},
		{"two works", []plan.Step{do("x", "agent", nil, ""), do("y", "agent", nil, ""), do("test", "shell", plainly, "", "x", "y"), do("ok", "approve", nil, "", "test")}, "x y"},
		{"the nearest work", []plan.Step{do("draft", "agent", nil, ""), do("work", "agent", nil, "", "draft"), do("test", "shell", plainly, "", "work"), do("ok", "approve", nil, "", "test")}, "work"},
		{"a command that names the words", []plan.Step{do("work", "shell", words, ""), do("test", "shell", plainly, "", "work"), do("ok", "approve", nil, "", "test")}, "work"},
		{"the words in env", []plan.Step{do("work", "shell", map[string]any{"command": []any{"make"}, "env": map[string]any{"WHY": "$PITON_WORDS"}}, ""), do("test", "shell", plainly, "", "work"), do("ok", "approve", nil, "", "test")}, "work"},
		{"no step that takes words", []plan.Step{do("build", "shell", plainly, ""), do("test", "shell", plainly, "", "build"), do("ok", "approve", nil, "", "test")}, "test"},
		{"a request between", []plan.Step{do("work", "agent", nil, ""), do("preview", "http", nil, "", "work"), do("ok", "approve", nil, "", "preview")}, "work"},
		{"a checkpoint between", []plan.Step{do("work", "agent", nil, ""), do("keep", "checkpoint", nil, "", "work"), do("ok", "approve", nil, "", "keep")}, "work"},
		{"an approval between", []plan.Step{do("work", "agent", nil, ""), do("first", "approve", nil, "", "work"), do("ok", "approve", nil, "", "first")}, "work"},
		{"a function that works", []plan.Step{do("work", "mine", nil, plan.Idempotent), do("test", "mine", nil, plan.Pure, "work"), do("ok", "approve", nil, "", "test")}, "work"},
		{"work and a test of it", []plan.Step{do("work", "agent", nil, ""), do("test", "shell", plainly, "", "work"), do("ok", "approve", nil, "", "work", "test")}, "work"},
		{"one way with work, one without", []plan.Step{do("work", "agent", nil, ""), do("fetch", "http", nil, ""), do("ok", "approve", nil, "", "work", "fetch")}, "fetch work"},
	} {
		p := plan.Plan{Steps: c.steps}
		var got []string
		for i := range judged(p, len(p.Steps)-1, func(s plan.Step) plan.Effect { return s.Effect }) {
			got = append(got, p.Steps[i].ID)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %v, want %s", c.name, got, c.want)
		}
	}
}

// TestEarlyAndInDoubt: what ran early and is in doubt runs again when a person says that it
// took effect, if what it depends on has run since.
func TestEarlyAndInDoubt(t *testing.T) {
	d := newDesk(t)
	p := d.read(`{type: chain, steps: [{id: a, action: do}, {id: b, action: do}], finally: [{id: f, action: do}]}`)
	for _, step := range []string{"b", "f"} { // the first run is broken off in b, the second in f
		begun := make(chan struct{})
		d.do[step] = hangs(begun)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		var err error
		if step == "b" {
			_, err = d.Start(ctx, Request{Plan: p})
		} else {
			_, err = d.Resume(ctx, Again{Run: d.id()})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	clear(d.do)
	if o := d.resume(Again{Run: d.id(), Redo: []string{"b"}}); o.Run.Status != piton.RunInDoubt {
		t.Fatalf("got %s", statuses(o.State))
	}
	o := d.resume(Again{Run: d.id(), Took: []string{"f"}})
	if got := strings.Join(d.did, " "); !o.Success || got != "a b f b f" {
		t.Errorf("got %s, %s", got, statuses(o.State))
	}
}
