package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// engine works on one run. Its fields are used by the goroutine of its loop alone,
// unless they say otherwise.
type engine struct {
	*Runner
	id    string    // of the run; it never changes
	fence int64     // nor does this
	run   piton.Run // the row as it was last written
	own   plan.Plan // as it was checked
	plan  plan.Plan // as the run works through it ([Whole])
	state State
	Memory

	noAuto, waitPerson bool
	begins             bool       // it was queued until now, and no step was tried
	fork               string     // the checkpoint that the first save starts a branch from
	starting           []starting // what the first save writes besides; nil after it
	before             State      // from which a resumed run goes on

	texts   written
	outputs map[string]any  // of steps that this process has carried out, with what redaction took out
	known   []string        // the values of ${env:NAME}
	secrets *action.Secrets // takes them out
	flight  map[int]*flight
	ended   chan Ended
	noted   chan noted
	news    chan news
	waits   atomic.Bool     // a person's answer is looked for
	steps   context.Context // of all attempts
	end     context.CancelCauseFunc

	unsaved bool  // there is something that must be saved before anything else happens
	mild    bool  // there are results that may wait for the next save
	failed  *Step // the first step that has failed since the last save
	named   *action.Checkpoint
	pending []Event           // to be told when they are kept
	asked   []Event           // of steps that wait since the last save
	left    []action.Artifact // by steps since the last save

	wake    time.Time // when a step is tried again
	telling sync.Mutex
}

// starting writes what the first save of a run needs besides: the workflow, the
// run's row.
type starting func(ctx context.Context, tx store.Tx, p *store.Prepared, run piton.Run) error

// flight is an attempt that runs.
type flight struct {
	cancel context.CancelCauseFunc
	stale  bool // what it depends on runs again, so its result does not count
	noted  bool // it has noted something itself
}

type noted struct {
	step int
	note action.Note
	done chan error
}

// news is what others have written: what a person wants.
type news struct {
	run     piton.Run
	answers []piton.Answer
	err     error
}

// maxCleanUp bounds all steps with always() that run after a run was cancelled, has used
// its budget up or is in doubt.
const maxCleanUp = 5 * time.Minute

// Causes of an attempt's end.
var (
	errStopped    = errors.New("the run was stopped")
	errCancel     = fmt.Errorf("%w: it is cancelled", errStopped)
	errTimeout    = errors.New("it took longer than its timeout")
	errBudgetTime = errors.New("its budget of time is used up")
	errCleanUp    = fmt.Errorf("the time for the steps that run after a stop was over: %s", maxCleanUp)
	errLost       = errors.New("another process has taken the run over")
	errStore      = errors.New("the store cannot be reached")
)

// errCancelled: a person has cancelled the run, which its owner has not heard yet.
var errCancelled = errors.New("a person has cancelled the run")

// cancelled is the stop of a run that a person has cancelled.
func cancelled() *Stopping {
	return &Stopping{Status: piton.RunCancelled, Why: Cancelled, Hard: true, Cleans: true}
}

// Cancelled is why a run has ended that a person has cancelled.
const Cancelled = "a person has cancelled it"

// HandedOver is why a run has stopped whose daemon has ended: the next one goes on.
const HandedOver = "its daemon was stopped; the next one continues it"

// maxWaitForStore bounds that for those whose lease does not end.
const maxWaitForStore = 10 * time.Minute

// waitForStore is how long a save is tried again before the run ends; the lease
// when that is longer.
func (e *engine) waitForStore() time.Duration { return min(e.lease(), maxWaitForStore) }

func (r *Runner) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

func (r *Runner) lease() time.Duration {
	if r.Owner.Host == EngineHost {
		return engineLease
	}
	return cmp.Or(max(r.Lease, 0), 30*time.Second)
}

func (r *Runner) poll() time.Duration { return cmp.Or(max(r.Poll, 0), 200*time.Millisecond) }

func (r *Runner) log() *slog.Logger {
	if r.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.Log
}

// Effect is a step's own, else its action's.
func (r *Runner) Effect(s plan.Step) plan.Effect {
	if s.Effect != "" {
		return s.Effect
	}
	if a := r.Actions[s.Action]; a != nil {
		if e := a.Effect(s); e != "" {
			return e
		}
	}
	return plan.Once
}

// budget bounds the run: the caller's, else the plan's.
func (e *engine) budget() plan.Budget { return raise(e.plan.Budget, e.state.Budget) }

// tell tells an event when what it says is kept; now is for what is not kept.
func (e *engine) tell(ev Event) { e.pending = append(e.pending, e.filled(ev)) }

func (e *engine) filled(ev Event) Event {
	ev.At, ev.Run = piton.At(e.now()), e.run.ID
	ev.Done, ev.Total = e.run.Done, len(e.state.Plan)
	return ev
}

// flush tells what has waited.
func (e *engine) flush(checkpoint string) {
	for _, ev := range e.pending {
		ev.Done = e.run.Done
		if ev.Checkpoint == "" && ev.Kind != StepSays {
			ev.Checkpoint = checkpoint
		}
		e.emit(ev)
	}
	e.pending = e.pending[:0]
}

