package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// recovered counts a resume, and the steps that it does not run again.
func recovered(ctx context.Context, tx store.Tx, at piton.Time, project string, s State) error {
	return tx.Count(ctx, at, project, store.Counted{Name: store.ResumeCount, N: 1}, store.Counted{Name: store.Recovered, N: int64(s.number(Completed))})
}

func (e *engine) goOn(ctx context.Context, g Again) (Outcome, error) {
	e.noAuto, e.waitPerson = g.NoAuto || e.state.NoAuto, g.WaitPerson
	for _, id := range g.Took { // of a step that repeats, one time took effect
		if i := e.state.step(id); i >= 0 && e.state.Plan[i].Status == Completed && (len(e.plan.Steps[i].Artifacts) == 0 || e.tookFiles(i)) {
			e.repeats(i, Ended{}, g.Given[id])
		}
	}
	e.before = e.state.clone()
	if g.Queue && e.Stop == nil {
		o, err := e.queued(ctx)
		if !errors.Is(err, errCancelled) {
			return o, err
		}
		e.Stop = cancelled()
	}
	if e.begins {
		e.tell(Event{Kind: RunStarted, Message: e.plan.Name})
	} else {
		e.tell(Event{Kind: RunResumed, Dir: e.run.Dir, Message: fmt.Sprintf("%d of %d steps are done", e.state.number(Completed), len(e.state.Plan)) + behind("; it works in ", e.run.Dir)})
	}
	for _, x := range e.state.Plan {
		if x.Status == InDoubt {
			e.tell(Event{Kind: StepInDoubt, Step: x.ID, Attempt: x.Attempt, Message: x.Reason})
		}
		if wait := x.RetryAt.Sub(e.now()); x.Status == Pending && wait > 0 {
			e.tell(Event{Kind: StepRetrying, Step: x.ID, Attempt: x.Attempt, Message: fmt.Sprintf("%s; next try in %s", x.Reason, wait.Round(10*time.Millisecond))})
		}
	}
	return e.work(ctx)
}

// tookFiles keeps what a step has left of which a person says that it took effect: what its
// folder has now. Without it the step stays in doubt.
func (e *engine) tookFiles(i int) bool {
	x := &e.state.Plan[i]
	c, err := e.call(i, e.resolver())
	var left []action.Artifact
	if err == nil {
		left, err = c.Collect(e.secrets, e.Keeper.Redact)
	}
	var kept []piton.Artifact
	if err == nil {
		kept, err = e.keep(x.ID, left)
	}
	if res := e.state.result(x.ID); err == nil && res != nil {
		res.Artifacts, res.part = kept, nil
		return true
	}
	e.state.drop(x.ID)
	x.Status, x.Reason = InDoubt, e.clean(fmt.Sprintf("what it has left is not there: %v", err))
	return false
}

// ReadPlan is a run's plan, as it was checked.
func ReadPlan(ctx context.Context, runs store.RunReader, run string) (plan.Plan, error) {
	text, err := runs.RunPlan(ctx, run)
	if err != nil {
		return plan.Plan{}, err
	}
	return plan.FromJSON(text)
}

