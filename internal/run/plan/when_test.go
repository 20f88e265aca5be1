package plan_test

import (
	"testing"

	"github.com/piton-project/piton/internal/run/plan"
)

func TestWhen(t *testing.T) {
	steps := func(status string) map[string]plan.StepValue {
		return map[string]plan.StepValue{"first": {Status: "completed", Output: map[string]any{"n": 2.0}}, "dep": {Status: status, Error: "e"}}
	}
	for _, c := range []struct {
		name, when, status string
		run                bool
		reason             string
	}{
		{"no condition, completed", "", "completed", true, ""},
		{"no condition, failed", "", "failed", false, "step dep failed"},
		{"no condition, skipped", "", "skipped", false, "step dep was skipped"},
		{"no condition, could not", "", "could_not", false, "step dep could not be done"},
		{"no condition, not run", "", "", false, "step dep has not run"},
		{"no condition, in doubt", "", "in_doubt", false, "step dep is in doubt"},
		{"true", "inputs.deploy", "completed", true, ""},
		{"false", "!inputs.deploy", "completed", false, "when is false: !inputs.deploy"},
		{"an output", "steps.first.output.n > 1", "completed", true, ""},
		{"true, but failed", "inputs.deploy", "failed", false, "step dep failed"},
		{"an output of a failed step is not looked at", "steps.dep.output.x.y == 1", "failed", false, "step dep failed"},
		{"always, failed", "always()", "failed", true, ""},
		{"always and more", "always() && !inputs.deploy", "failed", false, "when is false: always() && !inputs.deploy"},
		{"failure, failed", "failure()", "failed", true, ""},
		{"failure, could not", "failure()", "could_not", true, ""},
		{"failure, completed", "failure()", "completed", false, "when is false: failure()"},
		{"failure, skipped", "failure()", "skipped", false, "when is false: failure()"},
		{"success, completed", "success()", "completed", true, ""},
		{"success, skipped", "success()", "skipped", false, "when is false: success()"},
		{"status, failed", `steps.dep.status == "failed"`, "failed", true, ""},
		{"status, skipped", `steps.dep.status in ["skipped", "failed"]`, "skipped", true, ""},
		{"error", `always() && steps.dep.error contains "e"`, "failed", true, ""},
		{"literally", "true", "completed", true, ""},
	} {
		p := plan.Plan{Inputs: []plan.Input{{Name: "deploy"}}, Steps: []plan.Step{{ID: "first"}, {ID: "dep", Dependencies: []string{"first"}}, {ID: "s", Dependencies: []string{"dep"}, When: c.when}}}
		r := plan.Resolver{Inputs: map[string]any{"deploy": true}, Steps: steps(c.status)}
		run, reason, err := plan.When(p, p.Steps[2], r)
		if err != nil || run != c.run || reason != c.reason {
			t.Errorf("%s: got %v, %q (%v), want %v, %q", c.name, run, reason, err, c.run, c.reason)
		}
	}
	t.Run("a failure further up", func(t *testing.T) {
		p := plan.Plan{Steps: []plan.Step{{ID: "a"}, {ID: "b", Dependencies: []string{"a"}}, {ID: "s", Dependencies: []string{"b"}, When: "failure()"}, {ID: "beside"}}}
		r := plan.Resolver{Steps: map[string]plan.StepValue{"a": {Status: "failed"}, "b": {Status: "skipped"}}}
		if run, reason, err := plan.When(p, p.Steps[2], r); !run || err != nil {
			t.Errorf("got %v, %q (%v), want it to run", run, reason, err)
		}
		r = plan.Resolver{Steps: map[string]plan.StepValue{"a": {Status: "completed"}, "b": {Status: "completed"}, "beside": {Status: "failed"}}}
		if run, _, err := plan.When(p, p.Steps[2], r); run || err != nil {
			t.Errorf("got %v (%v), want a failure beside it not to count", run, err)
		}
		r.Steps["a"] = plan.StepValue{Status: "failed"}
		p.Steps[2].When = "success()"
		if run, reason, err := plan.When(p, p.Steps[2], r); run || reason != "when is false: success()" || err != nil {
			t.Errorf("got %v, %q (%v), want no success after a failure further up", run, reason, err)
		}
	})
	for when, want := range map[string]bool{"": false, "true": false, "inputs.x == 'always()'": false, "always()": true, "!failure()": true, "steps.a-b.status != 'failed'": true, "steps.1?.status == 'failed'": true, "steps.a.output": false} {
		p := plan.Plan{Inputs: []plan.Input{{Name: "x"}}}
		if got := plan.AsksForStatus(p, plan.Step{When: when}); got != want {
			t.Errorf("%q: got %v, want %v", when, got, want)
		}
	}
	for _, when := range []string{"1", "query", "nope", "steps.first.output.x.y"} {
		p := plan.Plan{Steps: []plan.Step{{ID: "s", When: when}}}
		if run, _, err := plan.When(p, p.Steps[0], plan.Resolver{Steps: steps("completed")}); err == nil {
			t.Errorf("%q: got %v, want an error", when, run)
		}
	}
}
