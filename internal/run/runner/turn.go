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

// maxAfterLoss is how long a step that was lost again and again waits at most.
const maxAfterLoss = time.Minute

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
	if e.Memory = t.Memory; e.Looked == nil {
		e.Looked = map[string]piton.Time{}
	}
	e.waitPerson, e.Hands.rest = t.Stay, t.Rest
	for i, x := range e.state.Plan {
		if x.Status == Running {
			e.flight[i] = e.elsewhere(i)
		}
	}
	e.steps, e.end = context.WithCancelCause(context.WithoutCancel(ctx))
	defer e.end(nil)
	for _, x := range t.Ended {
		i := e.state.atWork(x.Attempt)
		if i < 0 {
			continue // an earlier turn has taken it in
		}
		e.flight[i].noted = x.Noted || x.Lost
		e.land(x)
		if s := &e.state.Plan[i]; x.Lost && s.Status == Pending { // it may be what its worker has died of
			s.RetryAt = piton.At(e.now().Add(min(time.Second<<min(s.Attempt-1, 10), maxAfterLoss)))
		}
	}
	e.passed()
	e.waits.Store(true)
	news := e.look(ctx)
	if news.err != nil { // nobody tells a turn again
		return Outcome{}, news.err
	}
	if err := e.told(ctx, news); err != nil {
		return Outcome{}, err
	}
	for i := range e.flight { // an earlier turn has begun it, and nobody has heard of that
		if x := e.state.Plan[i]; !slices.Contains(t.Flying, Attempt{x.ID, x.Attempt}) {
			e.handOut(i)
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
	p, err := ReadPlan(ctx, r.Keeper.Store.Runs(), id)
	if err != nil {
		return nil, err
	}
	s, err := ReadState(ctx, r.Keeper, run.CheckpointID)
	if err != nil {
		return nil, err
	}
	e := newEngine(r, run, p, s)
	e.noAuto = s.NoAuto
	e.starting = []starting{func(ctx context.Context, tx store.Tx, _ *store.Prepared, row piton.Run) error {
		now, err := tx.Runs.RenewRun(ctx, row.ID, row.Fence, piton.At(e.now().Add(e.lease())))
		switch {
		case err != nil:
			return err
		case now.CheckpointID != run.CheckpointID || now.Wish != run.Wish:
			return errOvertaken
		}
		clean, _ := redact.By(e.Keeper.Redact, row)
		return tx.Runs.PutRun(ctx, clean)
	}}
	return e, nil
}

// atWork is the number of the step of an attempt that runs; -1 for one that does not.
func (s State) atWork(a Attempt) int {
	return slices.IndexFunc(s.Plan, func(x Step) bool { return x.Status == Running && Attempt{x.ID, x.Attempt} == a })
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
	i := e.state.atWork(a)
	if i < 0 {
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
		return e.cleaned(Ended{Attempt: a, Failed: &failure{Text: err.Error(), Final: true, Known: action.Before}}), nil
	}
	noted := false
	c.Note = func(ctx context.Context, n action.Note) error {
		noted = true
		return r.noted(ctx, run, a, n)
	}
	d := e.carriesOut(i, c)(ctx)
	if d.Noted = noted; len(d.Left) > 0 { // they are kept ahead of the result
		ctx := context.WithoutCancel(ctx)
		err = r.Keeper.Store.Save(ctx, func(tx store.Tx) error { return keepFiles(ctx, tx, run, d.Left) })
	}
	return e.cleaned(d), err
}

// callElsewhere makes the call of an attempt from what was kept. What redaction took out of
// outputs is not there any more.
func (e *engine) callElsewhere(i int) (action.Call, error) {
	for _, x := range e.state.Results {
		of := e.state.step(x.StepID)
		if !x.Redacted || of < 0 || !dependents(e.plan, map[int]bool{of: true})[i] {
			continue
		}
		if speaksOf(e.own, e.plan.Steps[i], cmp.Or(e.state.Plan[of].Of, x.StepID)) {
			return action.Call{}, fmt.Errorf("the output of step %s held a secret, which was not kept; let this step read the secret itself, as with ${env:NAME}", x.StepID)
		}
	}
	return e.call(i, e.resolver())
}

func (r *Runner) noted(ctx context.Context, run string, a Attempt, n action.Note) error {
	for try := 1; ; try++ {
		e, err := r.standing(ctx, run)
		if err != nil {
			return err
		}
		i := e.state.atWork(a)
		if i < 0 {
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
