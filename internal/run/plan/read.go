package plan

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxSteps bounds the steps of a plan.
const maxSteps = 5000

// plan reads the whole tree.
func (r *reader) plan(root *node) Plan {
	if root.kind == isList {
		root = objectNode(root.line, pair{"steps", root.line, root})
	}
	f := r.fields(onlyJob(root), planKeys)
	p := Plan{
		Name: r.text(f["name"]), Description: r.text(f["description"]), Query: r.text(f["query"]),
		Parallel: int(r.whole(f["parallel"])), MaxRuns: int(r.whole(f["max_runs"])),
		OnCrash: OnCrash(r.one(f["on_crash"])),
		Dir:     r.text(f["dir"]),
	}
	if b, ok := f["budget"]; ok {
		p.Budget = r.budget(b)
	}
	r.archon, r.given = f["steps"].name == "nodes", f
	for _, x := range givens {
		p := f[x.key]
		if isNo := func(n *node) bool { return n.kind != isText }; !p.none() && (!slices.Contains(p.form.kinds, p.value.kind) || slices.ContainsFunc(p.value.items, isNo)) {
			r.add(p.line, "%s wants what it is at a step, not %s", p.name, p.value.kind)
		}
	}
	p.Inputs, p.Schedule = r.inputs(f), r.schedule(f)
	if f["inputs"].name == "params" {
		r.params = map[string]bool{}
		for _, in := range p.Inputs {
			r.params[in.Name] = variableName().MatchString(in.Name)
		}
	}
	r.env = r.variables(f["env"])
	r.steps(f["steps"], root.line)
	if r.inOrder(f) {
		r.chain()
	}
	p.FinallyTimeout, p.OnFailure = r.duration(f["finally_timeout"]), OnFailure(r.one(f["on_failure"]))
	if r.undone {
		p.OnFailure = cmp.Or(p.OnFailure, Undo)
	}
	if last := f["finally"]; !last.none() {
		first := len(r.read)
		r.steps(last, last.line)
		for i := first; i < len(r.read); i++ {
			r.read[i].Finally = true
		}
	}
	r.handlers(f["handler_on"])
	r.read = append(r.read, r.undos...)
	for _, s := range r.read {
		p.Steps = append(p.Steps, s.Step)
	}
	p.Done = r.done(f["results"])
	return p
}

// steps reads the steps: a list, or a mapping of ids to steps.
func (r *reader) steps(p field, line int) {
	v := p.value
	if p.none() {
		v = objectNode(0)
	}
	if v.scalar() {
		r.add(v.line, "%s wants a list of steps, not %s", p.name, v.kind)
		return
	}
	switch n := len(v.items) + len(v.pairs); {
	case n == 0:
		r.add(max(p.line, line), "the plan has no steps; write 'steps' with at least one")
	case n > maxSteps:
		r.add(v.line, "a plan has at most %d steps", maxSteps)
	}
	before := len(r.read)
	for i, n := range v.items[:min(len(v.items), maxSteps)] {
		if n.kind == isText && n.text != "" {
			n = n.asStep()
		}
		r.read = append(r.read, r.step(n, nil, i+before))
	}
	for i, q := range v.pairs[:min(len(v.pairs), maxSteps)] {
		r.read = append(r.read, r.step(q.value, &q, i+before))
	}
}

// done are the steps that the file calls completed, with the outputs among its results.
// An approval is a person's: it is never done beforehand.
func (r *reader) done(results field) map[string]any {
	done := map[string]any{}
	for _, s := range r.read {
		switch {
		case s.done && s.Action == Approve:
			r.add(s.Line, "step %s waits for a person's approval, which a file cannot give; leave out 'status'", s.ID)
		case s.done:
			done[s.ID] = nil
		}
	}
	if len(done) == 0 {
		done = nil
	}
	if results.none() {
		return done
	}
	if results.value.kind != isList {
		r.add(results.line, "results wants a list, not %s", results.value.kind)
	}
	for _, n := range results.value.items {
		f := r.fields(n, resultKeys)
		id := r.text(f["step_id"])
		if _, ok := done[id]; !ok {
			r.add(n.line, "there is a result of step %s, and the plan does not call that step completed", quoted(id))
			continue
		}
		if out, ok := f["output"]; ok {
			done[id] = out.value.json()
		}
	}
	return done
}

// inOrder tells whether the steps run one after the other: the plan says so, or it says
// nothing of order, neither 'parallel' nor a dependency, as a list of steps elsewhere.
func (r *reader) inOrder(f map[string]field) bool {
	kind := r.one(f["type"])
	if r.saved {
		return false // each names what it depends on
	}
	if _, ok := f["parallel"]; ok || kind != "" {
		return kind == "chain"
	}
	return !slices.ContainsFunc(r.read, func(s readStep) bool { return len(s.Dependencies) > 0 })
}

// chain makes each step depend on the one before it, where it names nothing. One that is
// skipped by its own condition does not skip those behind it.
func (r *reader) chain() {
	conditional := false
	for i := range r.read {
		s := &r.read[i]
		own := s.When != ""
		if i > 0 && len(s.Dependencies) == 0 && s.ID != r.read[i-1].ID { // an id that stands twice is a mistake that verify says
			s.Dependencies = []string{r.read[i-1].ID}
			if conditional && !asks(s.When).status {
				s.When = strings.TrimSuffix("!failure() && ("+s.When+")", " && ()")
			}
		}
		conditional = conditional || own
	}
}

