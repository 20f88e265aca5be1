package app

import (
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/runner"
)

// A step's budget is raised in the plan where it is used up, and only there.
func TestNextStepAfterABudget(t *testing.T) {
	for text, want := range map[string]string{
		"the step fix: the budget of 1000 tokens is used up: claude has used 1200":             "raise the step's budget in the plan",
		"the step fix: the budget of $1.00 cannot be kept: run.prices has no price of gpt-5.5": "continues it",
		"the step fix: its command ended with status 1":                                        "continues it",
	} {
		got := nextStep(RunRow{Run: piton.Run{ID: "run_1", Status: piton.RunFailed, Error: text, PlanFile: "plan.yaml"}}, runner.State{})
		if !strings.Contains(got, want) || strings.Contains(got, "raise") != strings.HasPrefix(want, "raise") {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
