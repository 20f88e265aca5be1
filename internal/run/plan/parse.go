package plan

import "slices"

// Parse reads a plan in YAML or JSON and checks all of it: what it returns can be
// run. Invalid names each slip as "file:line: what; what to write"
// (docs/spec.md, "Plans").
func Parse(file string, data []byte, actions Known) (Plan, error) {
	r := &reader{slips: slips{file: file}, actions: actions}
	root := source(file, data, &r.slips)
	if root == nil || len(r.list) > 0 {
		return Plan{}, r.err()
	}
	return r.checked(root)
}

// checked reads a tree and checks the plan.
func (r *reader) checked(root *node) (Plan, error) {
	if root.kind != isObject && root.kind != isList {
		r.add(root.line, "a plan wants keys with values, not %s", root.kind)
		return Plan{}, r.err()
	}
	if !r.saved {
		r.translate(root)
	}
	p := r.plan(root)
	p.Plans = r.plans(root.get("plans"))
	r.verify(&p)
	p.Notes = slices.Compact(r.notes)
	if err := r.err(); err != nil {
		return Plan{}, err
	}
	return p, nil
}

// plans reads the plans that stand in a plan, by the names of their files.
func (r *reader) plans(n *node) (all map[string]Plan) {
	if n == nil || n.kind == isNull {
		return nil
	}
	if n.kind != isObject {
		r.add(n.line, "plans wants the names of files with plans, not %s", n.kind)
		return nil
	}
	all = map[string]Plan{}
	for _, q := range n.pairs {
		if r.deep == maxNested || len(all) == maxChildren {
			r.add(q.line, "a plan holds at most %d others, and these at most %d deep", maxChildren, maxNested)
			return nil
		}
		in := &reader{slips: slips{file: r.file}, actions: r.actions, saved: r.saved, deep: r.deep + 1}
		child, err := in.checked(q.value)
		r.list, r.notes = append(r.list, in.list...), append(r.notes, in.notes...)
		if err == nil {
			all[q.name] = child
		}
	}
	return all
}
