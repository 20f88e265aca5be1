package runner

import (
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// approval tells whether a step waits for a person's word.
func (r *Runner) approval(s plan.Step) bool {
	_, is := r.Actions[s.Action].(action.Approve)
	return is
}

// unapproved are the approvals that are completed in a state without an answer to the run,
// the step and what was shown: what a state says of itself is not a person's word.
func (r *Runner) unapproved(p plan.Plan, s State, answers []piton.Answer) map[string]bool {
	found := map[string]bool{}
	for _, x := range p.Steps {
		at := s.step(x.ID)
		if at < 0 || !r.approval(x) || s.Plan[at].Status != Completed {
			continue
		}
		found[x.ID] = !slices.ContainsFunc(answers, func(a piton.Answer) bool {
			return a.StepID == x.ID && a.Approved && a.Shown == s.Plan[at].Shown
		})
	}
	return found
}

// looks are the approvals of a plan that show more than their question.
func (r *Runner) looks(p plan.Plan) map[string]bool {
	found := map[string]bool{}
	for _, x := range p.Steps {
		found[x.ID] = r.approval(x) && x.Parameters["show"] != nil
	}
	return found
}

// askedAnew has the approvals that were asked for with other inputs ask again, and no
// answer of before count. It returns them.
func (r *Runner) askedAnew(p plan.Plan, s State, heard piton.Time) (steps []string) {
	for i, x := range p.Steps {
		if st := s.Plan[i].Status; r.approval(x) && (st == Completed || st == Waiting) {
			s.Plan[i].AnsweredAt = heard
			steps = append(steps, x.ID)
		}
	}
	return steps
}

// newest is when the last of some answers was given.
func newest(answers []piton.Answer) (at piton.Time) {
	for _, a := range answers {
		if a.At.After(at.Time) {
			at = a.At
		}
	}
	return at
}

// mayFork refuses a state that no runner of this store has written, unless a person has
// said that it may run, or has given the plan to run. It returns the answers that count
// for it.
func (r *Runner) mayFork(ctx context.Context, checkpoint string, s State, g Again) ([]piton.Answer, error) {
	by, err := r.Keeper.Store.Runs().MadeBy(ctx, checkpoint)
	switch {
	case err != nil:
		return nil, err
	case by != "":
		answers, err := r.Keeper.Store.Runs().Answers(ctx, by)
		return slices.DeleteFunc(answers, func(a piton.Answer) bool { // it counts for what it was given
			at := s.step(a.StepID)
			return at < 0 || s.Plan[at].Status != Completed || s.Plan[at].Shown != a.Shown
		}), err
	case g.Plan == nil && !g.Accepted && !g.preview:
		return nil, piton.Errorf(piton.Invalid, "resume from checkpoint "+checkpoint, "a person sees it with 'run resume "+checkpoint+"' on a terminal, and says yes",
			"no run of this store has written this state: what it would run is a proposal")
	}
	return nil, nil
}

// carry gives a run that begins from a checkpoint the answers of the run that has made it.
func carry(ctx context.Context, tx store.Tx, run string, answers []piton.Answer) error {
	for _, a := range answers {
		a.RunID = run
		if err := tx.Runs.AnswerRun(ctx, redact.Value(a)); err != nil {
			return err
		}
	}
	return nil
}

// given refuses what a person cannot say of a step: that an approval took effect, which
// is an answer, and an output that does not fit the step.
func (r *Runner) given(p plan.Plan, s State, g Again) error {
	const op = "resume the run"
	for _, id := range g.Took {
		if i := p.Index(id); i >= 0 && r.approval(p.Steps[i]) {
			return piton.Errorf(piton.Invalid, op, "'runs approve RUN "+id+"' answers it", "step %s asks for a person's approval, which is not an effect", id)
		}
	}
	for _, id := range g.Took {
		if _, has := g.Given[id]; has {
			continue
		}
		for i, x := range p.Steps {
			if !s.Plan[i].Status.Ended() && plan.NeedsOutput(p, x, id) {
				return piton.Errorf(piton.Invalid, op, "give it too: 'took "+id+"' with 'output JSON'; null where it has brought nothing", "step %s needs what step %s has brought", x.ID, id)
			}
		}
	}
	for id, v := range g.Given {
		i := p.Index(id)
		if i < 0 || !slices.Contains(g.Took, id) {
			return piton.Errorf(piton.Invalid, op, "'took "+id+"' says that it took effect", "an output is given for step %q, of which nobody says that it took effect", id)
		}
		if err := r.fitsStep(p, p.Steps[i], s, v); err != nil {
			return piton.Errorf(piton.Invalid, op, "'runs show "+s.Run+"' shows the step", "the output for step %s: %w", id, err)
		}
	}
	return nil
}

// fitsStep holds a given output against the step's form and checks, and the bounds of all.
func (r *Runner) fitsStep(p plan.Plan, x plan.Step, s State, v any) error {
	if err := action.Fits(x, v); err != nil {
		return err
	}
	e := newEngine(r, piton.Run{ID: s.Run}, p, s)
	text, err := encode(v)
	if err == nil {
		err = tooLarge(text)
	}
	if err == nil {
		err = e.fits(text, v)
	}
	if err != nil {
		return err
	}
	if _, err := r.document("it", text); err != nil {
		return err
	}
	for _, c := range x.Check {
		if c.Expr == "" {
			continue
		}
		if holds, err := plan.Holds(c.Expr, v, e.resolver()); err != nil || !holds {
			return piton.Errorf(piton.Invalid, "", "", "the check does not hold: %s", c.Expr)
		}
	}
	return nil
}
