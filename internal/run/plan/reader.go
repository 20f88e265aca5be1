package plan

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/nearest"
)

// reader reads a plan's tree; what is wrong goes to its slips.
type reader struct {
	slips
	saved   bool             // it is part of a run's saved state
	deep    int              // how many plans it stands in
	archon  bool             // the file has Archon's "nodes": its words differ in places
	undone  bool             // a step names what undoes it in a word that means: when a later one fails
	params  map[string]bool  // the inputs, where the file has Dagu's "params": commands read them as variables
	env     *node            // of the plan, for its commands
	given   map[string]field // keys of the plan that are those of each step
	read    []readStep
	undos   []readStep     // those that undo others
	indexed map[string]int // ids of the steps
	actions Known
	notes   []string
}

// readStep is a step as it was read, with the places of its texts.
type readStep struct {
	Step
	texts     []placed // of its parameters
	needs     field
	when      field
	action    int // the line of its action
	checks    []placed
	each      []placed // the expressions and texts of for_each, matrix and repeat
	checkLine int
	derived   string // the name its id was made of
	done      bool   // the file calls it completed
}

// placed is a text with its place.
type placed struct {
	where string
	text  string
	line  int
}

var (
	variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
	notInID      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z0-9_]+`) })
)

// fields are the values of an object by our own names. It reports unknown keys,
// refused ones, and two names for one key.
func (r *reader) fields(n *node, k keys) map[string]field {
	got := map[string]field{}
	if n.kind != isObject {
		r.add(n.line, "%s wants keys with values, not %s", k.what, n.kind)
		return got
	}
	for _, p := range n.pairs {
		own := k.find(p.name)
		switch first, twice := got[own.name]; {
		case own.name == "":
			r.unknown(p, k)
		case twice:
			r.add(p.line, "%s and %s are the same key; write one of them", quoted(first.name), quoted(p.name))
		default:
			got[own.name] = field{p, own.form}
		}
	}
	for _, x := range k.list {
		if p := got[x.name]; k.within[x.name] != "" && !p.none() {
			into(got, p, k.within[x.name])
		}
	}
	return got
}

// into puts a value into the object that its key is short for: retries into retry.
func into(got map[string]field, p field, to string) {
	of, name, _ := strings.Cut(to, ".")
	v, whole := p.value, got[of]
	if v.kind == isNumber && p.form.unit != "" {
		v = textNode(v.text+p.form.unit, v.line)
	}
	pairs := []pair{{name, p.line, v}}
	switch {
	case whole.none():
		whole.pair = pair{of, p.line, objectNode(p.line)}
	case whole.value.kind != isObject && of == "schedule":
		pairs = append(pairs, pair{"cron", whole.line, whole.value})
	case whole.value.kind != isObject: // which its reader says
		return
	}
	whole.value = objectNode(whole.value.line, append(pairs, whole.value.pairs...)...)
	got[of] = whole
}

// unknown reports a key that nobody knows, or that other programs know.
func (r *reader) unknown(p pair, k keys) {
	if so, ok := k.told[p.name]; ok {
		r.notes = append(r.notes, fmt.Sprintf("%s%s is not read: %s", r.at(p.line), quoted(p.name), so))
		return
	}
	if instead, ok := k.refused[p.name]; ok {
		r.add(p.line, "%s has no key %s: %s", k.what, quoted(p.name), instead)
		return
	}
	names := k.all()
	if best := nearest.Name(p.name, names); best != "" {
		r.add(p.line, "%s has no key %s; did you mean %s?", k.what, quoted(p.name), quoted(best))
		return
	}
	var own []string
	for _, x := range k.list {
		own = append(own, x.name)
	}
	slices.Sort(own)
	r.add(p.line, "%s has no key %s; there are %s", k.what, quoted(p.name), strings.Join(own, ", "))
}

// text is a value that is one text; numbers and truth are taken as they are
// written, where the key's form has them.
func (r *reader) text(p field) string {
	v := p.value
	if p.none() {
		return ""
	}
	if slices.Contains(p.form.kinds, v.kind) {
		return v.text
	}
	more := ""
	if v.scalar() {
		more = "; put it in quotes"
	}
	r.add(v.line, "%s wants a text, not %s%s", p.name, v.kind, more)
	return ""
}

// bool is true or false.
func (r *reader) bool(p field) bool {
	if p.none() {
		return false
	}
	b, ok := p.value.value.(bool)
	if !ok {
		r.add(p.value.line, "%s wants true or false, not %s", p.name, p.value.kind)
	}
	return b
}

// whole is a whole number; 0 where there is none.
func (r *reader) whole(p field) int64 {
	if p.none() {
		return 0
	}
	f, ok := p.value.value.(float64)
	switch {
	case !ok:
		r.add(p.value.line, "%s wants a whole number, not %s", p.name, p.value.kind)
	case f != math.Trunc(f):
		r.add(p.value.line, "%s wants a whole number, not a fraction", p.name)
	case f < float64(p.form.least), f > float64(p.form.most):
		r.add(p.value.line, "%s must be from %d to %d", p.name, p.form.least, p.form.most)
	default:
		return int64(f)
	}
	return 0
}

// number is a number that is 0 or more.
func (r *reader) number(p field) float64 {
	if p.none() {
		return 0
	}
	f, ok := p.value.value.(float64)
	if !ok || f <= 0 {
		r.add(p.value.line, "%s wants a number above 0", p.name)
		return 0
	}
	return f
}

// duration is a time; a bare number is of its form's unit.
func (r *reader) duration(p field) Duration {
	if p.none() {
		return 0
	}
	text := p.value.text // "" of what is no scalar
	if p.value.kind == isNumber {
		text += p.form.unit
	}
	d, err := parseDuration(text)
	if err != nil {
		r.add(p.value.line, "%s: %v", p.name, err)
	}
	return d
}

// names is a list of texts, or one text; numbers are taken as they are written.
func (r *reader) names(p field) []string {
	if p.none() {
		return nil
	}
	var list []string
	for _, x := range p.value.list() {
		switch {
		case x.kind != isText && x.kind != isNumber:
			r.add(x.line, "%s wants texts, not %s", p.name, x.kind)
		case !slices.Contains(list, x.text):
			list = append(list, x.text)
		}
	}
	return list
}

// one is a value out of a few.
func (r *reader) one(p field) string {
	text := r.text(p)
	if text == "" || slices.Contains(p.form.words, text) {
		return text
	}
	r.add(p.value.line, "%s is %s%s", p.name, quoted(text), DidYouMean(text, p.form.words))
	return ""
}

// variables are an environment: names with values, or a list of these, or of
// texts NAME=VALUE, or a text of these.
func (r *reader) variables(p field) *node {
	v := p.value
	if p.none() {
		return nil
	}
	out := &node{kind: isObject, line: v.line}
	items := v.items
	switch v.kind {
	case isObject:
		items = []*node{v}
	case isList:
	case isText:
		for word := range strings.FieldsSeq(v.text) {
			items = append(items, textNode(word, v.line))
		}
	default:
		r.add(v.line, "%s wants names with values, not %s", p.name, v.kind)
	}
	for _, x := range items {
		pairs := x.pairs
		if name, value, is := strings.Cut(x.text, "="); x.kind == isText && is {
			pairs = []pair{{name, x.line, textNode(value, x.line)}}
		} else if x.kind != isObject {
			r.add(x.line, "%s wants names with values, as in {NAME: value}", p.name)
		}
		for _, q := range pairs {
			r.variable(out, q)
		}
	}
	return out
}

// variable puts a variable into an environment.
func (r *reader) variable(env *node, q pair) {
	switch {
	case !variableName().MatchString(q.name):
		r.add(q.line, "%s is not a name of an environment variable", quoted(q.name))
	case !q.value.scalar():
		r.add(q.line, "the variable %s wants a text, not %s", q.name, q.value.kind)
	default:
		env.pairs = append(env.pairs, pair{q.name, q.line, textNode(r.expanded(q, env), q.value.line)})
	}
}

var shellVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(?:\{(\w+)\}|([A-Za-z_]\w*))`) })

