package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// step reads a step; key is its id where the steps are a mapping.
func (r *reader) step(n *node, key *pair, index int) readStep {
	n = r.withDefaults(n)
	f := r.fields(n, stepKeys)
	if strings.HasPrefix(f["for_each"].name, "with") && !r.saved {
		n.become(theirs().item, func(m []string, _ *node) string { return "${{ item" + m[1] + " }}" })
	}
	if r.archon {
		r.archonLoop(f)
		if a := f["approval"]; !a.none() { // the words of who approves are always kept
			a.value.pairs = slices.DeleteFunc(a.value.pairs, func(p pair) bool { return p.name == "capture_response" })
		}
	}
	if p := f["parameters"]; p.name == "params" && f[Child].name == "call" { // Dagu's
		delete(f, "parameters")
		if given := r.variables(p); given != nil {
			f["inputs"] = field{pair{"inputs", p.line, given}, anObject}
		}
	}
	if nested := n.get("steps"); nested != nil { // what is wrong in them is said too
		for i, x := range nested.items {
			r.step(x, nil, i)
		}
	}
	s := readStep{Step: Step{Line: n.line}, needs: f["dependencies"], when: f["when"], action: n.line}
	r.name(&s, f, key, index)
	r.does(&s, f, n.kind != isObject || slices.ContainsFunc(n.pairs, func(p pair) bool { return stepKeys.refused[p.name] != "" }))
	s.Dependencies = r.names(f["dependencies"])
	s.When = r.condition(f["when"])
	s.Timeout = r.timeout(f)
	if p, ok := f["retry"]; ok {
		s.Retry = r.retry(p)
	}
	s.Effect = Effect(r.one(f["effect"]))
	if p, ok := f["check"]; ok {
		r.check(&s, p)
	}
	if p, ok := f["budget"]; ok {
		s.Budget = r.budget(p)
	}
	s.done = r.one(f["status"]) == "completed"
	r.more(&s, f)
	r.artifacts(&s, f["artifacts"])
	s.Finally, s.Undoes = r.bool(f["finally"]), r.text(f["undoes"])
	if p, ok := f["undo"]; ok && !p.none() {
		r.undone = r.undone || p.name != "undo"
		r.undo(s, p)
	}
	s.ContinueOnError = r.bool(f["continue_on_error"])
	return s
}

// withDefaults is a step with the plan's 'defaults' for the keys that it does not say itself.
func (r *reader) withDefaults(n *node) *node {
	of := r.given["defaults"]
	if of.none() || n.kind != isObject || of.value.kind != isObject {
		return n
	}
	if run := of.value.get("run"); run != nil && run.kind == isObject { // GitHub's
		of.value = run
	}
	out := objectNode(n.line, slices.Clone(n.pairs)...)
	for _, p := range of.value.pairs {
		own := stepKeys.find(p.name).name
		if !slices.ContainsFunc(n.pairs, func(q pair) bool { return stepKeys.find(q.name).name == own && own != "" }) {
			out.pairs = append(out.pairs, p)
		}
	}
	return out
}

// archonLoop puts the prompt of Archon's loop, and the command that ends it, in their places: what
// a command says is a check, after which the agent goes on as often as it may.
func (r *reader) archonLoop(f map[string]field) {
	p := f["repeat"]
	if p.none() || p.value.kind != isObject || p.value.get("prompt") == nil || f["prompt"].value != nil {
		return
	}
	f["prompt"] = field{pair{"prompt", p.line, p.value.get("prompt")}, aText}
	loop := r.fields(p.value, repeatKeys)
	ends := loop["until_bash"]
	if ends.none() {
		return
	}
	delete(f, "repeat")
	f["check"] = field{pair: pair{"check", ends.line, objectNode(ends.line, pair{"run", ends.line, ends.value})}}
	times, given := float64(cmp.Or(r.whole(loop["max"]), 10)), objectNode(p.line)
	set := func(of *node, name string, value any) {
		of.pairs = append(of.pairs, pair{name, p.line, &node{kind: isNumber, line: p.line, value: value}})
	}
	if set(given, "rounds", times-1); r.bool(loop["fresh_context"]) {
		retry := objectNode(p.line)
		set(retry, "attempts", times)
		f["retry"] = field{pair: pair{"retry", p.line, retry}}
		given.pairs = nil
		set(given, "rounds", 0.0)
		set(given, "resume", false)
	}
	f["parameters"] = field{pair{"parameters", p.line, given}, anObject}
}

