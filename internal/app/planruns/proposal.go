package planruns

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/runner"
)

// outputs are those that a person gives, as they will be read back, and who that is.
func (j *job) outputs(ctx context.Context) (all map[string]any, by string, err error) {
	if len(j.r.Outputs) == 0 {
		return nil, "", nil
	}
	const op = "give a step's output"
	if err := j.a.ByPerson(ctx, op, "an agent cannot say what a step has brought"); err != nil {
		return nil, "", err
	}
	all = map[string]any{}
	for id, v := range j.r.Outputs {
		b, err := json.Marshal(v)
		if err == nil {
			all[id], err = action.ReadJSON(b)
		}
		if err != nil {
			return nil, "", &piton.Error{Code: piton.Invalid, Op: op, Hint: "give a value of JSON", Err: err}
		}
	}
	return all, UserName(), nil
}

// proposed tells whether a person wants a state to run that no run of this store has
// written: what it would do is shown first. A plan that is given is a person's own word.
func (j *job) proposed(ctx context.Context, again runner.Again) (bool, error) {
	if j.checkpoint == "" || j.plan != nil {
		return false, nil
	}
	by, err := j.runs.MadeBy(ctx, j.checkpoint)
	if err != nil || by != "" {
		return false, err
	}
	op := "resume " + j.checkpoint
	if err := j.a.ByPerson(ctx, op, "an agent cannot run what no run of this store has written"); err != nil {
		return false, err
	}
	x, err := j.a.runner(j).Preview(ctx, again)
	if err != nil || j.r.AcceptPlan {
		return j.r.AcceptPlan, err
	}
	if j.r.Propose == nil {
		return false, piton.Errorf(piton.Conflict, op, "on a terminal it is shown and you are asked; a person's script that has read it says 'run resume "+j.checkpoint+" accept_plan'",
			"no run of this store has written this state, so it is a proposal:\n%s", proposal(x))
	}
	yes, err := j.r.Propose(proposal(x))
	if err == nil && !yes {
		err = piton.Errorf(piton.Conflict, op, "'inspect "+j.checkpoint+"' shows the state", "the proposal was not accepted; nothing was run")
	}
	return yes, err
}

// proposal is all that a state would run, step by step.
func proposal(x runner.Ahead) string {
	var b strings.Builder
	for i, s := range runner.Whole(x.Plan, x.State).Steps {
		fmt.Fprintf(&b, "%s (%s): %s\n", piton.Printable(s.ID), strings.ReplaceAll(string(x.State.Plan[i].Status), "_", " "), piton.Printable(s.Action))
		for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
			text, isText := s.Parameters[name].(string)
			if !isText {
				v, _ := json.Marshal(s.Parameters[name])
				text = string(v)
			}
			fmt.Fprintf(&b, "    %s: %s\n", piton.Printable(name), strings.ReplaceAll(piton.PrintableLines(text), "\n", "\n      "))
		}
		if s.When != "" {
			fmt.Fprintf(&b, "    when: %s\n", piton.Printable(s.When))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
