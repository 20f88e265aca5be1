package action

import (
	"context"
	"errors"

	"github.com/piton-project/piton/internal/run/plan"
)

// Plan is a run of another plan. The runner itself carries it out.
type Plan struct{}

// Doc says what the action takes.
func (Plan) Doc() Doc {
	return Doc{
		Name:    plan.Child,
		Summary: "Runs another plan as a run of its own, and ends when that does.",
		Parameters: []Parameter{
			{Name: "file", Kinds: []Kind{Text}, Others: []string{"plan", "path"}, Required: true, Meaning: "the plan's file, relative to the folder of the plan that names it, in the same project"},
			{Name: "inputs", Kinds: []Kind{Map}, Others: []string{"params"}, Meaning: "values for the inputs of that plan"},
		},
		Output: "an object with the outputs of its steps, by their ids",
	}
}

// Check reports what is wrong with the parameters.
func (a Plan) Check(s plan.Step) error {
	if err := a.Doc().Check(s); err != nil {
		return err
	}
	if _, err := plan.ChildFile(s); err != nil {
		return wrong("%s", err)
	}
	return nil
}

// Effect is idempotent: the run that an attempt has begun is found again.
func (Plan) Effect(plan.Step) plan.Effect { return plan.Idempotent }

// Do is the runner's.
func (Plan) Do(context.Context, Call) (Result, error) {
	return Result{}, &Failed{Err: errors.New("this program cannot run another plan"), Final: true, Known: Before}
}
