package planruns

import (
	"cmp"
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
)

// ShowRun shows a run with its steps, its owner and what it waits for.
func (a PlanRuns) ShowRun(ctx context.Context, q piton.RunRefRequest) (RunView, error) {
	k, runs, r, err := a.openRun(ctx, q.Run)
	if err != nil {
		return RunView{}, err
	}
	p, err := runner.ReadPlan(ctx, runs, r.ID)
	if err != nil {
		return RunView{}, err
	}
	v := RunView{Run: a.row(r), Error: r.Error}
	if r.Status == piton.RunQueued {
		waiting, err := runs.Runs(ctx, piton.RunQuery{Status: piton.RunQueued})
		if err != nil {
			return v, err
		}
		v.Run.Place = places(waiting)[r.ID]
	}
	f, s, err := a.facts(ctx, k, runs, v.Run)
	if err != nil {
		return v, err
	}
	v.Run.stand(f)
	v.Checkpoint, v.Steps, v.Hint = r.CheckpointID, runSteps(p, s), v.Run.Stood[0].hint
	for i := range v.Steps {
		v.Steps[i].Interrupted = v.Steps[i].Status == runner.Running && !v.Run.Works()
	}
	if v.Run.Stands == StandChild { // what the row says is as old as its last save
		v.Error = v.Run.Says()
	}
	if !r.Status.Ended() {
		v.Questions = f.questions
	}
	return v, nil
}

// runSteps are the steps of a plan with how far they are. Where a state has other
// steps than the plan, as one that another program has saved, its own count.
func runSteps(p plan.Plan, s runner.State) []RunStep {
	list, at := make([]RunStep, 0, len(p.Steps)), map[string]int{}
	for i, x := range runner.Whole(p, s).Steps {
		at[x.ID] = i
		list = append(list, RunStep{ID: x.ID, Description: x.Description, Action: x.Action, Effect: x.Effect, Dependencies: x.Dependencies, When: x.When, Status: runner.Pending})
	}
	for _, x := range s.Plan {
		i, known := at[x.ID]
		if !known {
			list = append(list, RunStep{ID: x.ID, Description: x.Description, Action: x.Action, Dependencies: x.Dependencies})
			i = len(list) - 1
			at[x.ID] = i
		}
		r := &list[i]
		r.Of, r.Items, r.Undoes, r.Child, r.DueAt, r.Signal = x.Of, x.Items, x.Undoes, x.ChildRun(), x.DueAt, x.Signal
		r.Status, r.Reason, r.Attempt, r.StartedAt, r.EndedAt = x.Status, x.Reason, x.Attempt, x.StartedAt, x.EndedAt
		if x.Status != runner.Skipped && !x.StartedAt.IsZero() && x.EndedAt.After(x.StartedAt.Time) { // a step that ran before and is skipped now took no time
			r.DurationMS = x.EndedAt.Sub(x.StartedAt.Time).Milliseconds()
		}
		if r.Action == plan.Approve {
			r.Attempt = min(r.Attempt, 1) // to look again is none
		}
		r.Usage, r.CostUSD = x.Used.Tokens, x.Used.CostUSD
	}
	for _, x := range list {
		if i, known := at[x.Of]; known && x.Status == runner.Completed {
			list[i].ItemsDone++
		}
	}
	for _, x := range s.Results {
		if i, known := at[x.StepID]; known {
			r := &list[i]
			r.DurationMS, r.Artifacts = cmp.Or(x.DurationMS, r.DurationMS), x.Artifacts
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
			return list[i].Stage // a cycle ends here
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

// result is the outcome of a run with what to do now.
func (j *job) result(ctx context.Context, o runner.Outcome) RunResult {
	r := j.a.row(o.Run)
	stood, doubt := standsNow(r, o.State), r.Status == piton.RunInDoubt
	if r.Status == piton.RunWaiting {
		now := o.State
		now.Plan = slices.Clone(now.Plan)
		doubt, _ = j.a.children(context.WithoutCancel(ctx), j.k, j.runs, now) // else it waits, as its status says
	}
	return RunResult{
		InDoubt: doubt,
		Success: r.Status == piton.RunCompleted, RunID: r.ID, Workflow: cmp.Or(r.Workflow, r.WorkflowID), Status: r.Status, State: o.State, Error: r.Error, Cause: r.Cause,
		Hint: stood.hint, Word: cmp.Or(stood.word, StatusWord(r.Status)), DurationMS: r.WorkMS, Recovered: o.Recovered, Dir: r.Dir,
	}
}
