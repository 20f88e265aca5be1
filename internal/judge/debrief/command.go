package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// commands reads the line. A line that cannot be parsed is one command, which
// matches by its words.
func (t *turn) commands(line string) []*command { return t.commandsOf(agent.Call{Command: line}) }

// commandsOf reads a call's line; equal lines are read once.
func (t *turn) commandsOf(given agent.Call) []*command {
	line := given.Command
	if seen, ok := t.lines[line]; ok {
		return seen
	}
	var all []*command
	parsed, err := shell.Parse(t.spelled(line))
	if err != nil || given.Tool == powerShell {
		parsed, all = nil, []*command{{turn: t, line: line, text: spaced(line), unreadable: true}}
	}
	for i, c := range parsed {
		all = append(all, &command{Command: c, turn: t, line: line, at: i, text: spaced(strings.Join(c.Words, " "))})
	}
	t.lines[line] = all
	return all
}

func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// matches tells whether one of the patterns names the command.
func (c *command) matches(patterns ...string) bool {
	read := c.reading()
	return slices.ContainsFunc(patterns, func(text string) bool { return read.Match(c.turn.pattern(text)) })
}

// does tells whether the command does one of these things.
func (c *command) does(what tools.Does) bool { return c.fits(shell.Doing(what)) }

func (c *command) fits(patterns shell.Patterns) bool { return c.reading().MatchAny(patterns) }

// reading is the command as patterns are held against it.
func (c *command) reading() spelling {
	return c.read.get(func() spelling {
		if c.unreadable {
			return shell.ReadLoose(c.line)
		}
		return c.Spellings()
	})
}

// suspect tells whether the command may have failed its line: some hardly ever fail.
func (c *command) suspect() bool {
	return c.unreadable || c.name() != "" && c.MayHaveFailed() && tools.Find(c.name()).Does&tools.Trivial == 0
}

// name is the program, without its folder.
func (c *command) name() string {
	if len(c.Words) == 0 {
		return ""
	}
	return path.Base(c.Words[0])
}

// look finds the command's nature.
func (c *command) look() nature {
	return c.whole.get(func() nature {
		n := c.natureOf()
		n.tests = n.tests || c.fits(c.turn.ownRuns())
		n.checks = n.checks || n.tests
		return n
	})
}

// natureOf is the nature as far as it can be told without the project.
func (c *command) natureOf() nature {
	return c.known.get(func() nature {
		tests := c.does(tools.Umbrella) || slices.ContainsFunc(testRuns(), c.fits)
		return nature{tests: tests, checks: tests || c.does(tools.Checks)}
	})
}

// builds tells whether the command builds its project or checks its types, as
// the rule of files without tests has it.
func (c *command) builds() bool { return !c.unreadable && c.fits(c.turn.builds) }

// mayEdit tells whether the command can change more files than it names: `rm
// tmp.go` and `go test ./... > log` cannot.
func (c *command) mayEdit() bool {
	unnamed := func(path string) bool { return strings.ContainsAny(path, "$`") }
	bare := c.Command
	if !slices.ContainsFunc(bare.Writes, unnamed) {
		bare.Writes = nil
	}
	return c.unreadable || bare.MayEditOthers() || slices.ContainsFunc(bare.Edits(), unnamed)
}

// kindOf is what a command checks.
func (t *turn) kindOf(cmd *command) kind {
	switch {
	case cmd.look().tests, cmd.testScript() != "":
		return kindTests
	case cmd.builds():
		return kindBuild
	case !cmd.unreadable && cmd.look().checks:
		return kindLint
	}
	return noCheck
}

// testScript is the file of tests that an interpreter is given to run; "" for none.
func (c *command) testScript() string {
	if c.unreadable || len(c.Words) < 2 || tools.Of(c.Words[0]).Script == nil || c.DryRun() {
		return ""
	}
	for _, word := range c.Words[1:] {
		if word == "-m" {
			return "" // a module's operand, which it may only compile or format
		}
		if e := tools.OfFile(word); e != nil && e.Holds(word) && !strings.HasPrefix(word, "-") {
			return joined(c.Dir, word)
		}
	}
	return ""
}
