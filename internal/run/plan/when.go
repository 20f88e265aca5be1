package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// When tells whether a step whose dependencies have all ended is to run, and if
// not, why, as a line for people. A step with a dependency that is not "completed"
// is skipped, unless its when asks for status: always(), failure(), success(), or
// steps.ID.status. failure() is true where a step that it depends on, directly or
// not, has neither completed nor been skipped.
func When(p Plan, s Step, r Resolver) (run bool, reason string, err error) {
	missed := unfinished(p, s, r)
	if s.When == "" {
		return missed == "", missed, nil
	}
	in := r.frame()
	in.when = true
	o := outcome{unfinished: missed != ""}
	for id := range ancestors(dependencies(p.Steps), s.ID) {
		switch v, ok := r.Steps[id]; {
		case !ok || p.fulfilled(id, v):
		case v.Status == "skipped":
			o.unfinished = true
		default:
			o.failed, o.unfinished = true, true
		}
	}
	_, u, err := compile(s.When, in, o, &meter{})
	if err == nil && missed != "" && !u.status {
		return false, missed, nil
	}
	if err == nil {
		run, err = r.holds(s.When, in, o, nil)
	}
	switch {
	case err != nil:
		return false, "", piton.Errorf(piton.Invalid, "decide whether step "+s.ID+" runs", "", "when: %w", err)
	case !run:
		reason = "when is false: " + clipped(s.When)
	}
	return run, reason, nil
}

// Always tells whether a step's condition asks for always(): it runs whatever came before
// it, also where that never comes to its end.
func (s Step) Always() bool {
	return strings.Contains(s.When, "always") && asks(s.When).always
}

// asks is what a condition asks for by itself.
func asks(when string) *uses {
	_, u, _ := compile(when, frame{when: true}, outcome{}, &meter{})
	return u
}

// unfinished says which dependencies did not complete; "" where all did.
func unfinished(p Plan, s Step, r Resolver) string {
	var list []string
	for _, id := range s.Dependencies {
		if v := r.Steps[id]; !p.fulfilled(id, v) {
			list = append(list, fmt.Sprintf("step %s %s", id, cmp.Or(statusWords[v.Status], "is "+strings.ReplaceAll(v.Status, "_", " "))))
		}
	}
	return strings.Join(list, ", ")
}

// fulfilled tells whether what depends on a step runs: it has completed, or its failure is none.
func (p Plan) fulfilled(id string, v StepValue) bool {
	if v.Status == "failed" || v.Status == "could_not" {
		i := p.Index(id)
		return i >= 0 && p.Steps[i].ContinueOnError
	}
	return v.Status == completed
}

// statusWords say what a step that did not complete did.
var statusWords = map[string]string{"failed": "failed", "skipped": "was skipped", "could_not": "could not be done", "": "has not run"}

// Index is the number of a step; -1 for none.
func (p Plan) Index(id string) int {
	return slices.IndexFunc(p.Steps, func(s Step) bool { return s.ID == id })
}

// ancestors are the steps that a step depends on, directly or not.
func ancestors(needs map[string][]string, id string) map[string]bool {
	found := map[string]bool{}
	todo := append([]string(nil), needs[id]...)
	for len(todo) > 0 {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !found[next] {
			found[next] = true
			todo = append(todo, needs[next]...)
		}
	}
	return found
}

// dependencies are the dependencies of each step.
func dependencies(steps []Step) map[string][]string {
	needs := make(map[string][]string, len(steps))
	for _, s := range steps {
		needs[s.ID] = s.Dependencies
	}
	return needs
}
