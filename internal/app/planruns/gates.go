package planruns

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
)

// keeps says which of the changed steps are completed, a line each: their change
// does nothing unless they run again.
func (j *job) keeps(ctx context.Context, changes []plan.Change) string {
	s, err := runner.ReadState(ctx, j.k, j.run.CheckpointID)
	if err != nil {
		return "" // to resume says what is wrong with it
	}
	text := ""
	for _, x := range s.Plan {
		if x.Status == runner.Completed && slices.ContainsFunc(changes, func(c plan.Change) bool { return c.Step == x.ID && c.Kind != "removed" }) {
			text += "\nstep " + piton.Printable(x.ID) + " is completed, and keeps its result unless it runs again"
		}
	}
	return text
}

// mayChange refuses to let anybody but a person change the plan of a run that asks for
// approvals, and what an approval has released run again or elsewhere. It returns the plan.
func (j *job) mayChange(ctx context.Context, op, run string) (plan.Plan, error) {
	was, err := runner.ReadPlan(ctx, j.runs, run)
	asks := slices.IndexFunc(was.Steps, func(s plan.Step) bool { return s.Action == plan.Approve })
	if err == nil && asks >= 0 {
		err = j.a.ByPerson(ctx, op, "step "+piton.Printable(was.Steps[asks].ID)+" of it asks for a person's approval")
	}
	return was, err
}

// AfterLimit begins the names of the plans that have an agent go on by itself when a limit
// has ended (piton resume --when-limit-ends); StillDue is their step that looks whether it is
// in time and nobody else has gone on.
const (
	AfterLimit = "after the limit of "
	StillDue   = "in-time"
)

// mayTakeUp refuses to let anybody but a person take such a run up: that is a person's to say
// each time. What the run has looked at before counts no more.
func (j *job) mayTakeUp(ctx context.Context) error {
	of := cmp.Or(j.run.Plan, j.origin.Plan)
	if !strings.HasPrefix(of, AfterLimit) {
		return nil
	}
	was, err := runner.ReadPlan(ctx, j.runs, cmp.Or(j.run.ID, j.origin.ID))
	due := func(s plan.Step) bool { return s.ID == StillDue }
	if err == nil && j.run.Status != piton.RunCompleted && slices.ContainsFunc(was.Steps, due) {
		j.r.From = append(j.r.From, StillDue)
	}
	return j.a.ByPerson(ctx, "resume "+cmp.Or(j.run.ID, j.checkpoint), "that an agent goes on by itself is a person's to say")
}

// mayRepeat refuses to let anybody but a person begin another run from a checkpoint whose
// run asks for approvals, or has run a step since that must not run twice.
func (j *job) mayRepeat(ctx context.Context) error {
	if j.origin.ID == "" || j.a.NotPerson(ctx) == "" {
		return nil
	}
	was, err := j.mayChange(ctx, "resume "+j.checkpoint, j.origin.ID)
	if err != nil {
		return err
	}
	then, err := runner.ReadState(ctx, j.k, j.checkpoint)
	if err != nil {
		return err
	}
	now, err := runner.ReadState(ctx, j.k, j.origin.CheckpointID)
	if err != nil {
		return err
	}
	for _, x := range now.Plan {
		begun := x.Status != runner.Pending && x.Status != runner.Skipped
		done := slices.ContainsFunc(then.Plan, func(s runner.Step) bool { return s.ID == x.ID && s.Status == runner.Completed })
		if begun && !done && j.once(was, x.ID) {
			return j.a.ByPerson(ctx, "resume "+j.checkpoint, "its run has begun step "+piton.Printable(x.ID)+" since, which must not run twice")
		}
	}
	return nil
}

