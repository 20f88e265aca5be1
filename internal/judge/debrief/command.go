package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// commands reads the line. A line that cannot be parsed is one command, which
// matches by its words.
func (t *turn) commands(line string) []*command {
	if seen, ok := t.lines[line]; ok {
		return seen
	}
	var parsed []shell.Command
	var err error
	var all []*command
	if !contained(func() { parsed, err = shell.Parse(line) }) || err != nil {
		all = []*command{{turn: t, line: line, text: spaced(line), unreadable: true}}
	}
	for i, c := range parsed {
		all = append(all, &command{Command: c, turn: t, line: line, at: i, text: spaced(strings.Join(c.Words, " "))})
	}
	t.lines[line] = all
	return all
}

func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// testRuns are, for each language, the patterns of all that runs its tests.
func (t *turn) testRuns() [][]string {
	if t.testsOf != nil {
		return t.testsOf
	}
	for _, e := range tools.Ecosystems {
		patterns := slices.Concat(tools.TestPatterns(e.Name), tools.Patterns(tools.Umbrella))
		for _, x := range t.Tests {
			if x.Ecosystem == "" || x.Ecosystem == e.Name {
				patterns = append(append(patterns, x.Run), x.Matches...)
			}
		}
		t.testsOf = append(t.testsOf, patterns)
	}
	return t.testsOf
}

// read reads patterns, each once a turn: there are many commands.
func (t *turn) read(texts []string) []*shell.Pattern {
	list := make([]*shell.Pattern, len(texts))
	for i, text := range texts {
		if t.patterns[text] == nil {
			p := shell.ReadPattern(text)
			t.patterns[text] = &p
		}
		list[i] = t.patterns[text]
	}
	return list
}

// matches tells whether one of the patterns names the command.
func (c *command) matches(patterns ...string) bool { return c.fits(c.turn.read(patterns)) }

// does tells whether the command does one of these things.
func (c *command) does(what tools.Does) bool { return c.matches(tools.Patterns(what)...) }

func (c *command) fits(patterns []*shell.Pattern) bool {
	switch {
	case c.read != nil:
	case c.unreadable:
		c.read = shell.ReadLoose(c.line)
	default:
		c.read = c.Spellings()
	}
	return slices.ContainsFunc(patterns, func(p *shell.Pattern) bool { return c.read.Match(*p) })
}

// suspect tells whether the command may have failed its line.
func (c *command) suspect() bool {
	return c.unreadable || len(c.Words) > 0 && c.MayHaveFailed() && !c.trivial()
}

// name is the program, without its folder.
func (c *command) name() string {
	if len(c.Words) == 0 {
		return ""
	}
	return path.Base(c.Words[0])
}

// idle tells whether the command failed because there was nothing to do.
func (c *command) idle(output string) bool {
	low := strings.ToLower(output[:min(len(output), 4*headShown)])
	return containsAny(low, tools.Find(c.name()).Output.Done...) && (c.name() == "git" || !strings.Contains(low, "denied"))
}

// trivial tells commands that hardly ever fail.
func (c *command) trivial() bool {
	return c.name() == "" || tools.Find(c.name()).Does&tools.Trivial != 0
}

// look finds the command's nature.
func (c *command) look() nature {
	if c.nature.known {
		return c.nature
	}
	n := nature{known: true}
	n.probes = c.name() == "command" || c.does(tools.Probes) // command -v, else the parser would have taken it off
	n.asks, n.calls, n.inline = c.does(tools.Asks), c.does(tools.Talks), c.does(tools.Program)
	n.looks = !c.unreadable && !c.MayEdit() && c.does(tools.Prints)
	for i, patterns := range c.turn.testRuns() {
		if c.matches(patterns...) {
			n.tests |= 1 << i
		}
	}
	n.checks = n.tests != 0 || c.does(tools.Checks)
	c.nature = n
	return n
}

// mayEdit tells whether the command can change more files than it names: `rm
// tmp.go` and `go test ./... > log` cannot.
func (c *command) mayEdit() bool {
	if c.unreadable {
		return true
	}
	bare := c.Command
	if !slices.ContainsFunc(bare.Writes, func(w string) bool { return strings.ContainsAny(w, "$`") }) {
		bare.Writes = nil
	}
	unnamed := func(path string) bool { return strings.ContainsAny(path, "$`") }
	return bare.MayEditOthers() || slices.ContainsFunc(bare.Edits(), unnamed)
}
