package plan

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton"
)

// verify holds the steps against each other and against the actions.
func (r *reader) verify(p *Plan) {
	r.ids()
	r.dependencies()
	if !r.saved { // there each names what it depends on
		r.last()
	}
	for i := range r.read {
		p.Steps[i] = r.read[i].Step
	}
	if cycle := cycle(p.Steps); len(cycle) > 0 {
		at := r.read[r.indexed[cycle[0]]]
		line := at.Line
		if at.needs.line > 0 {
			line = at.needs.line
		}
		r.add(line, "the steps depend on each other in a cycle: %s", strings.Join(append(cycle, cycle[0]), " needs "))
	}
	in := frame{inputs: p.inputNames()}
	needs := dependencies(p.Steps)
	for i := range r.read {
		s := &r.read[i]
		in.own = r.ownNames(s)
		h := holder{reader: r, step: s, in: in, before: sync.OnceValue(func() map[string]bool { return ancestors(needs, s.ID) })}
		h.texts()
		h.conditions()
		h.each()
		r.action(s)
	}
}

// ids reports ids that stand twice.
func (r *reader) ids() {
	r.indexed = map[string]int{}
	for i, s := range r.read {
		if first, twice := r.indexed[s.ID]; twice {
			from := ""
			if s.derived != "" {
				from = "; give it an 'id' of its own"
			}
			r.add(s.Line, "the id %s stands here twice; the first is in line %d%s", quoted(s.ID), r.read[first].Line, from)
			continue
		}
		r.indexed[s.ID] = i
	}
}

// dependencies finds what each step depends on, by its id or by the name that its
// id was made of.
func (r *reader) dependencies() {
	byName := map[string]string{}
	var names []string
	for _, s := range r.read {
		names = append(names, s.ID)
		if s.derived != "" {
			byName[s.derived] = s.ID
		}
	}
	for i := range r.read {
		s := &r.read[i]
		var known []string
		for _, need := range s.Dependencies {
			id := need
			if _, ok := r.indexed[id]; !ok {
				id = byName[need]
			}
			line := needLine(s.needs.pair, need)
			switch {
			case id == "":
				more := DidYouMean(need, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == s.ID }))
				if strings.ContainsAny(need, "&|!,") {
					more = "; write the ids as a list: [a, b], and what must hold as 'when'"
				}
				r.add(line, "step %s depends on %s, which is not a step%s", s.ID, quoted(need), more)
			case id == s.ID:
				r.add(line, "step %s depends on itself", s.ID)
			case !slices.Contains(known, id):
				known = append(known, id)
			}
		}
		s.Dependencies = known
	}
}

// needLine is the line of one dependency.
func needLine(p pair, need string) int {
	if p.value != nil {
		for _, x := range p.value.items {
			if x.text == need {
				return x.line
			}
		}
	}
	return p.line
}

// cycle is a cycle of steps, each with the next one as its dependency; nil where
// there is none.
func cycle(steps []Step) []string {
	needs := map[string][]string{}
	for _, s := range steps {
		if _, twice := needs[s.ID]; !twice {
			needs[s.ID] = s.Dependencies
		}
	}
	done, on := map[string]bool{}, map[string]bool{}
	var path []string // those that are on
	var visit func(id string) []string
	visit = func(id string) []string {
		switch {
		case on[id]:
			return path[slices.Index(path, id):]
		case done[id]:
			return nil
		}
		done[id], on[id], path = true, true, append(path, id)
		for _, next := range needs[id] {
			if found := visit(next); found != nil {
				return found
			}
		}
		on[id], path = false, path[:len(path)-1]
		return nil
	}
	for _, s := range steps {
		if found := visit(s.ID); found != nil {
			return found
		}
	}
	return nil
}

// action holds a step against its action.
func (r *reader) action(s *readStep) {
	if len(s.Check) > 0 && slices.Contains(Fixed, s.Action) {
		r.add(s.checkLine, "step %s: a check is for the step of an agent; write it as a step of its own, with 'needs'", s.ID)
	}
	if r.actions == nil || s.Action == "" {
		return
	}
	check, ok := r.actions[s.Action]
	if !ok {
		r.add(s.action, "step %s: there is no action %s%s", s.ID, quoted(s.Action), DidYouMean(s.Action, slices.Collect(maps.Keys(r.actions))))
		return
	}
	if check == nil {
		return
	}
	if err := check(s.Step); err != nil {
		r.add(r.lineOf(s, err), "step %s: %s", s.ID, reason(err))
	}
}

// lineOf is where a mistake of a step's parameters stands: at the parameter that
// it names first, else at the step's action.
func (r *reader) lineOf(s *readStep, err error) int {
	line, first := s.action, -1
	for _, t := range s.texts {
		name, _, _ := strings.Cut(t.where, ".")
		if at := strings.Index(err.Error(), "\""+name+"\""); at >= 0 && (first < 0 || at < first) {
			line, first = t.line, at
		}
	}
	return line
}

// reason is an error without what was tried, with its hint.
func reason(err error) string {
	text := err.Error()
	var e *piton.Error
	if errors.As(err, &e) {
		if e.Err != nil {
			text = e.Err.Error()
		}
		if e.Hint != "" {
			text += "; " + e.Hint
		}
	}
	return strings.ReplaceAll(text, "\n", " ")
}
