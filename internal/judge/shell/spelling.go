package shell

import "slices"

// Pattern is a pattern of Command.Matches, read once for many commands.
type Pattern struct {
	words []string
	forms []spelled
	alone bool // make --: without a target
}

// ReadPattern reads a pattern.
func ReadPattern(pattern string) Pattern {
	p := Pattern{words: wanted(pattern)}
	if len(p.words) == 0 {
		return p
	}
	p.alone = len(p.words) == 2 && p.words[1] == "--"
	for i, words := range forms(p.words) {
		if i > 0 && among("test [ true false : echo", words[0]) {
			continue // pdm run test is no test of the shell's
		}
		p.forms = append(p.forms, canonical(words))
	}
	return p
}

// Spellings are the ways to see a command, read once for many patterns.
type Spellings struct {
	forms []spelled
	dry   string // see Command.dry
}

// Spellings reads the command.
func (c Command) Spellings() Spellings {
	var s Spellings
	if len(c.Words) == 0 {
		return s
	}
	s.forms = spell(c.Words)
	s.dry = c.firstDry(s.forms)
	if len(c.argv) > len(c.Words) {
		s.forms = append(s.forms, canonical(c.argv))
	}
	return s
}

func spell(words []string) []spelled {
	var list []spelled
	for _, form := range forms(words) {
		list = append(list, canonical(form))
	}
	return list
}

// Programs are the names by which the first word of a pattern may name the
// command: the program that does the work and all that runs it.
func (s Spellings) Programs() []string {
	names := make([]string, len(s.forms))
	for i, f := range s.forms {
		names[i] = f.head
	}
	return names
}

// Match reports whether the command is the one that the pattern names: see
// Command.Matches.
func (s Spellings) Match(p Pattern) bool {
	for _, want := range p.forms {
		for _, have := range s.forms {
			if want.head == have.head && s.match(p, want, have) {
				return true
			}
		}
	}
	return false
}

func (s Spellings) match(p Pattern, want, have spelled) bool {
	if !names(want, have) || p.alone && slices.ContainsFunc(have.operands, func(o string) bool { return !assignment(o) }) {
		return false
	}
	return s.dry == "" || slices.Contains(p.words, s.dry) || len(p.words) == 1 && among("-x --exclude-task -DskipTests -Dmaven.test.skip", s.dry)
}
