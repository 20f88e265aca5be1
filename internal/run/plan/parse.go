package plan

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
	p := r.plan(root)
	r.verify(&p)
	if err := r.err(); err != nil {
		return Plan{}, err
	}
	return p, nil
}
