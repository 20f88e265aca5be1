package runner

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/run/plan"
)

// InputChanges is how the inputs of a run that goes on differ from those it has worked
// with so far.
type InputChanges struct {
	Values map[string]any // as they would be
	Names  []string       // of those that differ
	lines  []string
	used   []string // completed steps that name one of them
}

// String says, a line each, what has changed and which completed steps used the old
// values.
func (x InputChanges) String() string { return strings.Join(x.lines, "\n") }

// again are the steps that run again where the changes are accepted.
func (x InputChanges) again(g Again) []string {
	return slices.DeleteFunc(slices.Clone(x.used), func(id string) bool { return slices.Contains(g.Took, id) })
}

// ChangedInputs compares the inputs of a run that goes on with those given now, and with
// the defaults where they have changed since: they are part of what its results mean.
// Invalid for a value that cannot be used.
func (r *Runner) ChangedInputs(was, p plan.Plan, s State, given map[string]any) (x InputChanges, err error) {
	x.Values = s.Inputs
	if len(p.Inputs)+len(given) == 0 {
		return x, nil
	}
	if x.Values, err = plan.NewValues(p, s.Inputs, withDefaults(was, p, s.Inputs, given)); err != nil {
		return x, err
	}
	text, err := encode(x.Values)
	if err == nil {
		_, err = r.document("an input", text)
	}
	if err != nil {
		return x, err
	}
	for _, name := range slices.Sorted(maps.Keys(x.Values)) {
		old, had := s.Inputs[name]
		if !had && x.Values[name] == nil || reflect.DeepEqual(old, x.Values[name]) {
			continue
		}
		x.Names = append(x.Names, name)
		x.lines = append(x.lines, "the input "+name+" was "+plan.Brief(old)+" and is "+plan.Brief(x.Values[name]))
	}
	x.users(aligned(p, s))
	return x, nil
}

// users finds the completed steps whose results come of the old values.
func (x *InputChanges) users(p plan.Plan, s State) {
	direct := map[int]bool{}
	for i, step := range p.Steps {
		direct[i] = plan.Names(p, step, x.Names)
	}
	later := dependents(p, direct)
	for i, step := range s.Plan {
		switch {
		case step.Status != Completed:
		case direct[i]:
			x.used = append(x.used, step.ID)
			x.lines = append(x.lines, "step "+step.ID+" is completed and used the old value")
		case later[i]:
			x.lines = append(x.lines, "step "+step.ID+" is completed and depends on such a step")
		}
	}
}

// withDefaults adds to the given values the new default of an input that has the old one.
func withDefaults(was, p plan.Plan, kept, given map[string]any) map[string]any {
	all := maps.Clone(given)
	for _, in := range p.Inputs {
		i := slices.IndexFunc(was.Inputs, func(w plan.Input) bool { return w.Name == in.Name })
		if i < 0 || given[in.Name] != nil || in.Default == nil || was.Inputs[i].Default == nil {
			continue
		}
		if reflect.DeepEqual(kept[in.Name], was.Inputs[i].Default) && !reflect.DeepEqual(was.Inputs[i].Default, in.Default) {
			if all == nil {
				all = map[string]any{}
			}
			all[in.Name] = in.Default
		}
	}
	return all
}
