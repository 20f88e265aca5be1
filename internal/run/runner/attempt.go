package runner

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// LogName is the name of the file in a run's folder of logs that holds the log of
// an attempt at a step.
func LogName(step string, attempt int) string {
	return fmt.Sprintf("%s.%d.log", url.PathEscape(step), attempt)
}

// call makes the call of the next attempt at a step: its parameters have their
// values. An error is one that another try cannot help.
func (e *engine) call(i int, r plan.Resolver) (action.Call, error) {
	s, x := e.plan.Steps[i], &e.state.Plan[i]
	r.Each = e.each(i)
	if of := undone(s.Undoes); of != s.Undoes { // it undoes one item, whose output it names
		r.Steps = maps.Clone(r.Steps)
		r.Steps[of] = plan.StepValue{Status: string(Completed), Output: e.outputOf(s.Undoes)}
		if res := e.state.result(s.Undoes); res != nil {
			own := *res
			own.StepID = of
			own.leaves(e.artifactsDir(e.id), r.Steps)
		}
	}
	resolved, err := plan.Resolve(s, r)
	e.know(resolved.Secrets)
	if err != nil {
		return action.Call{}, err
	}
	if files := resolved.Parameters["dotenv"]; files != nil {
		_, secrets, err := action.Dotenv(e.run.Dir, files)
		if e.know(secrets); err != nil {
			return action.Call{}, err
		}
	}
	c := action.Call{
		Run: e.run.ID, Step: s.ID, Description: s.Description, Attempt: x.Attempt + 1,
		Key:        e.keyOf(i),
		Parameters: resolved.Parameters, Dir: e.run.Dir, DirValued: resolved.DirValued, Env: e.Env, Log: io.Discard, Words: x.Words, Check: resolved.Check, CheckEnv: resolved.CheckEnv, Artifacts: resolved.Artifacts,
		Holds: func(expr string, output any) (bool, error) { return plan.Holds(expr, output, r) },
		Left:  left(s.Budget, x.Used),
		Stays: e.waitPerson,
	}
	if e.Until.IsZero() {
		c.Left = tighter(left(e.budget(), e.state.Used), c.Left)
	}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	if x.Note != nil {
		c.Noted = *x.Note
	}
	secrets := e.secrets
	c.Say = func(text string) {
		text, _ = secrets.Text(text)
		e.emit(Event{Kind: StepSays, At: piton.At(e.now()), Run: c.Run, Step: c.Step, Attempt: c.Attempt, Message: piton.PrintableLines(text)})
	}
	c.Note = func(ctx context.Context, n action.Note) error {
		q := noted{step: i, note: n, done: make(chan error, 1)}
		select {
		case e.noted <- q:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		select {
		case err := <-q.done:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return c, nil
}

// calls makes the call of the next attempt at a step. What others carry out is made there:
// their machine has the secrets.
func (e *engine) calls(i int, r plan.Resolver) (action.Call, error) {
	if e.Hands != nil {
		e.unsaved = true // it looks in what was kept whether it is to begin
		return action.Call{Step: e.plan.Steps[i].ID, Attempt: e.state.Plan[i].Attempt + 1}, nil
	}
	return e.call(i, r)
}

// mark notes an attempt that is about to begin.
func (e *engine) mark(i int) {
	x := &e.state.Plan[i]
	x.Status, x.Reason, x.Cause, x.RetryAt, x.EndedAt = Running, "", "", piton.Time{}, piton.Time{}
	x.StartedAt = piton.At(e.now())
	x.Attempt++
	x.Tried++
	x.Used.Tries++
	e.state.Used.Tries++
}

// launch begins an attempt whose intent is kept.
func (e *engine) launch(i int, c action.Call) {
	if e.Hands != nil {
		e.flight[i] = e.elsewhere(i)
		e.handOut(i)
		return
	}
	ctx, cancel := context.WithCancelCause(e.steps)
	e.flight[i] = &flight{cancel: cancel}
	carryOut := e.carriesOut(i, c)
	letGo := atWork.hold(e.id, e.fence)
	go func() {
		d := carryOut(ctx)
		cancel(nil)
		letGo()
		e.ended <- d
	}()
}

// carriesOut is a function that carries an attempt out. It reads nothing of the engine
// that changes.
func (e *engine) carriesOut(i int, c action.Call) func(context.Context) Ended {
	s := e.plan.Steps[i]
	own := time.Duration(0)
	if c.Left.Time > 0 && s.Budget.Time > 0 {
		own = time.Duration(left(s.Budget, e.state.Plan[i].Used).Time)
	}
	act := e.Actions[s.Action]
	secrets, hidden := append([]string(nil), e.known...), e.secrets
	files := e.given(i)
	if len(files) > 0 {
		c.Shared = e.artifactsDir(e.id)
	}
	var log *action.Log
	if e.Logs != nil {
		log = action.NewLog(filepath.Join(e.Logs(c.Run), LogName(c.Step, c.Attempt)), 0, secrets...)
		c.Log = log
	}
	do := func(ctx context.Context) (r action.Result, left []action.Artifact, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = &action.Failed{Err: fmt.Errorf("the action panicked: %v", p), Final: true}
			}
		}()
		if err = e.hand(ctx, files); err == nil {
			r, err = act.Do(ctx, c)
		}
		if err == nil {
			left, err = c.Collect(hidden, e.Keeper.Redact)
		}
		return r, left, err
	}
	return func(ctx context.Context) Ended {
		begun := time.Now()
		for _, bound := range []struct {
			d   time.Duration
			why error
		}{{time.Duration(s.Timeout), errTimeout}, {own, errBudgetTime}} {
			if bound.d > 0 {
				var stop context.CancelFunc
				ctx, stop = context.WithTimeoutCause(ctx, bound.d, bound.why)
				defer stop()
			}
		}
		out := report(do(ctx))
		out.Attempt, out.TookMS, out.Cause = Attempt{c.Step, c.Attempt}, time.Since(begun).Milliseconds(), causeNamed(context.Cause(ctx))
		if log != nil {
			if err := log.Close(); err != nil {
				e.log().Warn("a step's log is not complete", "step", c.Step, "err", err)
			}
		}
		return out
	}
}