// name gives a step its id and description.
func (r *reader) name(s *readStep, f map[string]field, key *pair, index int) {
	name := r.text(f["name"])
	s.Description = r.text(f["description"])
	s.Description = cmp.Or(s.Description, name)
	line := s.Line
	id, given := f["id"]
	switch {
	case key != nil:
		s.ID, line, s.Line = key.name, key.line, key.line
		if given {
			r.add(id.line, "the step's id is its key, %s; leave out 'id'", quoted(key.name))
		}
	case given && id.value.kind != isNull:
		s.ID, line = r.text(id), id.value.line
	case name != "":
		s.ID, s.derived = slug(name), name
	}
	switch {
	case s.ID == "":
		s.ID = fmt.Sprint(index + 1)
	case len(s.ID) > maxID:
		r.add(line, "the id of a step is at most %d characters long", maxID)
		s.ID = s.ID[:maxID]
	case !idForm().MatchString(s.ID) && f["undoes"].none():
		r.add(line, "%s cannot be the id of a step: an id has letters, digits, '-' and '_'%s", quoted(s.ID), orSlug(s.ID))
	}
}

// slug makes an id of a name.
func slug(name string) string {
	if idForm().MatchString(name) && len(name) <= maxID {
		return name
	}
	id := strings.Trim(notInID().ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.Trim(id[:min(len(id), maxID)], "-")
}

func orSlug(id string) string {
	if better := slug(id); better != "" {
		return ", as in " + better
	}
	return ""
}

// does reads what a step does: its action and parameters, in the long form or in
// a short one. said: another mistake says that it does nothing.
func (r *reader) does(s *readStep, f map[string]field, said bool) {
	params := objectNode(s.Line)
	if p := f["parameters"]; !p.none() {
		params.pairs = slices.Clone(p.value.pairs)
		if p.value.kind != isObject {
			r.add(p.value.line, "%s wants keys with values, not %s", p.name, p.value.kind)
		}
	}
	if p, ok := f["action"]; ok {
		s.Action, s.action = r.text(p), p.value.line
	}
	for _, short := range []struct{ key, action, parameter string }{
		{"run", "shell", "command"}, {"prompt", "agent", "prompt"}, {"approval", Approve, "message"}, {"wait", "wait", "for"}, {Child, Child, "file"},
	} {
		p, ok := f[short.key]
		if !ok {
			continue
		}
		if r.archon && p.name == "command" {
			r.add(p.line, "in a plan with 'nodes', 'command' names a file with a prompt; write the prompt itself: prompt: …")
		}
		if s.Action != "" && s.Action != short.action {
			r.add(p.line, "%s is for the action %s, and the step has the action %s", quoted(p.name), short.action, quoted(s.Action))
			continue
		}
		s.Action = short.action
		if v := p.value; short.key != "wait" && v.scalar() && v.kind != isText && v.kind != isNull {
			r.add(v.line, "%s wants a text, and %s without quotes is %s; write %s: \"%s\"", p.name, v.text, v.kind, p.name, v.text)
			continue
		}
		r.short(params, p.pair, short.parameter)
	}
	if s.Action == "" && f["action"].value == nil && !said {
		r.add(s.Line, "step %s says nothing to do; write 'run: COMMAND', 'prompt: TEXT', or 'action' with 'parameters'", s.ID)
	}
	r.surroundings(s, params, f)
	if len(params.pairs) > 0 {
		s.Parameters = params.json().(map[string]any)
	}
	for _, p := range params.pairs {
		p.value.texts(p.name, func(where string, n *node) { s.texts = append(s.texts, placed{where, n.text, n.line}) })
	}
}

// short puts the value of a short form in its parameter.
func (r *reader) short(params *node, p pair, parameter string) {
	switch {
	case p.value.kind == isObject && slices.Contains([]string{"approval", "wait", "sleep"}, p.name):
		params.pairs = append(params.pairs, p.value.pairs...)
	case params.get(parameter) != nil:
		r.add(p.line, "%s stands here and under 'parameters' too; write one of them", quoted(p.name))
	default:
		params.pairs = append(params.pairs, pair{parameter, p.line, p.value})
	}
}

// givens are the keys of a plan that are those of each step with an action.
var givens = []struct{ key, action, parameter string }{
	{"dotenv", "shell", "dotenv"}, {"container", "shell", "container"}, {"shell", "shell", "shell"}, {"provider", "agent", "agent"}, {"model", "agent", "model"}, {"defaults", "", ""},
}

// surroundings puts env, dir and shell of a step, and env of the plan, under its
// parameters.
func (r *reader) surroundings(s *readStep, params *node, f map[string]field) {
	for _, name := range []string{"dir", "shell", "dotenv", "container", "host", "inputs"} {
		p, ok := f[name]
		switch isInputs := name == "inputs"; {
		case !ok:
		case isInputs && (s.Action != Child || p.value.kind != isObject):
			r.add(p.line, "'inputs' of a step are names with values for the plan that it runs; those of this plan stand at the plan")
		default:
			r.surround(params, name, p)
		}
	}
	for _, x := range givens {
		if p := r.given[x.key]; s.Action == x.action && !p.none() && params.get(x.parameter) == nil {
			r.surround(params, x.parameter, p)
		}
	}
	own := r.variables(f["env"])
	if s.Action == "shell" {
		own = joined(r.paramsIn(params.get("command")), joined(r.env, own))
	}
	if own == nil {
		return
	}
	i := slices.IndexFunc(params.pairs, func(p pair) bool { return p.name == "env" && p.value.kind == isObject })
	if i < 0 {
		params.pairs = append(params.pairs, pair{"env", own.line, own})
		return
	}
	params.pairs[i].value = joined(own, params.pairs[i].value)
}

// paramsIn are Dagu's params that a command names as variables.
func (r *reader) paramsIn(command *node) (env *node) {
	if command == nil {
		return nil
	}
	for _, m := range shellVariable().FindAllStringSubmatch(fmt.Sprint(command.json()), -1) {
		if name := cmp.Or(m[1], m[2]); r.params[name] {
			env = joined(env, objectNode(0, pair{name, 0, textNode("${{ inputs."+name+` ?? "" }}`, 0)}))
		}
	}
	return env
}

// surround puts one of them there. Of GitHub's container there is its image.
func (r *reader) surround(params *node, name string, p field) {
	if name == "container" && p.value.kind == isObject {
		image := p.value.get("image")
		if image == nil || len(p.value.pairs) > 1 {
			r.add(p.line, "of a container there is only its image, as in container: golang:1.26; for more run it in the command: docker run …")
			return
		}
		p.value = image
	}
	r.short(params, p.pair, name)
}

// joined are the variables of both; the second leads.
func joined(a, b *node) *node {
	switch {
	case b == nil:
		return a
	case a == nil:
		return b
	}
	out := objectNode(b.line, slices.Clone(b.pairs)...)
	for _, p := range a.pairs {
		if b.get(p.name) == nil {
			out.pairs = append(out.pairs, p)
		}
	}
	return out
}

// timeout is a step's, in one of its forms.
func (r *reader) timeout(f map[string]field) Duration {
	if t, ok := f["timeout"]; ok && r.archon {
		t.form.unit = "ms"
		f["timeout"] = t
	}
	return r.firstOf(f, "both bound the step", "timeout", "timeout_minutes", "timeout_sec", "timeout_ms")
}

// undo reads what undoes a step: a command, or a step without a place of its own.
func (r *reader) undo(of readStep, p field) {
	n := p.value.asStep()
	for _, x := range n.pairs {
		switch own := stepKeys.find(x.name).name; own {
		case "id", "dependencies", "when", "undo", "undoes", "finally", "status", "for_each", "matrix", "strategy", "repeat":
			r.add(x.line, "what undoes a step has no key %s: it runs after what undoes the steps behind it", quoted(x.name))
			return
		}
	}
	u := r.step(n, &pair{name: of.ID, line: p.line}, 0)
	u.ID, u.Undoes, u.Dependencies = UndoID(of.ID), of.ID, []string{of.ID}
	r.undos = append(r.undos, u)
}
