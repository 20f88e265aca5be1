package debrief

import (
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// kindOf is what a command checks.
func (t *turn) kindOf(cmd *command) kind {
	switch {
	case cmd.look().tests != 0, cmd.testScript() != "":
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
		if e := tools.OfFile(word); e != nil && e.Holds(word) && !strings.HasPrefix(word, "-") {
			return joined(c.Dir, word)
		}
	}
	return ""
}
