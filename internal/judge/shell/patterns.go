package shell

import (
	"slices"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

// Patterns are many patterns, read once and found by the programs that they
// name: a command is held against those of its own program only. A turn has
// hundreds of commands, and there are hundreds of patterns.
type Patterns struct {
	heads  map[string][]Pattern // by the program of each form
	firsts map[string][]Pattern // by their first word, for Loose
}

// ReadPatterns reads patterns.
func ReadPatterns(texts []string) Patterns {
	var ps Patterns
	for _, text := range texts {
		ps.Add(ReadPattern(text))
	}
	return ps
}

var (
	doingMu sync.Mutex
	doing   = map[tools.Does]Patterns{}
)

// Doing are the commands of the table that do one of these things. They are read
// once.
func Doing(what tools.Does) Patterns {
	doingMu.Lock()
	defer doingMu.Unlock()
	known, ok := doing[what]
	if !ok {
		known = ReadPatterns(tools.Patterns(what))
		doing[what] = known
	}
	return known
}

// Add adds a pattern.
func (ps *Patterns) Add(p Pattern) {
	if len(p.words) == 0 {
		return
	}
	if ps.heads == nil {
		ps.heads, ps.firsts = map[string][]Pattern{}, map[string][]Pattern{}
	}
	for i, form := range p.forms {
		if !slices.ContainsFunc(p.forms[:i], func(before tools.Call) bool { return before.Head == form.Head }) {
			ps.heads[form.Head] = append(ps.heads[form.Head], p)
		}
	}
	first := tools.Name(p.words[0])
	ps.firsts[first] = append(ps.firsts[first], p)
}

// MatchAny is Match for any of the patterns.
func (s Spellings) MatchAny(ps Patterns) bool { return s.MatchBoth(s, ps) }

// MatchBoth reports whether one of the patterns names both commands.
func (s Spellings) MatchBoth(other Spellings, ps Patterns) bool {
	both := func(p Pattern) bool { return s.Match(p) && other.Match(p) }
	return slices.ContainsFunc(s.forms, func(have tools.Call) bool { return slices.ContainsFunc(ps.heads[have.Head], both) })
}

// MatchAny is Match for any of the patterns.
func (l Loose) MatchAny(ps Patterns) bool {
	for program := range l.programs {
		if slices.ContainsFunc(ps.firsts[program], l.Match) {
			return true
		}
	}
	return false
}
