package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/piton-project/piton"
)

// Terms is the part of a plan that the list of steps of a saved state does not say:
// inputs, conditions, effects, retries, bounds. With it FromState has the whole plan
// again, in a store that has never seen the run. nil where there is nothing more.
func (p Plan) Terms() json.RawMessage {
	steps := []Step{}
	for _, s := range p.Steps {
		if s.Undoes == "" { // a state has those only while they run
			s.Description, s.Action, s.Parameters, s.Dependencies = "", "", nil, nil
		}
		if !reflect.DeepEqual(s, Step{ID: s.ID, Line: s.Line}) {
			steps = append(steps, s)
		}
	}
	p.Schedule, p.Notes = nil, nil
	if p.Steps = nil; len(steps) == 0 && reflect.DeepEqual(p, Plan{Done: p.Done}) {
		return nil
	}
	p.Steps = steps
	return p.JSON()
}

// FromState makes a plan of a saved state of kind plan, in either spelling, made
// by Piton or by another program.
func FromState(state []byte, actions Known) (Plan, error) {
	r := &reader{slips: slips{file: "the saved state"}, actions: actions}
	root := sourceJSON(state, &r.slips)
	if root == nil {
		return Plan{}, r.err()
	}
	if root.kind != isObject {
		r.add(root.line, "a state is one JSON object, not %s", root.kind)
		return Plan{}, r.err()
	}
	steps := &node{kind: isList, line: root.line}
	out := objectNode(root.line, pair{"steps", steps.line, steps})
	more := map[string]*node{} // what the terms say of a step, by its id
	if run := root.get("run_id"); run != nil && piton.IsID(piton.RunPrefix, run.text) {
		r.saved = true
		out.pairs = append(out.pairs, terms(root.get("terms"), more)...)
	}
	if saved := root.get("plan"); saved != nil {
		steps.line = saved.line
		for i, n := range saved.items {
			if made := r.saved && (n.get("of") != nil || n.get("undoes") != nil); !made { // what the run has made of another step
				steps.items = append(steps.items, r.savedStep(n, i, more))
			}
		}
		for _, id := range slices.Sorted(maps.Keys(more)) {
			if more[id].get("undoes") != nil {
				steps.items = append(steps.items, more[id])
			}
		}
	}
	if q := root.get("query"); q != nil && out.get("query") == nil {
		out.pairs = append(out.pairs, pair{"query", q.line, q})
	}
	return r.checked(out)
}

// terms are what the terms of a plan say of it; what they say of a step goes to steps.
func terms(of *node, steps map[string]*node) (pairs []pair) {
	for _, x := range of.keys() {
		if x.name != "steps" {
			pairs = append(pairs, x)
			continue
		}
		for _, n := range x.value.items {
			if id := n.get("id"); id != nil {
				steps[id.text] = n
			}
		}
	}
	return pairs
}

// savedStep is a step without how far it is. One without an id has its number.
func (r *reader) savedStep(n *node, i int, more map[string]*node) *node {
	s := objectNode(n.line)
	if n.kind != isObject {
		r.add(n.line, "a step wants keys with values, not %s", n.kind)
		return s
	}
	for _, name := range []string{"id", "description", "action", "parameters", "dependencies"} {
		p := pair{name, n.line, n.get(name)}
		if isEmpty := p.none() || p.value.kind == isList && len(p.value.items) == 0; !isEmpty {
			p.line = p.value.line
			s.pairs = append(s.pairs, p)
		}
	}
	if s.get("id") == nil {
		s.pairs = append(s.pairs, pair{"id", n.line, textNode(fmt.Sprint(i+1), n.line)})
	}
	for _, x := range more[s.get("id").text].keys() {
		if s.get(x.name) == nil && x.name != "action" {
			s.pairs = append(s.pairs, x)
		}
	}
	return s
}
