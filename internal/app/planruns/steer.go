package planruns

import (
	"cmp"
	"context"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store"
)

// SteerRun asks the owner of a run to pause or cancel it. Where nobody works on it,
// it takes effect at once. Conflict where there is nothing to pause or cancel.
func (a PlanRuns) SteerRun(ctx context.Context, ref string, wish piton.RunWish) (Steered, error) {
	k, _, r, err := a.openRun(ctx, ref)
	if err != nil {
		return Steered{}, err
	}
	if err := a.OwnProject(ctx, string(wish)+" "+r.ID, r.Project, r.Namespace); err != nil {
		return Steered{}, err
	}
	return a.steer(ctx, k, r, wish)
}

// maxSteers bounds how often a run is looked at again that has changed hands between
// the look and the write.
const maxSteers = 20

// steer steers a run that was read. What is written holds only for the owner that was
// seen; where there is another one by now, or none, it is looked at again.
func (a PlanRuns) steer(ctx context.Context, k history.Keeper, r piton.Run, wish piton.RunWish) (Steered, error) {
	for try := 1; ; try++ {
		s, err := a.steerOnce(ctx, k, r, wish)
		if piton.CodeOf(err) != piton.Conflict || try == maxSteers {
			return s, err
		}
		now, errRead := k.Store.Runs().Run(ctx, r.ID)
		if errRead != nil || now.Fence == r.Fence && now.Owner == r.Owner {
			return s, err
		}
		r = now
	}
}

func (a PlanRuns) steerOnce(ctx context.Context, k history.Keeper, r piton.Run, wish piton.RunWish) (Steered, error) {
	op := string(wish) + " " + r.ID
	row := a.row(r)
	if r.Wish == piton.WishCancel && !row.Works() {
		wish = piton.WishCancel // it was promised before its owner died
	}
	switch {
	case r.Status.Ended():
		return Steered{}, store.RunEnded(op, r)
	case row.Works():
		err := k.Store.Save(ctx, func(tx store.Tx) error { return tx.Runs.WishRun(ctx, r.ID, r.Fence, wish) })
		r.Wish = wish
		return Steered{Run: r, Asked: true, Hint: "'runs show " + r.ID + "' shows how it stands"}, err
	case wish == piton.WishPause && r.Status != piton.RunRunning:
		return Steered{}, piton.Errorf(piton.Conflict, op, "'runs show "+r.ID+"' shows how it stands", "nothing works on it: it is %s", strings.ReplaceAll(string(r.Status), "_", " "))
	}
	if wish == piton.WishCancel {
		if err := a.cancelChildren(ctx, k, r); err != nil {
			return Steered{}, err
		}
		if ended, err := a.cleanUp(ctx, k, r); err != nil || ended.ID != "" {
			return Steered{Run: ended}, err
		}
	}
	r, err := a.endRun(ctx, k, r, wish)
	if err != nil {
		return Steered{}, err
	}
	s := Steered{Run: r}
	if wish == piton.WishPause {
		s.Hint = "'run resume " + r.ID + "' continues it"
	}
	return s, nil
}

// cleanUp ends a run that nobody works on, and has steps with always() that have not run
// to their end: they run here. Without such steps, or where they cannot run here, it
// returns no run.
func (a PlanRuns) cleanUp(ctx context.Context, k history.Keeper, r piton.Run) (piton.Run, error) {
	p, err := runner.ReadPlan(ctx, k.Store.Runs(), r.ID)
	if err != nil || !slices.ContainsFunc(p.Steps, plan.Step.Always) {
		return piton.Run{}, nil // to end it needs no plan
	}
	s, err := runner.ReadState(ctx, k, r.CheckpointID)
	left := func(x plan.Step) bool {
		i := slices.IndexFunc(s.Plan, func(y runner.Step) bool { return y.ID == x.ID })
		return x.Always() && i >= 0 && !s.Plan[i].Status.Ended()
	}
	if err != nil || !slices.ContainsFunc(p.Steps, left) {
		return piton.Run{}, nil
	}
	j := &job{a: a, r: RunRequest{Ref: r.ID}, k: k, runs: k.Store.Runs(), run: r, actions: a.actions(nil)}
	why := j.stand()
	again := runner.Again{Run: r.ID, Cancel: true, Host: caller.ThisOwner().Host}
	if why == nil {
		again.Dir, again.PlanFile, why = j.where(r) // or its folder is not on this machine
	}
	var out runner.Outcome
	if why == nil {
		out, err = a.runner(j).Resume(context.WithoutCancel(ctx), again)
	}
	if piton.CodeOf(err) == piton.Invalid { // its actions are another program's
		why, err = err, nil
	}
	if why != nil {
		a.Options.Warn(piton.Errorf(piton.Invalid, "cancel "+r.ID, "'runs show "+r.ID+"' names them", "its steps with always() did not run: %w", why))
	}
	if err != nil || why != nil {
		return piton.Run{}, err
	}
	a.closeCancelled(ctx, k, out.Run)
	return out.Run, nil
}