// emit calls the watcher, for one goroutine at a time.
func (e *engine) emit(ev Event) {
	if e.Events == nil {
		return
	}
	e.telling.Lock()
	defer e.telling.Unlock()
	e.Events(ev)
}

// clean is a text for people without secrets, bounded.
func (e *engine) clean(text string) string {
	const most = 2000
	text, _ = e.secrets.Text(strings.TrimSpace(text))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return piton.PrintableLines(text)
}

// know adds values that must not be kept or shown.
func (e *engine) know(values []string) {
	before := len(e.known)
	for _, v := range values {
		if !slices.Contains(e.known, v) {
			e.known = append(e.known, v)
		}
	}
	if e.secrets == nil || len(e.known) > before {
		e.secrets = action.NewSecrets(e.known...)
	}
}

func newEngine(r *Runner, run piton.Run, p plan.Plan, s State) *engine {
	own := *r
	own.Parallel = cmp.Or(r.Parallel, s.Parallel)
	e := &engine{
		Runner: &own, id: run.ID, fence: run.Fence, run: run, own: p, state: s,
		texts: written{}, outputs: map[string]any{}, Memory: Memory{Looked: map[string]piton.Time{}}, flight: map[int]*flight{},
		ended: make(chan Ended, len(p.Steps)+plan.MaxParallel), noted: make(chan noted), news: make(chan news),
	}
	e.align()
	var values []string
	for _, name := range p.Variables() { // a step may show what another one was given, in this process or in one before it
		if v, ok := e.resolver().Getenv(name); ok {
			values = append(values, v)
		}
	}
	e.know(values)
	return e
}

// align makes the steps that the plan and the state have now.
func (e *engine) align() {
	e.plan, e.state = aligned(e.own, e.state)
	e.plan.Parallel = cmp.Or(e.Parallel, e.plan.Parallel)
}

// resolver gives expressions what the run has brought so far.
func (e *engine) resolver() plan.Resolver {
	return e.seen(e.state)
}

// seen is the resolver over a state.
func (e *engine) seen(s State) plan.Resolver {
	steps := make(map[string]plan.StepValue, len(s.Plan))
	for _, x := range s.Plan {
		if x.Of != "" {
			continue
		}
		v := plan.StepValue{Status: string(x.Status)}
		if x.Items != nil && (x.Status == Completed || x.Status.failed()) {
			v.Output = e.brought(s, x)
		}
		switch x.Status {
		case Failed, CouldNot:
			v.Error = x.Reason
		case InDoubt: // what follows is for those that run after a stop: no other sees one
			v.Status, v.Error = string(Failed), x.Reason
		case Pending, Waiting, Running:
			v.Status = string(Skipped)
		}
		steps[x.ID] = v
	}
	for _, r := range s.Results {
		r.leaves(e.artifactsDir(e.id), steps)
		v, ok := steps[r.StepID]
		if !ok || v.Output != nil {
			continue
		}
		if v.Output, ok = e.outputs[r.StepID]; !ok {
			v.Output = r.Output
		}
		steps[r.StepID] = v
	}
	return plan.Resolver{
		Query: s.Query, Inputs: s.Inputs, Steps: steps,
		Run: map[string]any{"id": e.run.ID, "dir": e.run.Dir, "workflow": e.run.Workflow},
		Getenv: func(name string) (string, bool) {
			if e.Getenv == nil {
				return "", false
			}
			v := e.Getenv(name)
			return v, v != ""
		},
	}
}

// brought are the outputs of the items of a step, in their order; null where one was skipped.
func (e *engine) brought(s State, of Step) []any {
	list := make([]any, *of.Items)
	for _, r := range s.Results {
		n := itemOf(r.StepID)
		if mine := r.StepID == plan.ItemID(of.ID, n); mine && n >= 0 && n < len(list) {
			if list[n] = r.Output; e.outputs[r.StepID] != nil {
				list[n] = e.outputs[r.StepID]
			}
		}
	}
	return list
}

// outputOf is what a step has brought, as far as this process or the state has it.
func (e *engine) outputOf(id string) any {
	if v, ok := e.outputs[id]; ok {
		return v
	}
	if r := e.state.result(id); r != nil {
		return r.Output
	}
	return nil
}

// each are the values that only a step's own expressions have.
func (e *engine) each(i int) map[string]any {
	s := e.plan.Steps[i]
	if !s.Repeats() {
		return s.Each
	}
	own := map[string]any{"iteration": e.state.Plan[i].Iteration + 1}
	maps.Copy(own, s.Each)
	return own
}

// condition asks whether a step runs whose dependencies have ended. A step that runs for
// each item has the condition of the items, unless that is for each alone.
func (e *engine) condition(p plan.Plan, i int, s State) (bool, string, error) {
	x, r := p.Steps[i], e.seen(s)
	r.Each = x.Each
	switch {
	case x.Of != "":
		x.ID = x.Of
	case x.NamesItem():
		x.When = ""
	}
	return plan.When(e.own, x, r)
}
