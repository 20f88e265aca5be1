package runner

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// read reads a plan as users write it; "do" is the action of tests.
func (d *desk) read(text string) plan.Plan {
	d.t.Helper()
	d.Actions["wait"] = action.Waiting{}
	p, err := plan.Parse("p.yaml", []byte(text), action.Known(d.Actions))
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

// counting counts how often each step has run, and lets those fail that tests name.
type counting struct {
	mu    sync.Mutex
	ran   map[string]int
	keys  map[string]map[string]bool
	fails map[string]bool
	gives map[string]any
	most  int // at once
	now   int
}

func (d *desk) counts() *counting {
	c := &counting{ran: map[string]int{}, keys: map[string]map[string]bool{}, fails: map[string]bool{}, gives: map[string]any{}}
	d.Actions["do"] = action.Func(d.effect, func(ctx context.Context, call action.Call) (any, error) {
		c.mu.Lock()
		c.ran[call.Step]++
		if c.keys[call.Step] == nil {
			c.keys[call.Step] = map[string]bool{}
		}
		c.keys[call.Step][call.Key] = true
		c.now++
		c.most = max(c.most, c.now)
		fails, gives := c.fails[call.Step], c.gives[call.Step]
		c.mu.Unlock()
		time.Sleep(time.Millisecond)
		c.mu.Lock()
		c.now--
		c.mu.Unlock()
		if fails {
			return nil, errors.New("it does not work")
		}
		if gives != nil {
			return gives, nil
		}
		return call.Parameters["of"], nil
	})
	return c
}

const eachPlan = `
parallel: 8
steps:
  - {id: list, action: do}
  - {id: each, needs: [list], for_each: steps.list.output, parallel: 2, action: do, with: {of: "${{ item }}-${{ index }}"}}
  - {id: all, needs: [each], action: do, with: {of: "${{ join(steps.each.output, ' ') }}"}}
`

func TestForEach(t *testing.T) {
	d := newDesk(t)
	c := d.counts()
	p := d.read(eachPlan)
	c.gives["list"] = []any{"a", "b", "c", "d", "e"}
	c.fails["each.1"], c.fails["each.3"] = true, true
	o := d.start(Request{Plan: p})
	want := "list completed, each failed, all skipped, each.0 completed, each.1 failed, each.2 completed, each.3 failed, each.4 completed"
	if diff := cmp.Diff(want, statuses(o.State)); diff != "" || !strings.Contains(o.Error, "2 of 5 items failed: each.1, each.3") {
		t.Errorf("(-want +got)\n%s%s", diff, o.Error)
	}
	if c.most != 2 {
		t.Errorf("%d items ran at once, want 2", c.most)
	}
	clear(c.fails)
	o = d.resume(Again{Run: o.RunID})
	if out := o.State.result("all"); !o.Success || out == nil || out.Output != "a-0 b-1 c-2 d-3 e-4" {
		t.Errorf("got %+v %+v", o.Error, o.State.Results)
	}
	if diff := cmp.Diff(map[string]int{"list": 1, "each.0": 1, "each.1": 2, "each.2": 1, "each.3": 2, "each.4": 1, "all": 1}, c.ran); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	keys := map[string]bool{}
	for _, of := range c.keys {
		if len(of) != 1 {
			t.Errorf("got the keys %v of one step, want one", of)
		}
		for k := range of {
			keys[k] = true
		}
	}
	if len(keys) != len(c.keys) {
		t.Errorf("two steps had the same key")
	}
}

// TestItemsAreMadeAnew has what the list comes of run again: an item in the place of
// another is begun anew under another key, and nothing of the old one is taken for it.
func TestItemsAreMadeAnew(t *testing.T) {
	d := newDesk(t)
	c := d.counts()
	p := d.read(eachPlan)
	c.gives["list"], c.fails["all"] = []any{"a", "b", "c"}, true
	o := d.start(Request{Plan: p})
	clear(c.fails)
	c.gives["list"] = []any{"a", "x"}
	o = d.resume(Again{Run: o.RunID, From: []string{"list"}})
	if out := o.State.result("all"); !o.Success || out == nil || out.Output != "a-0 x-1" {
		t.Fatalf("got %s %s %+v", o.Error, statuses(o.State), out)
	}
	if diff := cmp.Diff("list completed, each completed, all completed, each.0 completed, each.1 completed, each.2 skipped", statuses(o.State)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(c.keys["each.1"]) != 2 || len(c.keys["each.0"]) != 2 {
		t.Errorf("got the keys %v, want new ones", c.keys)
	}
}

// TestItemInDoubt: an item that a crash has broken off holds its step and nothing else,
// and is decided on alone.
func TestItemInDoubt(t *testing.T) {
	d := newDesk(t)
	p := d.read(`{steps: [{id: each, for_each: [1, 2, 3], action: do}, {id: other, action: do}, {id: last, needs: [each], action: do}], parallel: 1}`)
	begun := make(chan struct{})
	d.do["each.1"] = hangs(begun)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	o, err := d.Start(ctx, Request{Plan: p})
	if err != nil || o.Run.Status != piton.RunStopped {
		t.Fatalf("got %+v, %v", o.Run, err)
	}
	delete(d.do, "each.1")
	o = d.resume(Again{Run: o.RunID})
	if diff := cmp.Diff("each pending, other completed, last pending, each.0 completed, each.1 in_doubt, each.2 completed", statuses(o.State)); diff != "" || o.Run.Status != piton.RunInDoubt {
		t.Errorf("(-want +got)\n%s%s", diff, o.Run.Status)
	}
	o = d.resume(Again{Run: o.RunID, Took: []string{"each.1"}, Given: map[string]any{"each.1": "given"}})
	if !o.Success {
		t.Errorf("got %s, %s", statuses(o.State), o.Error)
	}
	if n := strings.Count(strings.Join(d.did, " "), "each.1"); n != 1 {
		t.Errorf("each.1 ran %d times, want once", n)
	}
}

func TestMatrix(t *testing.T) {
	d := newDesk(t)
	d.counts()
	o := d.start(Request{Plan: d.read(`
steps:
  - id: test
    strategy:
      matrix:
        os: [linux, mac]
        node-version: [1, 2]
        exclude: [{os: mac, node-version: 1}]
        include: [{os: linux, extra: more}, {os: bsd, node-version: 9}]
    action: do
    with: {of: "${{ matrix.os }} ${{ matrix.node-version }} ${{ matrix.extra ?? '-' }}"}
`)})
	var got []any
	for i := range 4 {
		got = append(got, o.State.result(plan.ItemID("test", i)).Output)
	}
	if diff := cmp.Diff([]any{"linux 1 more", "linux 2 more", "mac 2 -", "bsd 9 -"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestLists(t *testing.T) {
	for _, c := range []struct{ list, when, want string }{
		{list: `[]`, want: "e completed"},
		{list: `{from: 3, to: 1}`, want: "e completed"},
		{list: `{from: 3, to: 1, step: -1}`, want: "e completed, e.0 completed, e.1 completed, e.2 completed"},
		{list: `"${{ 1..2 }}"`, want: "e completed, e.0 completed, e.1 completed"},
		{list: `"'a\\n\\nb\\n'"`, want: "e completed, e.0 completed, e.1 completed"},
		{list: `query`, want: "e completed"},
		{list: `run`, want: "e completed, e.0 completed"},
		{list: `{from: 1, to: "${{ 10001 }}"}`, want: "e failed"},
		{list: `{from: 1, to: 2, step: "${{ 0 }}"}`, want: "e failed"},
		{list: `[1, 2, 3]`, when: "item != 2", want: "e completed, e.0 completed, e.1 skipped, e.2 completed"},
		{list: `[1]`, when: "false", want: "e skipped"},
		{list: `[1]`, when: "item > 'a'", want: "e failed, e.0 failed"},
	} {
		t.Run(c.list+c.when, func(t *testing.T) {
			d := newDesk(t)
			d.counts()
			when := ""
			if c.when != "" {
				when = `, when: "` + c.when + `"`
			}
			o := d.start(Request{Plan: d.read(`steps: [{id: e, action: do, for_each: ` + c.list + when + `}]`)})
			if diff := cmp.Diff(c.want, statuses(o.State)); diff != "" {
				t.Errorf("(-want +got)\n%s%s", diff, o.Error)
			}
		})
	}
}

// TestNoSecretInItems: an item is kept, so one that holds a secret fails its step.
func TestNoSecretInItems(t *testing.T) {
	d := newDesk(t)
	c := d.counts()
	d.Getenv = func(string) string { return "hunter2-hunter2" }
	c.gives["list"] = []any{"x", "hunter2-hunter2"}
	o := d.start(Request{Plan: d.read(`steps: [{id: list, action: do, with: {t: "${env:TOKEN}"}}, {id: each, needs: [list], for_each: steps.list.output, action: do}]`)})
	text, err := o.State.MarshalJSON()
	if err != nil || o.Success || !strings.Contains(o.Error, "item 1 holds what looks like a secret") || strings.Contains(string(text), "hunter2") {
		t.Errorf("got %v, %s, %s", err, o.Error, text)
	}
}

func TestRepeat(t *testing.T) {
	d := newDesk(t)
	c := d.counts()
	text := `steps: [{id: work, action: do, repeat: {until: output >= 3, max: 5}, with: {of: "${{ iteration }}"}}]`
	o := d.start(Request{Plan: d.read(text)})
	if out := o.State.result("work"); !o.Success || out.Output != 3.0 || c.ran["work"] != 3 || len(c.keys["work"]) != 3 {
		t.Errorf("got %+v %+v %s", out, c, o.Error)
	}
	o = d.start(Request{Plan: d.read(strings.ReplaceAll(text, "max: 5", "max: 2")), New: true})
	if o.Success || !strings.Contains(o.Error, "it has run 2 times, and its condition does not hold yet") {
		t.Errorf("got %s", o.Error)
	}
}

func TestFinally(t *testing.T) {
	const text = `{steps: [{id: a, action: do}, {id: b, action: do, needs: [a]}, {id: c, action: do}], finally: [{id: f, action: do}, {id: g, action: do, when: failure()}], parallel: 3}`
	for _, c := range []struct {
		name, fails, want string
		again             *Again
		status            piton.RunStatus
		cancel            string // when this step runs
	}{
		{name: "success", want: "a completed, b completed, c completed, f completed, g skipped", status: piton.RunCompleted},
		{name: "failure", fails: "a", want: "a failed, b skipped, c completed, f completed, g completed", status: piton.RunFailed},
		{name: "a failure of itself", fails: "f", want: "a completed, b completed, c completed, f failed, g completed", status: piton.RunFailed},
		{name: "cancel", cancel: "b", want: "a completed, b in_doubt, c completed, f completed, g completed", status: piton.RunCancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			p := d.read(text)
			if c.fails != "" {
				d.do[c.fails] = fails("broken")
			}
			if c.cancel != "" {
				begun := make(chan struct{})
				d.do[c.cancel] = hangs(begun)
				go func() {
					<-begun
					d.wish(piton.WishCancel)
				}()
			}
			o := d.start(Request{Plan: p})
			if diff := cmp.Diff(c.want, statuses(o.State)); diff != "" || o.Run.Status != c.status {
				t.Errorf("(-want +got)\n%s%s %s", diff, o.Run.Status, o.Error)
			}
			if at := slices.Index(d.did, "f"); at < len(d.did)-2 {
				t.Errorf("got %v, want f behind the others", d.did)
			}
		})
	}
}

const undoPlan = `
on_failure: undo
steps:
  - {id: a, action: do, undo: {action: do, with: {of: "no ${{ steps.a.output }}"}}, with: {of: A}}
  - {id: b, action: do, needs: [a]}
  - {id: each, needs: [b], for_each: [x, y], action: do, undo: {action: do, with: {of: "no ${{ item }}"}}}
  - {id: last, needs: [each], action: do}
finally:
  - {id: f, action: do}
`

func TestUndo(t *testing.T) {
	d := newDesk(t)
	c := d.counts()
	p := d.read(undoPlan)
	c.fails["last"] = true
	o := d.start(Request{Plan: p})
	if o.Run.Status != piton.RunFailed || !strings.HasSuffix(o.Error, "; undone: each.1, each.0, a") {
		t.Fatalf("got %s %q\n%s", o.Run.Status, o.Error, statuses(o.State))
	}
	if out := o.State.result("a.undo"); out == nil || out.Output != "no A" {
		t.Errorf("got %+v", o.State.Results)
	}
	if out := o.State.result("each.1.undo"); out == nil || out.Output != "no y" {
		t.Errorf("got %+v", o.State.Results)
	}
	if diff := cmp.Diff(map[string]int{"a": 1, "b": 1, "each.0": 1, "each.1": 1, "last": 1, "a.undo": 1, "each.0.undo": 1, "each.1.undo": 1, "f": 1}, c.ran); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	clear(c.fails)
	o = d.resume(Again{Run: o.RunID})
	if !o.Success || c.ran["a"] != 2 || c.ran["each.0"] != 2 || len(c.keys["a"]) != 2 {
		t.Errorf("got %s %v\n%s", o.Error, c.ran, statuses(o.State))
	}
	back, err := d.Resume(t.Context(), Again{Checkpoint: o.Run.CheckpointID, Undo: true})
	if err != nil || back.Run.Status != piton.RunCancelled || back.Run.Error != "undone: each.1, each.0, a" {
		t.Errorf("got %v %s %q\n%s", err, back.Run.Status, back.Run.Error, statuses(back.State))
	}
}

// TestUndoThatFails: what comes before it is not undone, and a resume tries again.
func TestUndoThatFails(t *testing.T) {
	d := newDesk(t)
	c := d.counts()
	p := d.read(undoPlan)
	c.fails["last"], c.fails["each.0.undo"] = true, true
	o := d.start(Request{Plan: p})
	if o.Run.Status != piton.RunFailed || !strings.Contains(o.Error, "step each.0.undo failed") || c.ran["a.undo"] != 0 || c.ran["f"] != 1 {
		t.Fatalf("got %s %q %v", o.Run.Status, o.Error, c.ran)
	}
	clear(c.fails)
	o = d.resume(Again{Run: o.RunID})
	if o.Run.Status != piton.RunFailed || c.ran["a.undo"] != 1 || c.ran["each.1.undo"] != 1 || c.ran["last"] != 1 {
		t.Errorf("got %s %q %v", o.Run.Status, o.Error, c.ran)
	}
}

func TestWait(t *testing.T) {
	d := newDesk(t)
	d.counts()
	p := d.read(`{steps: [{id: w, wait: 20ms}, {id: a, needs: [w], action: do}, {id: s, wait: {signal: go, timeout: 30ms}}, {id: u, wait: {until: "2001-02-03T04:05:06Z"}}]}`)
	o := d.start(Request{Plan: p})
	if diff := cmp.Diff("w completed, a completed, s failed, u completed", statuses(o.State)); diff != "" {
		t.Errorf("(-want +got)\n%s%s", diff, o.Error)
	}
	if x := o.State.Plan[0]; x.EndedAt.Sub(x.StartedAt.Time) < 20*time.Millisecond || o.State.Used.Tries != 1 {
		t.Errorf("got %+v, want it to wait and to use no tries", x)
	}
}

// TestWaitSurvives: a run that waits keeps its due time over any number of owners.
func TestWaitSurvives(t *testing.T) {
	d := newDesk(t)
	d.counts()
	now := time.Now()
	d.Now = func() time.Time { return now }
	ctx, cancel := context.WithCancel(t.Context())
	d.Events = func(e Event) {
		if e.Kind == StepIdle {
			cancel()
		}
	}
	o, err := d.Start(ctx, Request{Plan: d.read(`{steps: [{id: w, wait: 8h}, {id: a, needs: [w], action: do}]}`)})
	if err != nil || o.Run.Status != piton.RunStopped || o.State.Plan[0].Status != Waiting {
		t.Fatalf("got %+v, %v", o.Run, err)
	}
	now = now.Add(9 * time.Hour)
	if o = d.resume(Again{Run: o.RunID}); !o.Success {
		t.Errorf("got %s %s", statuses(o.State), o.Error)
	}
}

// TestSignal: a signal that came before its step waits counts, each is used once, and a
// run that waits for nothing else stands as waiting.
func TestSignal(t *testing.T) {
	d := newDesk(t)
	d.counts()
	p := d.read(`{type: chain, steps: [{id: a, wait: {signal: go}}, {id: b, wait: {signal: go}}, {id: c, action: do, with: {of: "${{ steps.a.output.payload.n }} ${{ steps.b.output.payload.n }}"}}]}`)
	o := d.start(Request{Plan: p})
	if o.Run.Status != piton.RunWaiting || !strings.Contains(o.Error, "step a waits for the signal go") {
		t.Fatalf("got %s %q", o.Run.Status, o.Error)
	}
	send := func(id, payload string) {
		d.save(func(tx store.Tx) error {
			return tx.Runs.AnswerRun(t.Context(), redact.Value(Signal(o.RunID, "go", id, []byte(payload), "me", piton.At(time.Now()))))
		})
	}
	send("1", `{"n": 1}`)
	if o = d.resume(Again{Run: o.RunID}); o.Run.Status != piton.RunWaiting || o.State.Plan[1].Status != Waiting {
		t.Fatalf("got %s", statuses(o.State))
	}
	send("2", `{"n": 2}`)
	if o = d.resume(Again{Run: o.RunID}); !o.Success || o.State.result("c").Output != "1 2" {
		t.Errorf("got %s %s", statuses(o.State), o.Error)
	}
}

// TestOtherLists: a list that another plan or another input has is made anew, and what
// depends on it runs again; an item that is as it was keeps its result.
func TestOtherLists(t *testing.T) {
	d := newDesk(t)
	c := d.counts()
	text := `{name: l, inputs: {l: {type: list, default: [a, b]}}, steps: [{id: e, for_each: [a, b], action: do, with: {of: "${{ item }}"}}, {id: s, needs: [e], action: do, with: {of: "${{ join(steps.e.output, ' ') }}"}}]}`
	c.fails["s"] = true
	o := d.start(Request{Plan: d.read(text)})
	clear(c.fails)
	p := d.read(strings.Replace(text, "[a, b], action", "[a, x, c], action", 1))
	o = d.resume(Again{Run: o.RunID, Plan: &p, AcceptPlan: true})
	if r := o.State.result("s"); !o.Success || r == nil || r.Output != "a x c" || c.ran["e.0"] != 1 || c.ran["e.1"] != 2 || len(c.keys["e.1"]) != 2 {
		t.Errorf("another plan: got %s %+v %v", o.Error, r, c.ran)
	}
	c.fails["s"] = true
	p = d.read(strings.Replace(text, "for_each: [a, b]", "for_each: inputs.l", 1))
	o = d.start(Request{Plan: p, Inputs: map[string]any{"l": []any{"a", "b"}}})
	clear(c.fails)
	o = d.resume(Again{Run: o.RunID, Inputs: map[string]any{"l": []any{"c", "d", "x"}}, AcceptPlan: true})
	if r := o.State.result("s"); !o.Success || r == nil || r.Output != "c d x" {
		t.Errorf("another input: got %s %+v", o.Error, r)
	}
}

// TestUndoneOnce: what is undone is not undone again, nor begun anew by the wish to undo it.
func TestUndoneOnce(t *testing.T) {
	d := newDesk(t)
	c := d.counts()
	c.fails["last"] = true
	o := d.start(Request{Plan: d.read(undoPlan)})
	if _, err := d.Resume(t.Context(), Again{Run: o.RunID, Undo: true}); piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "is undone") {
		t.Errorf("undone and failed: got %v", err)
	}
	clear(c.fails)
	o = d.start(Request{Plan: d.read(undoPlan), New: true})
	if _, err := d.Resume(t.Context(), Again{Checkpoint: o.Run.CheckpointID, Undo: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Resume(t.Context(), Again{Checkpoint: o.Run.CheckpointID, Undo: true}); piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "has undone") {
		t.Errorf("undone by another run: got %v", err)
	}
	if c.ran["a.undo"] != 2 {
		t.Errorf("got %v", c.ran)
	}
}

// TestUndoInDoubt: what a person says of steps in doubt decides what is undone, and nothing
// else runs.
func TestUndoInDoubt(t *testing.T) {
	for took, want := range map[bool]string{true: "a b b.undo a.undo", false: "a b a.undo"} {
		d := newDesk(t)
		begun := make(chan struct{})
		d.do["b"] = hangs(begun)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		o, err := d.Start(ctx, Request{Plan: d.read(`{type: chain, steps: [{id: a, action: do, undo: {action: do}}, {id: b, action: do, undo: {action: do}}, {id: danger, action: do}]}`)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Resume(t.Context(), Again{Run: o.RunID, Undo: true}); piton.CodeOf(err) != piton.Conflict {
			t.Errorf("without a word: got %v", err)
		}
		g := Again{Run: o.RunID, Undo: true, Redo: []string{"b"}}
		if took {
			g = Again{Run: o.RunID, Undo: true, Took: []string{"b"}}
		}
		o = d.resume(g)
		if got := strings.Join(d.did, " "); got != want || o.Run.Status != piton.RunCancelled {
			t.Errorf("took %v: got %s %s, want %s", took, o.Run.Status, got, want)
		}
	}
}

// TestListsAtTheEnd: a last step with a list runs for its items after a cancellation too.
func TestListsAtTheEnd(t *testing.T) {
	d := newDesk(t)
	p := d.read(`{steps: [{id: a, action: do}], finally: [{id: f, for_each: [x, y], action: do}, {id: g, action: do}]}`)
	begun := make(chan struct{})
	d.do["a"] = hangs(begun)
	go func() {
		<-begun
		d.wish(piton.WishCancel)
	}()
	o := d.start(Request{Plan: p})
	slices.Sort(d.did[1:3])
	if got := strings.Join(d.did, " "); got != "a f.0 f.1 g" || o.Run.Status != piton.RunCancelled {
		t.Errorf("got %s %s, %s", o.Run.Status, got, statuses(o.State))
	}
}

// TestStateClaims: a state that says of an approval, a command or a list what only other
// steps have, is not believed.
func TestStateClaims(t *testing.T) {
	for _, claim := range []string{`"status":"waiting","due_at":"2020-01-01T00:00:00Z"`, `"status":"waiting","signal":"go"`, `"status":"waiting","run":"run_0123456789abcdef","due_at":"2020-01-01T00:00:00Z"`, `"status":"completed","items":-1`, `"status":"pending","items":["x"]`} {
		d := newDesk(t)
		d.counts()
		d.Actions[plan.Approve] = action.Approve{}
		p := d.read(`{type: chain, steps: [{id: a, action: do}, {id: ok, approval: "Release?"}, {id: b, action: do}]}`)
		saved, err := d.Keeper.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", Type: piton.TypePlan, State: []byte(`{"run_id":"run_0123456789abcdef","plan":[{"id":"a","action":"do","status":"completed"},{"id":"ok","action":"approve",` + claim + `,"dependencies":["a"]},{"id":"b","action":"do","status":"pending","dependencies":["ok"]}],"current_step_index":1,"results":[]}`)}})
		if err != nil {
			t.Fatal(err)
		}
		o, err := d.Resume(t.Context(), Again{Checkpoint: saved.ID, Plan: &p, AcceptPlan: true})
		if err != nil || o.Run.Status != piton.RunWaiting || o.State.Plan[1].Status != Waiting {
			t.Errorf("%s: got %v, %s", claim, err, statuses(o.State))
		}
	}
}

// TestSentBackLists: a rejection goes to the items whose work it judges.
func TestSentBackLists(t *testing.T) {
	d := newDesk(t)
	d.Actions[plan.Approve] = action.Approve{}
	words := map[string]string{}
	d.Actions["do"] = action.Func(plan.Pure, func(_ context.Context, c action.Call) (any, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		words[c.Step] += "[" + c.Words + "]"
		return nil, nil
	})
	o := d.start(Request{Plan: d.read(`{type: chain, steps: [{id: e, for_each: [x, y], action: do}, {id: ok, approval: "Good?"}]}`)})
	d.says(o, false, "no")
	o = d.resume(Again{Run: o.RunID})
	if words["e.0"] != "[][no]" || words["e.1"] != "[][no]" || o.Run.Status != piton.RunWaiting {
		t.Errorf("got %v, %s", words, statuses(o.State))
	}
}

// TestSignalsAreByName: signals of two names may have one id.
func TestSignalsAreByName(t *testing.T) {
	d := newDesk(t)
	o := d.start(Request{Plan: d.read(`{type: chain, steps: [{id: a, wait: {signal: one}}, {id: b, wait: {signal: two}}]}`)})
	for _, name := range []string{"one", "two"} {
		d.save(func(tx store.Tx) error {
			return tx.Runs.AnswerRun(t.Context(), redact.Value(Signal(o.RunID, name, "1", []byte("null"), "me", piton.At(time.Now()))))
		})
	}
	if o = d.resume(Again{Run: o.RunID}); !o.Success {
		t.Errorf("got %s", statuses(o.State))
	}
}