// endRun writes what a person wants of a run that nobody works on.
func (a PlanRuns) endRun(ctx context.Context, k history.Keeper, r piton.Run, wish piton.RunWish) (piton.Run, error) {
	now := a.Now()
	err := k.Store.Save(ctx, func(tx store.Tx) error {
		mine, err := tx.Runs.ClaimRun(ctx, r.ID, r.Fence, redact.Value(caller.ThisOwner()), now, now)
		if err != nil {
			return err
		}
		mine.Status, mine.UpdatedAt, mine.Now, mine.Cause, mine.Error = piton.RunPaused, now, "", "", ""
		if wish == piton.WishCancel {
			mine.Status, mine.EndedAt, mine.Error = piton.RunCancelled, now, runner.Cancelled
		}
		r = mine
		return tx.Runs.PutRun(ctx, redact.Value(mine))
	})
	if err != nil || wish != piton.WishCancel {
		return r, err
	}
	a.closeCancelled(ctx, k, r)
	return r, nil
}

// closeCancelled closes the workflow of a run: it is no longer unfinished work.
func (a PlanRuns) closeCancelled(ctx context.Context, k history.Keeper, r piton.Run) {
	if _, err := k.Complete(ctx, history.Selector{Workflow: r.WorkflowID, Branch: r.Branch}); err != nil && !caller.Missing(err) {
		a.Options.Log.WarnContext(ctx, "the workflow of a cancelled run was not closed", "workflow", r.WorkflowID, "err", err)
	}
}

// ContinueRun finds a run that is to go on. Where it is being paused, it waits until
// its running steps have ended; wait is told so once. ended: one that has ended will do too.
func (a PlanRuns) ContinueRun(ctx context.Context, ref string, ended bool, wait func(piton.Run)) (piton.Run, error) {
	_, runs, r, err := a.openRun(ctx, ref)
	if err != nil {
		return r, err
	}
	op := "continue " + r.ID
	for told := false; ; {
		row := a.row(r)
		switch {
		case r.Status.Ended() && !ended:
			return r, store.RunEnded(op, r)
		case !row.Works():
			return r, nil
		case r.Wish != piton.WishPause:
			return r, piton.Errorf(piton.Conflict, op, "'runs show "+r.ID+"' shows how it stands", "process %d works on it already", r.Owner.PID)
		case !told:
			wait(r)
			told = true
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-time.After(followEvery):
		}
		if r, err = runs.Run(ctx, r.ID); err != nil {
			return r, err
		}
	}
}

