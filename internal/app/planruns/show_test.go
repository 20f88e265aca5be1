package planruns

import (
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/runner"
)

// What to do goes by the cause that is kept with a run, and not by its error's words.
func TestNextStepAfterABudget(t *testing.T) {
	const (
		inPlan = "raise the step's budget in the plan, then 'run plan.yaml resume run_1 accept_plan'"
		goesOn = "'run resume run_1' continues it"
	)
	raised := func(option string) string { return "raise the budget: 'run resume run_1 " + option + "' continues it" }
	const noFile = "raise the step's budget in the plan, and resume run_1 with the changed plan"
	for _, file := range []string{"", "my plan.yaml"} {
		if got := standsNow(RunRow{Run: piton.Run{ID: "run_1", Status: piton.RunFailed, Cause: piton.CauseStepBudget, PlanFile: file}}, runner.State{}).hint; !strings.HasPrefix(got, noFile) {
			t.Errorf("the plan %q: got %q, want %q", file, got, noFile)
		}
	}
	for _, c := range []struct {
		name   string
		status piton.RunStatus
		cause  piton.RunCause
		says   string
		want   string
	}{
		{"tokens", piton.RunStopped, piton.CauseBudgetTokens, "", raised("max_tokens N")},
		{"money", piton.RunStopped, piton.CauseBudgetCost, "", raised("max_cost USD")},
		{"time", piton.RunStopped, piton.CauseBudgetTime, "", raised("max_time DURATION")},
		{"tries", piton.RunStopped, piton.CauseBudgetTries, "", raised("max_tries N")},
		{"the run's tokens, in the middle of a step", piton.RunFailed, piton.CauseBudgetTokens, "step a failed: the budget of 50 tokens is used up", raised("max_tokens N")},
		{"a step's", piton.RunFailed, piton.CauseStepBudget, "", inPlan},
		{"a step that speaks of a budget", piton.RunFailed, piton.CauseStepFailed, "step a failed: the budget of March is used up", goesOn},
		{"an interruption that speaks of a budget", piton.RunStopped, piton.CauseInterrupted, "the budget of time is used up", goesOn},
	} {
		got := standsNow(RunRow{Run: piton.Run{ID: "run_1", Status: c.status, Cause: c.cause, Error: c.says, PlanFile: "plan.yaml"}}, runner.State{}).hint
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
