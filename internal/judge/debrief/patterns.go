package debrief

import (
	"sync"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// knownRuns are those of the table of tools.
var knownRuns = sync.OnceValue(func() *testRuns {
	r := &testRuns{any: shell.ReadPatterns(tools.Patterns(tools.Umbrella))}
	for _, e := range tools.Ecosystems {
		r.of = append(r.of, shell.ReadPatterns(tools.TestPatterns(e.Name)))
	}
	return r
})

// ownRuns are those of the project.
func (t *turn) ownRuns() *testRuns {
	return t.runs.get(func() *testRuns {
		r := &testRuns{of: make([]shell.Patterns, len(tools.Ecosystems))}
		for _, x := range t.Tests {
			for _, text := range append([]string{x.Run}, x.Matches...) {
				if x.Ecosystem == "" {
					r.any.Add(t.pattern(text))
				}
				for i, e := range tools.Ecosystems {
					if x.Ecosystem == e.Name {
						r.of[i].Add(t.pattern(text))
					}
				}
			}
		}
		return r
	})
}

// pattern reads a pattern, once a turn.
func (t *turn) pattern(text string) shell.Pattern {
	p, ok := t.patterns[text]
	if !ok {
		p = shell.ReadPattern(text)
		t.patterns[text] = p
	}
	return p
}

// read reads patterns that many commands are held against.
func (t *turn) read(texts []string) shell.Patterns {
	var all shell.Patterns
	for _, text := range texts {
		all.Add(t.pattern(text))
	}
	return all
}
