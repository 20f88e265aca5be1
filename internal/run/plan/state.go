package plan

import (
	"fmt"
)

// FromState makes a plan of a saved state of kind plan, in either spelling, made
// by Piton or by another program.
func FromState(state []byte, actions Known) (Plan, error) {
	r := &reader{slips: slips{file: "the saved state"}, actions: actions}
	root := sourceJSON(state, &r.slips)
	if root == nil || root.kind != isObject {
		if root != nil {
			r.add(root.line, "a state is one JSON object, not %s", root.kind)
		}
		return Plan{}, r.err()
	}
	steps := &node{kind: isList, line: root.line}
	if saved := root.get("plan"); saved != nil {
		steps.line = saved.line
		for i, n := range saved.items {
			steps.items = append(steps.items, r.savedStep(n, i))
		}
	}
	out := &node{kind: isObject, line: root.line, pairs: []pair{{"steps", steps.line, steps}}}
	if q := root.get("query"); q != nil {
		out.pairs = append(out.pairs, pair{"query", q.line, q})
	}
	return r.checked(out)
}

// savedStep is a step without how far it is. One without an id has its number.
func (r *reader) savedStep(n *node, i int) *node {
	s := &node{kind: isObject, line: n.line}
	if n.kind != isObject {
		r.add(n.line, "a step wants keys with values, not %s", n.kind)
		return s
	}
	for _, name := range []string{"id", "description", "action", "parameters", "dependencies"} {
		v := n.get(name)
		if v == nil || v.kind == isNull || v.kind == isList && len(v.items) == 0 {
			continue
		}
		s.pairs = append(s.pairs, pair{name, v.line, v})
	}
	if s.get("id") == nil {
		id := fmt.Sprint(i + 1)
		s.pairs = append(s.pairs, pair{"id", n.line, &node{kind: isText, text: id, value: id, line: n.line}})
	}
	return s
}
