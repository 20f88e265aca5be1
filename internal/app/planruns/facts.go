package planruns

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store"
)

// runFacts are what the stand of a run follows from, beside its row.
type runFacts struct {
	onCrash   plan.OnCrash
	ours      bool // the daemon of this home has worked on it, or is to
	here      bool // its owner was a process of this machine
	answered  bool // a person has answered something that it waits for
	undone    bool // all that was done and can be undone is
	daemon    bool // the daemon of this home runs
	questions []Question
	doubts    []string // steps
	others    []onOther
}

// onOther is a step that waits for a time, a signal or another run.
type onOther struct {
	is        Stand
	step, why string
	name      string // of the signal, or the run's id
}

// stateFacts are what the state of a run says.
func stateFacts(run string, s runner.State, answers []piton.Answer) (f runFacts) {
	f.questions = questions(run, s, answers)
	f.undone = s.Undo != "" && !slices.ContainsFunc(s.Plan, func(x runner.Step) bool { return x.Undoes != "" && x.Status != runner.Completed })
	f.answered = slices.ContainsFunc(f.questions, func(q Question) bool { return q.Answer != nil })
	for _, x := range s.Plan {
		switch {
		case x.Status == runner.InDoubt:
			f.doubts = append(f.doubts, x.ID)
		case x.Status != runner.Waiting || x.Asks():
		case x.Child != "":
			f.others = append(f.others, onOther{StandChild, x.ID, x.Reason, x.Child})
			f.answered = f.answered || x.HasEnded(answers)
		case x.Signal != "":
			f.others = append(f.others, onOther{StandSignal, x.ID, x.Reason, x.Signal})
			f.answered = f.answered || s.Sent(x.Signal, answers) >= 0
		default:
			f.others = append(f.others, onOther{StandTimer, x.ID, x.Reason, ""})
		}
	}
	return f
}

// facts reads what the stand of a run follows from, with its state. One that has just begun
// has none. Where its owner has died, the state says which steps are in doubt.
func (a PlanRuns) facts(ctx context.Context, k history.Keeper, runs store.RunReader, r RunRow) (f runFacts, s runner.State, err error) {
	if s, err = runner.ReadState(ctx, k, r.CheckpointID); err != nil && !caller.Missing(err) {
		return f, s, err
	}
	answers, err := runs.Answers(ctx, r.ID)
	if err == nil {
		_, err = a.children(ctx, k, runs, s)
	}
	if err != nil {
		return f, s, err
	}
	var onCrash plan.OnCrash
	atWork := func(x runner.Step) bool { return x.Status == runner.Running }
	if !r.Works() && (r.Status == piton.RunRunning || slices.ContainsFunc(s.Plan, atWork)) {
		p, err := runner.ReadPlan(ctx, runs, r.ID)
		if err != nil {
			return f, s, err
		}
		onCrash, s = p.OnCrash, (&runner.Runner{Actions: a.actions(nil)}).BrokenOff(p, s)
	}
	f = stateFacts(r.ID, s, answers)
	f.onCrash = onCrash
	f.here = r.Owner.Host == caller.ThisOwner().Host
	_, f.daemon = a.Daemon()
	if s.Daemon != "" {
		var home string
		home, err = a.HomeID(ctx)
		f.ours = err == nil && s.Daemon == home
	}
	return f, s, err
}

// Works tells whether somebody works on a run, or may do so on another machine.
func (r RunRow) Works() bool { return r.Alive == caller.OwnerAlive || r.Alive == caller.OwnerUnknown }

// open are the questions that have no answer.
func (f runFacts) open() (list []Question) {
	for _, q := range f.questions {
		if q.Answer == nil {
			list = append(list, q)
		}
	}
	return list
}

// allAnswered tells whether a person has answered all that the run waits for.
func (f runFacts) allAnswered() bool { return len(f.questions) > 0 && len(f.open()) == 0 }

// questions are what waits for a person, with the newest answers to just what they show; that
// of one which nobody has heard yet stands until the run goes on.
func questions(run string, s runner.State, answers []piton.Answer) (list []Question) {
	for _, x := range s.Plan {
		if !x.Asks() {
			continue
		}
		q := Question{RunID: run, StepID: x.ID, Text: asked(x), Shown: x.Shown}
		if at := runner.AnswerTo(x, answers); at >= 0 {
			q.Answer = &answers[at]
		}
		list = append(list, q)
	}
	return list
}

// asked is what a step asks: its question, and what it shows for it.
func asked(x runner.Step) string {
	if x.Reason == "" || strings.Contains(x.Shows, x.Reason) {
		return cmp.Or(x.Shows, x.Description)
	}
	return strings.TrimRight(x.Reason+"\n\n"+x.Shows, "\n")
}

// children has the steps that wait for runs say how these stand now: what a state says of them
// is as old as its last save. doubt: one of them, or of theirs, waits because of a doubt.
func (a PlanRuns) children(ctx context.Context, k history.Keeper, runs store.RunReader, s runner.State) (doubt bool, err error) {
	for i := range s.Plan {
		x := &s.Plan[i]
		if x.Status != runner.Waiting || x.Child == "" {
			continue
		}
		child, err := runs.Run(ctx, x.Child)
		if caller.Missing(err) {
			continue
		}
		if x.Reason = runner.WaitsFor(child); err == nil && child.Status == piton.RunWaiting {
			var inner runner.State
			if inner, err = runner.ReadState(ctx, k, child.CheckpointID); err == nil {
				var more bool
				more, err = a.children(ctx, k, runs, inner)
				doubt = doubt || more
			}
		}
		if err != nil {
			return doubt, err
		}
		doubt = doubt || child.Status == piton.RunInDoubt
	}
	return doubt, nil
}