// ReadState is the state of a run's newest checkpoint. What else was saved to its
// branch is not looked at. NotFound for a run that has none yet, Corrupt for a damaged one:
// an older state would have steps run twice.
func ReadState(ctx context.Context, k history.Keeper, checkpoint string) (s State, err error) {
	if checkpoint == "" {
		return s, piton.Errorf(piton.NotFound, "read the state of a run", "", "it has no checkpoint yet")
	}
	l, err := k.Load(ctx, history.Selector{ID: checkpoint}, false)
	if piton.CodeOf(err) == piton.Corrupt {
		return s, &piton.Error{Code: piton.Corrupt, Op: "resume from checkpoint " + checkpoint, Err: err,
			Hint: "'list' shows the older ones; 'run resume CHECKPOINT' goes on from one, and runs again what came after it"}
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(l.State, &s); err != nil {
		return s, &piton.Error{Code: piton.Corrupt, Op: "read the state of checkpoint " + checkpoint, Hint: "'inspect " + checkpoint + "' shows it", Err: err}
	}
	return s, nil
}

// Keepable refuses a plan that holds a secret, before any of it is shown as a change;
// nil is not a plan.
func (r *Runner) Keepable(p *plan.Plan) error {
	if p == nil {
		return nil
	}
	_, err := r.document("the plan", p.JSON())
	return err
}

// plan is the plan to go on with, and whether it is another one than before.
// Conflict, with the changes, where nobody has accepted them.
func (g Again) plan(old plan.Plan) (p plan.Plan, changed bool, err error) {
	if g.Plan == nil {
		return old, false, nil
	}
	diff := plan.Diff(old, *g.Plan)
	if len(diff) > 0 && !g.AcceptPlan {
		return old, false, piton.Errorf(piton.Conflict, "resume the run", "'accept_plan' goes on with the new plan; completed steps stay, 'from STEP' runs them again", "the plan has changed:\n%s", Changes(diff))
	}
	return *g.Plan, len(diff) > 0, nil
}

// Changes writes what has changed in a plan as lines of a diff.
func Changes(diff []plan.Change) string {
	var lines []string
	for _, c := range diff {
		if c.Was != "" || c.Is == "" && c.Kind == "removed" {
			lines = append(lines, strings.TrimSuffix("- "+c.Where+": "+c.Was, ": "))
		}
		if c.Is != "" || c.Was == "" && c.Kind != "removed" {
			lines = append(lines, strings.TrimSuffix("+ "+c.Where+": "+c.Is, ": "))
		}
	}
	return strings.Join(lines, "\n")
}

// prepared is the state to go on from. was is the plan that the state was made with.
func (r *Runner) prepared(was, p plan.Plan, s State, g Again) (State, error) {
	if err := r.ready(p); err != nil {
		return s, err
	}
	was = Whole(was, s)
	took, err := leftOut(was, Whole(p, s), s, r.Effect, g.Took)
	if err != nil {
		return s, err
	}
	g.Took = took
	if s, g, err = s.undoing(p, g); err != nil {
		return s, err
	}
	p, s = aligned(p, s)
	g.looks, g.relist = r.looks(p), otherLists(was, p)
	if err := r.given(p, s, g); err != nil {
		return s, err
	}
	if asked, _ := r.Keeper.Redact.Text(g.Query); asked != "" && asked != s.Query {
		return s, piton.Errorf(piton.Invalid, "resume the run", "leave 'query' out; 'run PLAN new' begins another run, with a query of its own", "a run keeps its query, which is %q", s.Query)
	}
	x, err := r.ChangedInputs(was, p, s, g.Inputs)
	if err != nil {
		return s, err
	}
	if len(x.Names) > 0 && !g.AcceptPlan {
		return s, piton.Errorf(piton.Conflict, "resume the run", "'accept_plan' continues with the new values, and runs again what used the old ones; 'run PLAN new' begins another run", "%s", x)
	}
	s.Inputs, g.From = x.Values, append(slices.Clone(g.From), x.again(g)...)
	if len(x.Names) > 0 {
		g.From = append(g.From, r.askedAnew(p, s, g.heard)...)
	}
	s.Daemon = g.Daemon
	if g.Budget != nil {
		s.Budget = raise(s.Budget, *g.Budget)
	}
	return again(p, s, r.begunAs(was), g)
}

// otherLists are the steps of a plan that run for other lists than they did.
func otherLists(was, p plan.Plan) map[string]bool {
	found := map[string]bool{}
	for _, x := range p.Steps {
		if i := was.Index(x.ID); x.IsEach() && i >= 0 {
			found[x.ID] = !reflect.DeepEqual(was.Steps[i].ForEach, x.ForEach) || !reflect.DeepEqual(was.Steps[i].Matrix, x.Matrix)
		}
	}
	return found
}

// begunAs is the effect of steps of which an attempt may have begun: once where the plan
// that it began under says so, whatever the plan says now.
func (r *Runner) begunAs(was plan.Plan) func(plan.Step) plan.Effect {
	return func(s plan.Step) plan.Effect {
		if i := was.Index(s.ID); i >= 0 && r.Effect(was.Steps[i]) == plan.Once {
			return plan.Once
		}
		return r.Effect(s)
	}
}
