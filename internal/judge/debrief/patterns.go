package debrief

import (
	"slices"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// ownRuns are the patterns of what runs tests, as the project has it.
func (t *turn) ownRuns() shell.Patterns {
	return t.runs.get(func() shell.Patterns {
		var texts []string
		for _, x := range t.Tests {
			texts = append(append(texts, x.Run), x.Matches...)
		}
		return t.read(texts)
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

// ecosystemOf is whose tests a line runs; "" where that is no single one, or the line
// cannot be parsed.
func ecosystemOf(line string) string {
	found, _ := shell.Parse(line)
	return ecosystemOfAll(found)
}

// ecosystemOfAll is whose tests the commands run that run any; "" where that is no
// single one.
func ecosystemOfAll(commands []shell.Command) string {
	var of []string
	for _, c := range commands {
		spelled := c.Spellings()
		for i, e := range tools.Ecosystems {
			if len(c.Words) > 0 && spelled.MatchAny(testRuns()[i]) {
				of = union(of, e.Name)
			}
		}
	}
	if len(of) != 1 {
		return ""
	}
	return of[0]
}

// sole are the test commands, each umbrella with whose tests it runs: where all
// that it comes to is known and of one ecosystem, it says nothing of another's code.
func (in Input) sole() []Test {
	all := slices.Clone(in.Tests)
	for i, x := range all {
		if x.Ecosystem != "" || x.Accepted || in.Expand == nil {
			continue
		}
		if found, _ := shell.Parse(x.Run); len(found) == 1 {
			if runs, read := in.Expand(x.Dir, found[0].Argv()); read {
				all[i].only = ecosystemOfRuns(runs)
			}
		}
	}
	return all
}

// ecosystemOfRuns is whose tests all of the runs are; "" where one is another's, or
// nobody's.
func ecosystemOfRuns(runs []Run) string {
	var of []string
	for _, r := range runs {
		of = union(of, ecosystemOfAll([]shell.Command{{Words: r.Words}}))
	}
	if len(of) != 1 {
		return ""
	}
	return of[0]
}