// daguParam is a word of Dagu's params.
var daguParam = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w-]+=([^"']*|"[^"]*")$`) })

// inputs reads the inputs: a list, or a mapping of names; also where GitHub has
// them.
func (r *reader) inputs(f map[string]field) []Input {
	p, own := f["inputs"]
	if on, ok := f["on"]; ok {
		given := on.value.get("workflow_dispatch")
		if !startedBy(on.value) {
			r.add(on.line, "a plan has no key \"on\" but for its inputs and its schedule: %s", noSchedule)
		}
		if given != nil && given.get("inputs") != nil {
			if own {
				r.add(on.line, "the inputs stand here and under 'inputs'; write them once")
			}
			p.pair = pair{"inputs", on.line, given.get("inputs")}
		}
	}
	if p.none() {
		return nil
	}
	pairs, items := p.value.pairs, p.value.items
	if given := strings.Fields(p.value.text); p.value.kind == isText && !slices.ContainsFunc(given, func(word string) bool { return !daguParam().MatchString(word) }) {
		for _, word := range given {
			items = append(items, textNode(word, p.value.line))
		}
	} else if p.value.scalar() {
		r.add(p.value.line, "%s wants names with what they are, as in {lang: {type: string, default: en}}", p.name)
	}
	for _, x := range items {
		switch {
		case x.kind == isText && daguParam().MatchString(x.text):
			name, value, _ := strings.Cut(x.text, "=")
			pairs = append(pairs, pair{name, x.line, textNode(strings.Trim(value, `"`), x.line)})
		case x.kind == isText:
			pairs = append(pairs, pair{x.text, x.line, &node{kind: isNull, line: x.line}})
		case x.kind == isObject && x.get("name") == nil && len(x.pairs) == 1: // NAME: default
			pairs = append(pairs, pair{x.pairs[0].name, x.line, x.pairs[0].value})
		default:
			pairs = append(pairs, pair{"", x.line, x})
		}
	}
	var list []Input
	for _, q := range pairs {
		in := r.input(q.name, q.line, q.value)
		if slices.ContainsFunc(list, func(have Input) bool { return have.Name == in.Name }) {
			r.add(q.line, "the input %s stands here twice", quoted(in.Name))
			continue
		}
		list = append(list, in)
	}
	return list
}

// input reads one input. A scalar or a list is its default.
func (r *reader) input(name string, line int, n *node) Input {
	in := Input{Name: name}
	switch {
	case n.kind == isNull:
	case n.kind != isObject:
		in.Default = n.json()
	default:
		f := r.fields(n, inputKeys)
		if own := r.text(f["name"]); name == "" {
			in.Name = own
		} else if own != "" && own != name {
			r.add(f["name"].line, "the input's name is its key, %s; leave out 'name'", quoted(name))
		}
		in.Type = r.inputType(f["type"])
		in.Description = r.text(f["description"])
		in.Required = r.bool(f["required"])
		in.Options = r.names(f["options"])
		if d, ok := f["default"]; ok {
			in.Default = d.value.json()
		}
	}
	switch {
	case in.Name == "":
		r.add(line, "an input wants a 'name'")
	case !idForm().MatchString(in.Name) || len(in.Name) > maxID:
		r.add(line, "%s cannot be the name of an input: a name has letters, digits, '-' and '_'", quoted(in.Name))
	}
	r.typed(&in, line)
	return in
}

// inputType reads a type, also under its names elsewhere.
func (r *reader) inputType(p field) string {
	text := r.text(p)
	if text == "" || slices.Contains(inputTypes, text) {
		return text
	}
	if typesElsewhere[text] == "" {
		r.add(p.value.line, "the type is %s%s", quoted(text), DidYouMean(text, inputTypes))
	}
	return typesElsewhere[text]
}

// typesElsewhere are the types by their names in other programs.
var typesElsewhere = map[string]string{
	"text": "string", "str": "string", "bool": "boolean", "integer": "number", "int": "number", "float": "number", "enum": "choice", "array": "list",
}

// typed finds the type of an input that names none, and holds its default
// against the type.
func (r *reader) typed(in *Input, line int) {
	if in.Type == "" {
		in.Type = map[string]string{isNumber: "number", isBool: "boolean", isList: "list", "an object": "object"}[kindName(in.Default)]
		if len(in.Options) > 0 {
			in.Type = "choice"
		}
	}
	switch isChoice := in.Type == "choice"; {
	case isChoice && len(in.Options) == 0:
		r.add(line, "the input %s is a choice; it wants 'options'", quoted(in.Name))
		return
	case !isChoice && len(in.Options) > 0:
		r.add(line, "the input %s has options; its type is then choice", quoted(in.Name))
	}
	var err error
	if in.Default != nil {
		in.Default, err = in.value(in.Default)
	}
	if err != nil {
		r.add(line, "the default of the input %s: %v", quoted(in.Name), err)
	}
}

// handlers reads Dagu's steps for the end, which are last ones with a condition.
func (r *reader) handlers(p field) {
	if p.none() {
		return
	}
	f := r.fields(p.value, handlerKeys)
	for _, name := range []string{"success", "failure", "exit"} {
		n := f[name].value
		if f[name].none() {
			continue
		}
		s := r.step(n.asStep(), nil, len(r.read))
		if s.ID == fmt.Sprint(len(r.read)+1) {
			s.ID = name
		}
		if s.Finally = true; name != "exit" && s.When == "" {
			s.When = name + "()"
		}
		r.read = append(r.read, s)
	}
}

var handlerKeys = keys{what: "handler_on", list: []key{{"success", nil, anything, ""}, {"failure", nil, anything, ""}, {"exit", nil, anything, ""}},
	refused: map[string]string{"cancel": "write 'exit', which runs after a cancellation too", "init": "write it as the first step", "abort": "write 'exit', which runs after a cancellation too", "wait": "write it in a step before the approval"}}