// Approve records a person's word on what a step of a run asks. It is refused
// inside an agent. Conflict where nothing waits.
func (a PlanRuns) Approve(ctx context.Context, q ApproveRequest) (Approval, error) {
	const op = "approve a step"
	if err := a.ByPerson(ctx, op, "an agent cannot approve its own work"); err != nil {
		return Approval{}, err
	}
	k, runs, r, err := a.openRun(ctx, q.Ref)
	if err != nil {
		return Approval{}, err
	}
	s, err := runner.ReadState(ctx, k, r.CheckpointID)
	if err != nil {
		return Approval{}, err
	}
	asked, err := question(r, s, q.Step)
	answers, errAnswers := runs.Answers(ctx, r.ID)
	if errAnswers != nil {
		return Approval{}, errAnswers
	}
	if was := sameAnswer(s, answers, cmp.Or(q.Step, asked.StepID), q); was != nil {
		return Approval{Answer: *was, Given: true, Already: true, Hint: a.nextOf(ctx, k, runs, r)}, nil
	}
	if r.Status.Ended() {
		return Approval{}, store.RunEnded(op, r)
	}
	if err != nil {
		return Approval{}, err
	}
	given := true
	if q.Confirm != nil {
		given, err = q.Confirm(asked, &q)
	}
	answer := piton.Answer{RunID: r.ID, StepID: asked.StepID, Shown: asked.Shown, Approved: given && !q.Reject, Words: q.Words, By: UserName(), At: a.Now()}
	if err != nil || !given {
		return Approval{Answer: answer, Hint: "to reject it, with words for the steps before it: 'runs approve " + r.ID + " " + asked.StepID + " reject WORDS'"}, err
	}
	if err := k.Store.Save(ctx, func(tx store.Tx) error { return tx.Runs.AnswerRun(ctx, redact.Value(answer)) }); err != nil {
		return Approval{}, err
	}
	return Approval{Answer: answer, Given: true, Hint: a.nextOf(ctx, k, runs, r)}, nil
}

// nextOf is what to do now about a run that has an answer; "" where it goes on.
func (a PlanRuns) nextOf(ctx context.Context, k history.Keeper, runs store.RunReader, r piton.Run) string {
	row := a.row(r)
	if a.setStand(ctx, k, runs, &row); len(row.Stood) > 0 && row.Stands != StandRunning {
		return row.Stood[0].hint
	}
	return ""
}

// sameAnswer is the last answer to what a step shows, or to what it was completed or
// failed by, where that says the same.
func sameAnswer(s runner.State, answers []piton.Answer, step string, q ApproveRequest) *piton.Answer {
	words, _ := redact.Text(q.Words)
	for _, x := range s.Plan {
		if x.ID != step {
			continue
		}
		if x.Status == runner.Completed || x.Status == runner.Failed {
			x.AnsweredAt = piton.Time{} // what it has taken up counts
		}
		at := runner.AnswerTo(x, answers)
		if at >= 0 && answers[at].Approved != q.Reject && (!q.Reject || answers[at].Words == words) {
			return &answers[at]
		}
	}
	return nil
}

// question is what a step asks; "" is the only one that asks.
func question(r piton.Run, s runner.State, step string) (Question, error) {
	const op = "approve a step"
	hint := "'runs show " + r.ID + "' shows what it waits for"
	all := questions(r.ID, s, nil)
	for _, q := range all {
		if q.StepID == step || step == "" && len(all) == 1 {
			if q.Shown == "" {
				return q, piton.Errorf(piton.Conflict, op, hint, "step %s has not shown yet what it asks", q.StepID)
			}
			return q, nil
		}
	}
	switch {
	case step == "" && len(all) > 1:
		return Question{}, piton.Errorf(piton.Invalid, op, "name the step; "+hint, "%d steps wait for a person", len(all))
	case step != "":
		return Question{}, piton.Errorf(piton.Conflict, op, hint, "step %q of %s does not wait for a person", step, r.ID)
	}
	return Question{}, piton.Errorf(piton.Conflict, op, hint, "no step of %s waits for a person", r.ID)
}

// UserName is the user that calls.
func UserName() string {
	name := os.Getenv("USER")
	if u, err := user.Current(); err == nil {
		name = cmp.Or(u.Username, name)
	}
	return name
}

// cancelChildren cancels the runs of the steps of a run on which nobody works.
func (a PlanRuns) cancelChildren(ctx context.Context, k history.Keeper, of piton.Run) error {
	open, err := k.Store.Runs().Runs(ctx, piton.RunQuery{Open: true})
	for _, r := range open {
		if r.Parent == of.ID && err == nil {
			_, err = a.steer(ctx, k, r, piton.WishCancel)
		}
	}
	return err
}
