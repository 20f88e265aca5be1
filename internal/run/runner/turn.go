package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// EngineHost is the host of an owner that is no process, but an engine which has runs
// worked on by many; Boot tells the engine's own works on a run apart. No machine has it.
const EngineHost = "engine:temporal"

// engineLease is as good as for ever: an engine gives its runs back.
const engineLease = 10 * 365 * 24 * time.Hour

// Hands are the attempts of a run that are carried out elsewhere, and what an engine that
// has them carried out keeps from one turn to the next.
type Hands struct {
	Memory Memory    `json:"memory"`
	Begin  []Begin   `json:"begin,omitempty"` // to be carried out, each once
	End    []Ending  `json:"end,omitempty"`   // to be ended
	Wake   time.Time `json:"wake,omitzero"`   // when the next turn is due at the latest; zero: when something happens
	Asks   []Asking  `json:"asks,omitempty"`  // steps that wait for a person's word
	Over   bool      `json:"over,omitempty"`  // the run was given back, or another owner has it
	rest   bool
	// How the run stands, where it is over.
	Status piton.RunStatus `json:"status,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// Begin is an attempt that is to be carried out.
type Begin struct {
	Attempt
	Host string `json:"host,omitempty"` // the machine with the run's folder, where the step needs that
	Does string `json:"does,omitempty"` // what it is, in a few words
	Once bool   `json:"once,omitempty"` // its effect may happen only once
}

// Ending is an attempt that is to be ended.
type Ending struct {
	Attempt
	Cause Cause `json:"cause"`
}

// Asking is a step that waits for a person's word on what it shows.
type Asking struct {
	Step  string `json:"step"`
	Shown string `json:"shown"` // its sha256, hex
}

// Memory is what an engine knows of a run that its state does not say.
type Memory struct {
	Stop   *Stopping             `json:"stop,omitempty"`
	Until  time.Time             `json:"until,omitzero"`
	Late   bool                  `json:"late,omitempty"`
	Busy   time.Time             `json:"busy,omitzero"`
	Looked map[string]piton.Time `json:"looked,omitempty"`
	Stale  []Attempt             `json:"stale,omitempty"`
}

// Stopping says why nothing new starts.
type Stopping struct {
	Status piton.RunStatus `json:"status"`
	Why    string          `json:"why,omitempty"`
	Hard   bool            `json:"hard,omitempty"`
	Cleans bool            `json:"cleans,omitempty"`
	Cause  piton.RunCause  `json:"cause,omitempty"`
}

// Turn is what has happened since the last turn of a run.
type Turn struct {
	Run    string
	Memory Memory
	Ended  []Ended
	Flying []Attempt // that are carried out, or will be: all that was begun and has not ended
	Stay   bool      // the run is kept while nothing but a person's word is missing
	Rest   bool      // nothing is begun
}

// maxTurns bounds how often a turn is begun anew because others have written meanwhile.
const maxTurns = 20

// errOvertaken is the error of a turn whose run has changed since it was read.
var errOvertaken = errors.New("the run has changed meanwhile")

// Turn takes in what has happened to a run that this owner has, decides what comes next
// and keeps it. It may be made again with the same t: what was kept is found, and steps that
// were begun for nobody are begun for the caller.
func (r *Runner) Turn(ctx context.Context, t Turn) (Outcome, Hands, error) {
	for try := 1; ; try++ {
		own := *r
		own.Hands = &Hands{Memory: t.Memory}
		o, err := own.turnOnce(ctx, t)
		if !errors.Is(err, errOvertaken) || try == maxTurns {
			return o, *own.Hands, err
		}
	}
}

func (r *Runner) turnOnce(ctx context.Context, t Turn) (Outcome, error) {
	e, err := r.standing(ctx, t.Run)
	if err != nil {
		return Outcome{}, err
	}
	if e.run.Owner != r.Owner || e.run.Status != piton.RunRunning {
		r.Hands.Over, r.Hands.Status, r.Hands.Error = true, e.run.Status, e.run.Error
		return e.outcome(), nil
	}
	e.recall(t.Memory)
	e.waitPerson, e.Hands.rest = t.Stay, t.Rest
	for i, x := range e.state.Plan {
		if a := (Attempt{x.ID, x.Attempt}); x.Status == Running {
			e.flight[i] = &flight{cancel: e.endsElsewhere(a), stale: slices.Contains(t.Memory.Stale, a)}
		}
	}
	e.steps, e.end = context.WithCancelCause(context.WithoutCancel(ctx))
	defer e.end(nil)
	for _, x := range t.Ended {
		i := e.state.step(x.Step)
		if f := e.flight[i]; f == nil || e.state.Plan[i].Attempt != x.Attempt.Attempt {
			continue // an earlier turn has taken it in
		}
		d, err := x.ended(i)
		if err != nil {
			return Outcome{}, err
		}
		e.flight[i].noted = x.Noted || x.Lost
		e.land(d)
	}
	now := e.now()
	if at := e.spentAt(); !at.IsZero() && !now.Before(at) {
		e.tally()
		e.halt(e.overBudget(true))
	}
	if !e.until.IsZero() && !e.late && !now.Before(e.until) {
		e.lateNow()
	}
	e.waits.Store(true)
	if err := e.told(e.look(ctx)); err != nil {
		return Outcome{}, err
	}
	for i := range e.flight { // an earlier turn has begun it, and nobody has heard of that
		if x := e.state.Plan[i]; !slices.Contains(t.Flying, Attempt{x.ID, x.Attempt}) {
			e.Hands.Begin = append(e.Hands.Begin, e.toBegin(i))
		}
	}
	return e.turn(ctx)
}

// standing is the engine of a run that this owner has, as it was kept last. Its save is
// refused where the run has changed since.
func (r *Runner) standing(ctx context.Context, id string) (*engine, error) {
	if err := r.usable("work on run " + id); err != nil {
		return nil, err
	}
	run, err := r.Keeper.Store.Runs().Run(ctx, id)
	if err != nil {
		return nil, err
	}
	p, err := r.planOf(ctx, id)
	if err != nil {
		return nil, err
	}
	s, err := r.stateOf(ctx, run.CheckpointID)
	if err != nil {
		return nil, err
	}
	own := *r
	own.Parallel = cmp.Or(r.Parallel, s.Parallel)
	e := newEngine(&own, run, p, s)
	e.noAuto = s.NoAuto
	e.starting = func(ctx context.Context, tx store.Tx, _ *store.Prepared, row piton.Run) error {
		now, err := tx.Runs.RenewRun(ctx, row.ID, row.Fence, piton.At(e.now().Add(e.lease())))
		switch {
		case err != nil:
			return err
		case now.CheckpointID != run.CheckpointID || now.Wish != run.Wish:
			return errOvertaken
		}
		clean, _ := redact.By(e.Keeper.Redact, row)
		return tx.Runs.PutRun(ctx, clean)
	}
	return e, nil
}

// turn decides what comes next, keeps it, and says what is to be carried out.
func (e *engine) turn(ctx context.Context) (Outcome, error) {
	if e.steps == nil { // the run has just been resumed
		e.steps, e.end = context.WithCancelCause(context.WithoutCancel(ctx))
		defer e.end(nil)
		e.unsaved = true
	}
	e.unsaved = e.unsaved || e.mild
	done, err := e.advance(ctx)
	if err != nil {
		return e.outcome(), err
	}
	h := e.Hands
	was := h.Memory.Busy
	if h.Memory, h.Wake = e.remembered(), e.wake; e.starting != nil { // nothing was kept, and no time counted
		h.Memory.Busy = was
	}
	if e.stop != nil {
		h.Wake = time.Time{}
	}
	ends := e.until
	if e.late {
		ends = time.Time{}
	}
	for _, at := range []time.Time{ends, e.spentAt()} {
		if !at.IsZero() && (h.Wake.IsZero() || at.Before(h.Wake)) {
			h.Wake = at
		}
	}
	for _, x := range e.state.Plan {
		if x.Asks() {
			h.Asks = append(h.Asks, Asking{x.ID, x.Shown})
		}
	}
	if h.Over = done; done {
		h.Status, h.Error = e.run.Status, e.run.Error
	}
	return e.outcome(), nil
}

// handOut leaves an attempt whose intent is kept to others.
func (e *engine) handOut(i int, c action.Call) {
	e.flight[i] = &flight{cancel: e.endsElsewhere(Attempt{c.Step, c.Attempt})}
	e.Hands.Begin = append(e.Hands.Begin, e.toBegin(i))
}

// anywhere are the actions that need nothing of the machine with the run's folder.
var anywhere = []string{"http", "checkpoint", plan.Wait, plan.Child}

func (e *engine) toBegin(i int) Begin {
	s, x := e.plan.Steps[i], e.state.Plan[i]
	b := Begin{Attempt: Attempt{x.ID, x.Attempt}, Does: cmp.Or(x.Description, x.ID), Once: e.Effect(s) == plan.Once}
	if !slices.Contains(anywhere, s.Action) {
		b.Host = e.run.Host
	}
	return b
}

// endsElsewhere notes that an attempt is to be ended.
func (e *engine) endsElsewhere(a Attempt) context.CancelCauseFunc {
	return func(why error) { e.Hands.End = append(e.Hands.End, Ending{a, causeNamed(why)}) }
}

// calls makes the call of the next attempt at a step. What others carry out is made there:
// their machine has the secrets.
func (e *engine) calls(i int, r plan.Resolver) (action.Call, error) {
	if e.Hands != nil {
		return action.Call{Step: e.plan.Steps[i].ID, Attempt: e.state.Plan[i].Attempt + 1}, nil
	}
	return e.call(i, r)
}

func (e *engine) remembered() Memory {
	m := Memory{Until: e.until, Late: e.late, Busy: e.busy, Looked: e.looked}
	if s := e.stop; s != nil {
		m.Stop = &Stopping{s.status, s.why, s.hard, s.cleans, s.cause}
	}
	for i, f := range e.flight {
		if f.stale {
			m.Stale = append(m.Stale, Attempt{e.state.Plan[i].ID, e.state.Plan[i].Attempt})
		}
	}
	return m
}

func (e *engine) recall(m Memory) {
	e.until, e.late, e.busy = m.Until, m.Late, m.Busy
	if m.Looked != nil {
		e.looked = m.Looked
	}
	if s := m.Stop; s != nil {
		e.stop = &stop{s.Status, s.Why, s.Hard, s.Cleans, s.Cause}
	}
}

// takenScope is what a step that must not run twice is taken under.
const takenScope = "attempt"

// Attempt carries an attempt out that a turn has begun. NotFound where the run does not
// have it, or not any more. A step whose effect may happen only once is begun once, also
// where the engine asks twice: the second time it is lost.
func (r *Runner) Attempt(ctx context.Context, run string, a Attempt) (Ended, error) {
	e, err := r.standing(ctx, run)
	if err != nil {
		return Ended{}, err
	}
	i := e.state.step(a.Step)
	if i < 0 || e.state.Plan[i].Status != Running || e.state.Plan[i].Attempt != a.Attempt {
		return Ended{}, piton.Errorf(piton.NotFound, "carry out step "+a.Step, "'runs show "+run+"' shows its steps", "the run has no attempt %d at it that runs", a.Attempt)
	}
	if e.Effect(e.plan.Steps[i]) == plan.Once {
		k := piton.StartKey{Scope: takenScope, Key: fmt.Sprint(run, "/", a.Step, "/", a.Attempt), Ref: run, At: piton.At(e.now())}
		err := e.Keeper.Store.Save(ctx, func(tx store.Tx) error { return tx.Runs.PutStartKey(ctx, redact.Value(k)) })
		if piton.CodeOf(err) == piton.Conflict {
			return Ended{Attempt: a, Lost: true}, nil
		}
		if err != nil {
			return Ended{}, err
		}
	}
	x := &e.state.Plan[i] // as it was when the attempt was decided on
	x.Attempt, x.Tried, x.Used.Tries, e.state.Used.Tries = x.Attempt-1, x.Tried-1, x.Used.Tries-1, e.state.Used.Tries-1
	c, err := e.callElsewhere(i)
	if err != nil {
		return e.report(a, ended{step: i, err: &action.Failed{Err: err, Final: true, Known: action.Before}}, false)
	}
	noted := false
	c.Note = func(ctx context.Context, n action.Note) error {
		noted = true
		return r.noted(ctx, run, a, n)
	}
	return e.report(a, e.carriesOut(i, c)(ctx), noted)
}

// callElsewhere makes the call of an attempt from what was kept. What redaction took out of
// outputs is not there any more.
func (e *engine) callElsewhere(i int) (action.Call, error) {
	for _, x := range e.state.Results {
		if of := e.state.step(x.StepID); x.Redacted && of >= 0 && dependents(e.plan, map[int]bool{of: true})[i] &&
			speaksOf(e.plan.Steps[i], cmp.Or(e.state.Plan[of].Of, x.StepID)) {
			return action.Call{}, fmt.Errorf("the output of step %s held a secret, which was not kept; let this step read the secret itself, as with ${env:NAME}", x.StepID)
		}
	}
	return e.call(i, e.resolver())
}

// noted keeps what an attempt has noted.
func (r *Runner) noted(ctx context.Context, run string, a Attempt, n action.Note) error {
	for try := 1; ; try++ {
		e, err := r.standing(ctx, run)
		if err != nil {
			return err
		}
		i := e.state.step(a.Step)
		if i < 0 || e.state.Plan[i].Status != Running || e.state.Plan[i].Attempt != a.Attempt {
			return errStopped
		}
		e.steps, e.end = context.WithCancelCause(context.WithoutCancel(ctx))
		defer e.end(nil)
		e.flight[i] = &flight{}
		if err = e.note(ctx, noted{step: i, note: n}); !errors.Is(err, errOvertaken) || try == maxTurns {
			return err
		}
	}
}
