package shell

import (
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

// Pattern is a pattern of Command.Matches, read once for many commands.
type Pattern struct {
	words []string
	forms []tools.Call
	alone bool // make --: without a target
}

// ReadPattern reads a pattern.
func ReadPattern(pattern string) Pattern {
	p := Pattern{words: wanted(pattern)}
	if len(p.words) == 0 {
		return p
	}
	p.alone = len(p.words) > 1 && p.words[len(p.words)-1] == "--"
	for i, words := range tools.Forms(p.words) {
		if i > 0 && tools.Among("test [ true false : echo", words[0]) {
			continue // pdm run test is not a test of the shell's
		}
		p.forms = append(p.forms, tools.NewCall(words))
	}
	return p
}

// wanted are the words of a pattern; of a line, its last command that does
// something.
func wanted(pattern string) []string {
	if !strings.ContainsAny(pattern, "&|;='\"$(") {
		return strings.Fields(pattern)
	}
	found, err := Parse(pattern)
	if err != nil {
		return strings.Fields(pattern)
	}
	var last []string
	for _, c := range found {
		if len(c.Words) > 0 && (last == nil || tools.Of(c.Words[0]).Does&(tools.Reads|tools.Runner) != tools.Reads) {
			last = c.Words
		}
	}
	return last
}

// Spellings are the ways to see a command, read once for many patterns.
type Spellings struct {
	forms []tools.Call
	dry   string // see Command.DryRun
}

// Spellings reads the command.
func (c Command) Spellings() Spellings {
	var s Spellings
	if len(c.Words) == 0 {
		return s
	}
	for _, words := range tools.Forms(c.Words) {
		s.forms = append(s.forms, tools.NewCall(words))
	}
	for _, form := range s.forms {
		if s.dry = form.DryRun(c.Env); s.dry != "" {
			break
		}
	}
	if len(c.argv) > len(c.Words) {
		s.forms = append(s.forms, tools.NewCall(c.argv))
	}
	return s
}

// DryRun reports whether the command's own flags keep it from doing what it is
// for: --help, --version, --dry-run, make -n, go test -c or
// -run '^$'. Such a run proves nothing.
func (c Command) DryRun() bool { return c.Spellings().dry != "" }

// Matches reports whether the command is the one that pattern names, words such
// as `go test`, `make test` or `npm run lint`. The first word must be the name
// of the program that runs; the others must be among its arguments, in order,
// whatever flags stand between. Spellings of one thing are one (`npm t`,
// `python -m unittest`, `./node_modules/.bin/tsc`). A run that proves nothing (see DryRun)
// matches only a pattern that names its flag, a build that leaves its
// tests out also one that names the program alone. `make --` is make without a target. Of a pattern that is a whole line,
// such as `cd web && CI=1 npm test`, the last command that does something counts.
// Rule: docs/spec.md, "Evidence".
func (c Command) Matches(pattern string) bool {
	return c.Spellings().Match(ReadPattern(pattern))
}

// Match reports whether the command is the one that the pattern names: see
// Command.Matches.
func (s Spellings) Match(p Pattern) bool {
	return slices.ContainsFunc(p.forms, func(want tools.Call) bool {
		return slices.ContainsFunc(s.forms, func(have tools.Call) bool { return s.match(p, want, have) })
	})
}

func (s Spellings) match(p Pattern, want, have tools.Call) bool {
	target := func(o string) bool { return !tools.Assignment(o) && !slices.Contains(want.Operands, o) }
	switch {
	case !want.Names(have), p.alone && slices.ContainsFunc(have.Operands, target):
		return false
	case s.dry == "", slices.Contains(p.words, s.dry):
		return true
	}
	return len(p.words) == 1 && tools.Among(tools.SkipsTests, s.dry)
}

// Loose is a line that Parse cannot read, cut into words.
type Loose struct {
	parts    [][]string
	programs map[string]bool // that some word may name
}

// ReadLoose cuts a line, or the beginning of a long one, into words.
func ReadLoose(line string) Loose {
	if len(line) > maxLine {
		line = line[:maxLine]
	}
	l := Loose{programs: map[string]bool{}}
	for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(";&|\n()", r) }) {
		words := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(" \t\r'\"`{}", r) })
		for _, word := range words {
			l.programs[tools.Name(word)] = true
		}
		l.parts = append(l.parts, words)
	}
	return l
}

// Match reports whether a part of the line has the words of the pattern. Parts
// that begin with a program that merely mentions commands do not count.
func (l Loose) Match(p Pattern) bool {
	if len(p.words) == 0 || !l.programs[tools.Name(p.words[0])] {
		return false
	}
	for _, words := range l.parts {
		tries := 0
		for i, word := range words {
			if strings.HasPrefix(word, "#") || tools.Of(word).Does&tools.Mentions != 0 || tries == maxDepth {
				break
			}
			if tools.Name(word) == tools.Name(p.words[0]) {
				tries++
				if (Command{Words: words[i:]}).Spellings().Match(p) {
					return true
				}
			}
		}
	}
	return false
}

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
