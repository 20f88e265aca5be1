package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// more reads how often a step runs.
func (r *reader) more(s *readStep, f map[string]field) {
	if p := f["parallel"]; !p.none() && (p.value.kind == isObject || p.value.kind == isList) {
		r.add(p.line, "%s of a step is how many items run at once; the items stand under 'for_each', as in for_each: [a, b], and what they are given is 'item'", p.name)
		return
	}
	s.Parallel, s.FailFast = int(r.whole(f["parallel"])), r.bool(f["fail_fast"])
	list, matrix := f["for_each"], f["matrix"]
	if p := f["strategy"]; !p.none() {
		g := r.fields(p.value, strategyKeys)
		matrix, s.Parallel = g["matrix"], max(s.Parallel, int(r.whole(g["max-parallel"])))
		s.FailFast = g["fail-fast"].none() || r.bool(g["fail-fast"])
	}
	s.ForEach, s.Matrix = r.each(s, list), r.each(s, matrix)
	switch {
	case s.ForEach != nil && s.Matrix != nil:
		r.add(matrix.line, "for_each and matrix both say what the step runs for; write one of them")
	case !s.IsEach() && s.Parallel+len(f["fail_fast"].name) > 0:
		r.add(s.Line, "'parallel' and 'fail_fast' at a step are for one with for_each or matrix; for the steps of the plan write 'parallel' at the plan")
	}
	if p := f["repeat"]; !p.none() {
		if s.Repeat = r.repeat(p); s.Action == Wait || s.Action == Approve {
			r.add(p.line, "a step that waits is not repeated; write it in a plan of its own, with 'repeat' at the step that runs that: plan: FILE")
		}
	}
}

// strategyKeys are those of GitHub's strategy.
var strategyKeys = keys{what: "strategy", list: []key{
	{"matrix", nil, aMatrix, ""}, {"max-parallel", nil, count(1, MaxParallel), ""}, {"fail-fast", nil, aBool, ""},
}}

// each reads what a step runs for: a list, an object, or an expression.
func (r *reader) each(s *readStep, p field) any {
	if p.none() {
		return nil
	}
	if p.value.kind == isText {
		text := r.condition(p)
		s.each = append(s.each, placed{p.name, text, p.line})
		return text
	}
	isRange := p.value.kind == isObject && p.name != "matrix"
	if !slices.Contains(p.form.kinds, p.value.kind) || isRange && p.value.get("to") == nil {
		r.add(p.line, "%s wants %s, or an expression that brings it", p.name, map[bool]string{true: "names with lists, as in {os: [linux, mac]}", false: "a list, or a range as in {from: 1, to: 10}"}[p.name == "matrix"])
		return nil
	}
	for _, x := range p.value.keys() {
		if isRange && !slices.Contains([]string{"from", "to", "step"}, x.name) {
			r.add(x.line, "a range has from, to and step, and no %s", quoted(x.name))
		}
	}
	open := false
	p.value.texts(p.name, func(where string, n *node) {
		s.each = append(s.each, placed{"in " + where, n.text, n.line})
		open = open || hasValue(n.text)
	})
	of := p.value.json()
	made := Step{ForEach: of}
	if p.name == "matrix" {
		made = Step{Matrix: of}
	}
	if !open {
		if _, err := Items(made, Resolver{}); err != nil {
			r.add(p.line, "%s: %v", p.name, err)
		}
	}
	return of
}

// repeat reads until when a step runs again.
func (r *reader) repeat(p field) Repeat {
	f := r.fields(p.value, repeatKeys)
	if q := f["prompt"]; !q.none() && !r.archon {
		r.add(q.line, "the prompt stands at the step, beside 'repeat'")
	}
	if q := f["fresh_context"]; q.text() == "false" {
		r.add(q.line, "each time is a session of its own; in one session an agent goes on with a check: check: COMMAND, parameters: {rounds: N}")
	}
	t := Repeat{Until: r.condition(f["until"]), While: r.condition(f["while"]), Max: int(r.whole(f["max"])), Delay: r.firstOf(f, "are the same", "delay", "interval_sec")}
	if r.archon && idForm().MatchString(t.Until) {
		t.Until = "output.text contains " + strconv.Quote(t.Until)
	}
	if (t.Until == "") == (t.While == "") {
		r.add(p.line, "repeat wants 'until' or 'while', an expression over output, as in repeat: {until: output contains \"done\", max: 5}")
	}
	return t
}

// UndoID is the id of the step that undoes another one. No id of a file has a dot.
func UndoID(step string) string { return step + ".undo" }

// ItemID is the id of the step that runs for one item, counted from 0.
func ItemID(step string, item int) string { return fmt.Sprintf("%s.%d", step, item) }

// last puts the plan's last steps behind all others, in their order.
func (r *reader) last() {
	needed := map[string]bool{}
	for _, s := range r.read {
		for _, d := range s.Dependencies {
			needed[d] = needed[d] || !s.Finally && s.Undoes == ""
		}
	}
	var ends []string
	for _, s := range r.read {
		if !s.Finally && s.Undoes == "" && !needed[s.ID] {
			ends = append(ends, s.ID)
		}
	}
	before := ends
	for i := range r.read {
		s := &r.read[i]
		if !s.Finally {
			continue
		}
		if len(s.Dependencies) > 0 {
			before = ends
		}
		for _, d := range before {
			if !slices.Contains(s.Dependencies, d) && d != s.ID {
				s.Dependencies = append(s.Dependencies, d)
			}
		}
		before = []string{s.ID}
		switch {
		case s.When == "":
			s.When = "always()"
		case !strings.HasPrefix(s.When, "always()"):
			s.When = "always() && (" + s.When + ")"
		}
	}
}

// ownNames are the names that only a step's own expressions have; what undoes a step has
// those of its item.
func (r *reader) ownNames(s *readStep) []string {
	if i, ok := r.indexed[s.Undoes]; ok && s.Undoes != "" {
		of := r.read[i].Step
		of.Repeat = Repeat{}
		return of.own()
	}
	return s.own()
}

// each holds what says how often a step runs.
func (h *holder) each() {
	in := h.in
	in.own = nil
	for _, t := range h.step.each {
		if !strings.HasPrefix(t.where, "in ") {
			h.expression(t, t.text, in)
			continue
		}
		parts, err := split(t.text)
		h.wrong(t, err)
		for _, p := range parts {
			if p.variable != "" {
				h.wrong(t, errItemSecret)
			} else if p.expr != "" {
				h.expression(t, p.expr, in)
			}
		}
	}
	for name, text := range map[string]string{"repeat.until": h.step.Repeat.Until, "repeat.while": h.step.Repeat.While} {
		if text != "" {
			in := h.in
			in.output = true
			h.expression(placed{name, text, h.step.Line}, text, in)
		}
	}
	if of := h.step.Undoes; of != "" && h.step.ID != UndoID(of) {
		h.wrong(placed{"undoes", of, h.step.Line}, errors.New("write it at the step that is undone, under undo"))
	}
}