// accepted tells whether changes of the plan are taken over. A person is shown
// them.
func (j *job) accepted(ctx context.Context) (bool, error) {
	nothing := j.plan == nil && len(j.r.Inputs) == 0
	if nothing || j.run.ID == "" {
		return j.r.AcceptPlan, nil
	}
	was, err := runner.ReadPlan(ctx, j.runs, j.run.ID)
	if j.plan == nil {
		now := was
		j.plan = &now
		defer func() { j.plan = nil }()
	}
	if err == nil {
		err = (&runner.Runner{Keeper: j.k}).Keepable(j.plan)
	}
	if err != nil {
		return false, err
	}
	changes := plan.Diff(was, *j.plan)
	var given runner.InputChanges // none where the state cannot be read: to resume says what is wrong with it
	if s, errState := runner.ReadState(ctx, j.k, j.run.CheckpointID); errState == nil {
		given, err = (&runner.Runner{Keeper: j.k}).ChangedInputs(was, *j.plan, s, j.given)
	}
	switch {
	case err != nil || len(changes)+len(given.Names) == 0:
		return j.r.AcceptPlan, err
	case j.r.AcceptPlan:
		_, err := j.mayChange(ctx, "change the plan of "+j.run.ID, j.run.ID)
		return true, err
	}
	text, what := given.String(), "the inputs have changed"
	if len(changes) > 0 {
		text, what = strings.TrimSpace(runner.Changes(changes)+j.keeps(ctx, changes)+"\n"+text), "the plan has changed"
	}
	with := "'run " + cmp.Or(j.r.File, "PLAN") + " resume accept_plan'"
	if j.r.Ref != "" {
		with = "'" + strings.TrimSpace("run "+j.r.File) + " resume " + j.run.ID + " accept_plan'"
	}
	hint := "to continue with the changed plan: " + with + "; with the plan as it was: 'run resume " + j.run.ID + "'; 'redo STEP' runs a completed step again, as it is now"
	if len(given.Names) > 0 {
		hint = "to continue with what has changed, and run again what used the old values, the same command with 'accept_plan'; with all as it was: 'run resume " + j.run.ID + "'; 'run " + cmp.Or(j.r.File, "PLAN") + " new' begins a run of its own"
	}
	if j.r.Accept == nil {
		return false, piton.Errorf(piton.Conflict, "resume "+j.run.ID, hint, "%s since this run began:\n%s", what, text)
	}
	yes, err := j.r.Accept(text)
	if err == nil && !yes {
		err = piton.Errorf(piton.Conflict, "resume "+j.run.ID, "with all as it was: 'run resume "+j.run.ID+"'", "what has changed was not accepted; nothing was run")
	}
	return yes, err
}

// mayJudge refuses to let anybody but a person say what became of a step in doubt.
func (j *job) mayJudge(ctx context.Context) error {
	named := slices.Concat(j.r.Took, j.r.Redo, j.r.From)
	if len(named) == 0 || j.run.ID == "" {
		return nil
	}
	if _, err := j.mayChange(ctx, "resume "+j.run.ID, j.run.ID); err != nil {
		return err
	}
	s, err := runner.ReadState(ctx, j.k, cmp.Or(j.checkpoint, j.run.CheckpointID))
	if err != nil {
		return nil // to resume says what is wrong with it
	}
	for _, x := range s.Plan {
		unknown := x.Status == runner.InDoubt || x.Status == runner.Running
		if unknown && slices.Contains(named, x.ID) {
			return j.a.ByPerson(ctx, "resume "+j.run.ID, "whether step "+piton.Printable(x.ID)+" took effect is a person's to say")
		}
	}
	return nil
}

// mayMove refuses to let anybody but a person have the steps of a run that asks for an
// approval work in another folder, named or that of another clone.
func (j *job) mayMove(ctx context.Context) error {
	if j.run.ID == "" {
		return nil
	}
	dir, _, err := j.where(j.run)
	if err != nil || dir == "" || client.RealPath(dir) == client.RealPath(j.run.Dir) {
		return err
	}
	_, err = j.mayChange(ctx, "move "+j.run.ID+" to "+dir, j.run.ID)
	return err
}

// once tells whether a step of a plan must not run twice.
func (j *job) once(p plan.Plan, id string) bool {
	i := p.Index(id)
	return i < 0 || (&runner.Runner{Actions: j.actions}).Effect(p.Steps[i]) == plan.Once
}
