package app

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store"
)

// ShowRun shows a run with its steps, its owner and what it waits for.
func (a *App) ShowRun(ctx context.Context, ref string) (RunView, error) {
	k, runs, r, err := a.openRun(ctx, ref)
	if err != nil {
		return RunView{}, err
	}
	p, err := keptPlan(ctx, runs, r.ID)
	if err != nil {
		return RunView{}, err
	}
	v := RunView{Run: a.row(r), Error: r.Error}
	if r.Status == piton.RunQueued {
		waiting, err := runs.Runs(ctx, piton.RunQuery{Status: piton.RunQueued})
		if err != nil {
			return v, err
		}
		v.Run.Place = queuePlace(r, waiting)
	}
	f, s, head, err := a.facts(ctx, k, runs, v.Run)
	if err != nil {
		return v, err
	}
	v.Run.stand(f)
	v.Checkpoint, v.Steps, v.Hint = head, runSteps(p, s), v.Run.stood[0].hint
	for i := range v.Steps {
		v.Steps[i].Interrupted = v.Steps[i].Status == runner.Running && !v.Run.works()
	}
	if !r.Status.Ended() {
		v.Questions = f.questions
	}
	return v, nil
}

// keptPlan is the plan of a run as the store has it.
func keptPlan(ctx context.Context, runs store.RunReader, id string) (plan.Plan, error) {
	text, err := runs.RunPlan(ctx, id)
	if err != nil {
		return plan.Plan{}, err
	}
	return plan.FromJSON(text)
}

// runState is the newest state of a run, and its checkpoint.
func runState(ctx context.Context, k history.Keeper, r piton.Run) (runner.State, string, error) {
	if r.CheckpointID == "" {
		return runner.State{}, "", piton.Errorf(piton.NotFound, "read the state of "+r.ID, "", "it has no checkpoint yet")
	}
	l, err := k.Load(ctx, history.Selector{ID: r.CheckpointID}, false)
	if err != nil {
		return runner.State{}, "", err
	}
	var s runner.State
	if err := json.Unmarshal(l.State, &s); err != nil {
		return s, l.Checkpoint.ID, &piton.Error{Code: piton.Corrupt, Op: "read the state of " + r.ID, Hint: "'inspect " + l.Checkpoint.ID + "' shows it", Err: err}
	}
	return s, l.Checkpoint.ID, nil
}

// runSteps are the steps of a plan with how far they are. Where a state has other
// steps than the plan, as one that another program has saved, its own count.
func runSteps(p plan.Plan, s runner.State) []RunStep {
	list := make([]RunStep, 0, len(p.Steps))
	for _, x := range p.Steps {
		list = append(list, RunStep{ID: x.ID, Description: x.Description, Action: x.Action, Effect: x.Effect, Dependencies: x.Dependencies, When: x.When, Status: runner.Pending})
	}
	for _, x := range s.Plan {
		i := slices.IndexFunc(list, func(r RunStep) bool { return r.ID == x.ID })
		if i < 0 {
			list = append(list, RunStep{ID: x.ID, Description: x.Description, Action: x.Action, Dependencies: x.Dependencies})
			i = len(list) - 1
		}
		r := &list[i]
		r.Status, r.Reason, r.Attempt, r.StartedAt, r.EndedAt = x.Status, x.Reason, x.Attempt, x.StartedAt, x.EndedAt
		if x.Status != runner.Skipped && !x.StartedAt.IsZero() && x.EndedAt.After(x.StartedAt.Time) { // a step that ran before and is skipped now took no time
			r.DurationMS = x.EndedAt.Sub(x.StartedAt.Time).Milliseconds()
		}
		r.Usage, r.CostUSD = x.Used.Tokens, x.Used.CostUSD
	}
	for _, x := range s.Results {
		if i := slices.IndexFunc(list, func(r RunStep) bool { return r.ID == x.StepID }); i >= 0 {
			r := &list[i]
			r.DurationMS = cmp.Or(x.DurationMS, r.DurationMS)
			if r.CostUSD == 0 && r.Usage == (piton.TokenUsage{}) {
				r.Usage, r.CostUSD = x.Usage, x.CostUSD
			}
		}
	}
	setStages(list)
	return list
}

// setStages gives each step its stage: one more than the last of those that it
// depends on.
func setStages(list []RunStep) {
	at := map[string]int{}
	for i, s := range list {
		at[s.ID] = i
	}
	state := make([]int, len(list)) // 1 on the way, 2 known
	var stage func(i int) int
	stage = func(i int) int {
		if state[i] != 0 {
			return list[i].Stage // a circle ends here
		}
		state[i] = 1
		n := 0
		for _, d := range list[i].Dependencies {
			if j, ok := at[d]; ok && state[j] != 1 {
				n = max(n, stage(j)+1)
			}
		}
		list[i].Stage, state[i] = n, 2
		return n
	}
	for i := range list {
		stage(i)
	}
}

// questions are what waits for a person.
func questions(run string, s runner.State) []Question {
	var list []Question
	for _, x := range s.Plan {
		if x.Status == runner.Waiting {
			list = append(list, Question{RunID: run, StepID: x.ID, Text: asked(x), Shown: x.Shown})
		}
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

// raises is the option, with its value's form, that raises the budget of a run that is
// used up.
var raises = map[piton.RunCause]string{
	piton.CauseBudgetTokens: "max_tokens N",
	piton.CauseBudgetCost:   "max_cost USD",
	piton.CauseBudgetTime:   "max_time DURATION",
	piton.CauseBudgetTries:  "max_tries N",
}

// answered gives questions the newest answers to just what they show; that of one
// which nobody has heard yet stands until the run goes on.
func answered(list []Question, answers []piton.Answer, s runner.State) {
	for i := range list {
		q := &list[i]
		for _, a := range answers {
			if x := slices.IndexFunc(s.Plan, func(x runner.Step) bool { return x.ID == q.StepID }); a.StepID == q.StepID && a.Shown == q.Shown && x >= 0 && a.At.After(s.Plan[x].AnsweredAt.Time) {
				q.Answer = &a
			}
		}
	}
}

// causeOf is why a run does not go on. Of one that an older version has kept, the words
// of its error say it.
func causeOf(r piton.Run) piton.RunCause {
	if r.Cause != "" || !strings.Contains(r.Error, "is used up") {
		return r.Cause
	}
	if r.Status == piton.RunFailed {
		if strings.Contains(r.Error, "the budget of ") {
			return piton.CauseStepBudget
		}
		return ""
	}
	for what, cause := range map[string]piton.RunCause{
		"tokens": piton.CauseBudgetTokens, "money": piton.CauseBudgetCost, "time": piton.CauseBudgetTime, "tries": piton.CauseBudgetTries,
	} {
		if r.Status == piton.RunStopped && strings.HasPrefix(r.Error, "the budget of "+what+" is used up") {
			return cause
		}
	}
	return ""
}
