package planruns

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// telling is next, and a letter to each of the user's own listeners that hears of
// runs. A letter that cannot be written stops no run. workflow is the name of the
// run's workflow, by which a person knows the run.
func (a PlanRuns) telling(workflow string, next func(runner.Event)) func(runner.Event) {
	hears := slices.DeleteFunc(slices.Clone(a.Config("").Listeners), func(l agent.Listener) bool {
		return !l.Hears(agent.EventRunStarted) && !l.Hears(agent.EventRunWaiting) && !l.Hears(agent.EventRunEnded)
	})
	if len(hears) == 0 {
		return next
	}
	return func(e runner.Event) {
		if next != nil {
			next(e)
		}
		if n := newsOfRun(e, workflow); n.Event != "" {
			if err := a.tell(context.Background(), hears, n); err != nil {
				a.Options.Log.Warn("listeners were not told of a run", "err", err)
			}
		}
	}
}

// newsOfRun is what listeners are told of a run's event; without an event nothing.
func newsOfRun(e runner.Event, workflow string) agent.News {
	n := agent.News{At: e.At, Run: e.Run, Step: e.Step}
	run := "The run " + piton.Printable(cmp.Or(workflow, e.Run))
	switch e.Kind {
	case runner.RunStarted:
		n.Event, n.Text = agent.EventRunStarted, run+" has started."
	case runner.RunResumed:
		n.Event, n.Text = agent.EventRunStarted, run+" goes on."
	case runner.StepWaiting, runner.StepInDoubt:
		n.Event, n.Text = agent.EventRunWaiting, run+" waits for you at the step "+piton.Printable(e.Step)+"."
	case runner.RunEnded:
		n.Event, n.Text = agent.EventRunEnded, run+" "+endOf(piton.RunStatus(e.Message))+"."
	}
	return n
}

func endOf(s piton.RunStatus) string {
	switch s {
	case piton.RunCompleted, piton.RunFailed:
		return "has " + string(s)
	case piton.RunCancelled, piton.RunPaused:
		return "was " + string(s)
	case piton.RunWaiting:
		return "has stopped and waits for a person"
	case piton.RunInDoubt:
		return "has stopped: a step is in doubt"
	}
	return "has stopped"
}

// tell writes a letter to each listener that hears the news. The daemon carries it
// at once, and without one the next flush.
func (a PlanRuns) tell(ctx context.Context, listeners []agent.Listener, n agent.News) error {
	st, err := a.Local(ctx, false)
	if err != nil {
		return err
	}
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return st.Local().Update(ctx, func(tx store.LocalTx) error {
		for _, l := range listeners {
			if !l.Hears(n.Event) {
				continue
			}
			x := agent.Letter{ID: piton.NewID(piton.LetterPrefix), To: agent.ToListener(l.Name), Kind: agent.LetterEvent, Critical: n.Event.Critical(), Due: n.At, Body: string(body)}
			if !x.Critical {
				x.Expires = piton.At(n.At.Add(agent.EventLasts))
			}
			if err := tx.Post(ctx, redact.Value(x)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a PlanRuns) runner(j *job) *runner.Runner {
	r := &runner.Runner{
		Keeper: j.k, Actions: maps.Clone(j.actions), Owner: caller.ThisOwner(), Alive: turn.OwnerAlive, Now: func() time.Time { return a.Options.Now() }, Log: a.Options.Log,
		Events: a.telling(j.workflow(), j.r.Events), Getenv: a.Options.Getenv, Logs: a.runLogs, Parallel: j.r.Parallel,
	}
	if r.Actions != nil {
		r.Actions[plan.Child] = runner.Nested(r)
	}
	return r
}

func (a PlanRuns) runLogs(run string) string { return filepath.Join(a.Options.Home, "runs", run) }
