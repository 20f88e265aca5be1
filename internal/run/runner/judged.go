package runner

import (
	"maps"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/run/plan"
)

// judged are the steps whose work an approval judges: on each way up from it the nearest
// one that can take up a person's words. A test between them takes none: it runs again
// because it depends on them. Where no step of a way can, it is the approval's own
// dependency.
func judged(p plan.Plan, i int, effect func(plan.Step) plan.Effect) map[int]bool {
	found := map[int]bool{}
	for _, id := range p.Steps[i].Dependencies {
		d := p.Index(id)
		works := map[int]bool{}
		up(p, d, effect, works, map[int]bool{})
		if len(works) == 0 {
			works[d] = true
		}
		maps.Copy(found, works)
	}
	return found
}

// up goes the ways up from a step to those that take words.
func up(p plan.Plan, d int, effect func(plan.Step) plan.Effect, works, seen map[int]bool) {
	if seen[d] {
		return
	}
	seen[d] = true
	if takesWords(p.Steps[d], effect) {
		works[d] = true
		return
	}
	for _, id := range p.Steps[d].Dependencies {
		up(p, p.Index(id), effect, works, seen)
	}
}

// takesWords tells whether a step does work that words can change: an agent's, that of a
// Go function which is not pure, and that of a command which names PITON_WORDS.
func takesWords(s plan.Step, effect func(plan.Step) plan.Effect) bool {
	if !slices.Contains(plan.Fixed, s.Action) {
		return effect(s) != plan.Pure
	}
	text, err := encode(s.Parameters)
	return err == nil && strings.Contains(string(text), "PITON_WORDS")
}