// expanded is the value of a variable with those that it names, of the same environment, the
// plan's, or Dagu's params. Nothing else is known before a step runs.
func (r *reader) expanded(q pair, env *node) string {
	return shellVariable().ReplaceAllStringFunc(q.value.text, func(found string) string {
		name := strings.Trim(found, "${}")
		for _, of := range []*node{env, r.env} {
			if of != nil && of.get(name) != nil {
				return of.get(name).text
			}
		}
		if r.params[name] {
			return "${{ inputs." + name + ` ?? "" }}`
		}
		if strings.HasPrefix(found, "${") {
			r.add(q.line, "the variable %s: %s is not known here; write ${{ inputs.%[3]s }}, or ${env:%[3]s} for one of Piton's own environment, or set it in the command, where the shell knows it: run: %[1]s=\"%[2]s\" …", q.name, found, name)
		}
		return found
	})
}

// condition is an expression, also in ${{ … }}, or with such in it.
func (r *reader) condition(p field) string {
	text := strings.TrimSpace(r.text(p))
	parts, err := split(text)
	if err != nil || !strings.Contains(text, "${{") || strings.Contains(text, "${env:") {
		return text // what is wrong in it is said where it is compiled
	}
	if strings.Count(outsideQuotes(text), "${{") == 0 {
		r.add(p.line, "%s: a value stands in quotes, and would be a text; write it without: inputs.a == \"x\"", p.name)
	}
	if len(parts) == 1 {
		return parts[0].expr
	}
	var b strings.Builder
	for _, x := range parts {
		if b.WriteString(x.text); x.expr != "" {
			b.WriteString("(" + x.expr + ")")
		}
	}
	return b.String()
}
