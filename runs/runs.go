// Package runs runs plans of steps durably: the result of each step is saved before
// the next one begins, and after a crash the plan continues where it was, without
// repeating what is done.
//
//	s, err := runs.Open(ctx, checkpoints.Options{}, runs.Actions{
//		"identify": runs.Func(runs.Pure, identify), // func(ctx, P) (R, error)
//		"fetch":    runs.Func(runs.Idempotent, fetch),
//	})
//	if err != nil { … }
//	defer s.Close()
//	out, err := s.Resume(ctx, plan, runs.Options{}) // continues the unfinished run of the plan, or begins one
//
// Open uses the same store as package checkpoints and as the commands of piton: what
// a program runs, 'piton runs' shows and steers. docs/library.md is the guide,
// docs/runs.md explains runs.
//
// A step is run at least once and its result is recorded exactly once; see [Effect].
package runs

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/checkpoints"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/run/runner"
)

// Store is an open store in which plans are run. It is used by one call at a time.
type Store struct {
	app     *app.App
	actions Actions
}

// Open opens a store for runs, and creates it where there is none. It takes the
// options of checkpoints.Open. Invalid for a store file:DIR, which keeps no runs: the
// first run says so.
func Open(_ context.Context, o checkpoints.Options, actions Actions) (*Store, error) {
	for name, a := range actions {
		if a.do == nil {
			return nil, piton.Errorf(piton.Invalid, "open the runs", "make it with runs.Func", "the action %q has no function", name)
		}
	}
	return &Store{app.New(caller.Options{Home: o.Home, Dir: o.Dir, Store: o.Store, Now: o.Now, Log: o.Log}), actions}, nil
}

// Close closes the store.
func (s *Store) Close() error {
	s.app.Close()
	return nil
}

// Options are of one call of Run or Resume.
type Options struct {
	// Key names this start: Run answers with the run that has begun under it, finished or
	// not, and Resume continues that one while it is unfinished.
	Key      string
	Dir      string            // where the steps work; empty: the folder of the store's options
	Workflow string            // id or name; empty: the plan's name
	Query    string            // what the run is asked to do
	Inputs   map[string]string // of the plan
	New      bool              // Run begins beside an unfinished run
	// AcceptPlan lets Resume continue with a plan or with inputs that have changed.
	AcceptPlan bool
	From, Redo []string // steps that run again, with all that depends on them
	Took       []string // steps in doubt that did take effect
	// Outputs are what steps of Took have brought, by their ids: values that encoding/json
	// encodes. A person gives them: inside an agent or a step they are Invalid.
	Outputs map[string]any
	Events  func(Event) // is told what happens, by one goroutine at a time
}

// Event is something that happened in a run.
type Event struct {
	Kind, Step, Message string
	Attempt             int
	At                  time.Time
}

// Run begins a run of a plan and works until nothing more can be done. Conflict where
// the workflow has an unfinished run and o.New is not set. A step that fails is no
// error: the Outcome says so.
func (s *Store) Run(ctx context.Context, p Plan, o Options) (Outcome, error) {
	return s.run(ctx, &p, o, planruns.RunRequest{})
}

// Resume continues the unfinished run of the plan's workflow; where there is none, a
// new one begins. Steps that are completed do not run again. Conflict where the plan
// has changed and o.AcceptPlan is not set, or where another process works on the run.
func (s *Store) Resume(ctx context.Context, p Plan, o Options) (Outcome, error) {
	return s.run(ctx, &p, o, planruns.RunRequest{RunRequest: piton.RunRequest{Resume: true}})
}

func (s *Store) run(ctx context.Context, p *Plan, o Options, r planruns.RunRequest) (Outcome, error) {
	text, err := p.text()
	if err != nil {
		return Outcome{}, err
	}
	r.File, r.Plan, r.FileLess = p.label(), text, true
	return s.work(ctx, o, r)
}

// ready refuses a store that was not opened.
func (s *Store) ready() error {
	if s == nil || s.app == nil {
		return piton.Errorf(piton.Invalid, "run a plan", "use what runs.Open returned", "the store was not opened")
	}
	return nil
}

// work does what a request asks for, with the options of the call.
func (s *Store) work(ctx context.Context, o Options, r planruns.RunRequest) (Outcome, error) {
	if err := s.ready(); err != nil {
		return Outcome{}, err
	}
	r.Key, r.Dir = o.Key, o.Dir
	r.Workflow, r.Query, r.Inputs, r.New, r.AcceptPlan = o.Workflow, o.Query, o.Inputs, o.New, o.AcceptPlan
	r.From, r.Redo, r.Took = o.From, o.Redo, o.Took
	r.Outputs = o.Outputs
	r.Actions = s.actions.inner()
	if o.Events != nil {
		r.Events = func(e runner.Event) {
			o.Events(Event{Kind: string(e.Kind), Step: e.Step, Message: e.Message, Attempt: e.Attempt, At: e.At.Time})
		}
	}
	x, err := s.app.Run(ctx, r)
	return outcome(x), inGo(err)
}
