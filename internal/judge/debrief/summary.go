package debrief

import (
	"slices"

	"github.com/piton-project/piton/internal/judge/tools"
)

// tests tells whether a command of the line runs tests.
func (c *call) tests() bool {
	return slices.ContainsFunc(c.commands, func(cmd *command) bool { return cmd.look().tests != 0 })
}

// ok tells whether the line succeeded.
func (c *call) ok() bool { return !c.Failed && (c.ExitCode == nil || *c.ExitCode == 0) }

// summary is what the output says, over all its lines.
func (c *call) summary() tools.Summary {
	return c.sum.get(func() tools.Summary { return tools.Summarize(c.printed(), c.runners()...) })
}

// runners are the programs of the line that run tests.
func (c *call) runners() (all []*tools.Tool) {
	for _, cmd := range c.commands {
		if !cmd.unreadable && len(cmd.Words) > 0 && cmd.look().tests != 0 {
			all = append(all, tools.Of(cmd.Words[0]))
		}
	}
	return all
}

// printed is the output without what the client itself wrote of a failure.
func (c *call) printed() string {
	if c.ok() {
		return c.Output()
	}
	return toldAsIs(c.Output())
}

// impossible reports whether the output says that the command could not begin: its
// program, or what it needs, is not here, or the line was wrong.
func (c *call) impossible() bool {
	out := told(c.Output())
	return saysNoRun.said(out[:min(len(out), 2*headShown)])
}

// headShown is how much of an output says why a command could not begin.
const headShown = 500

// errs reports an error by structure; a person's no is none.
func (c *call) errs() bool {
	return !c.Interrupted && !c.ok() && !saysRefused.said(c.Call.Output[:min(len(c.Call.Output), headShown)])
}

// Output is what the call has printed, without secrets: it may be quoted. It
// hides the field, which may hold some.
func (c *call) Output() string {
	return c.clean.get(func() string {
		if c.turn.Clean == nil {
			return c.Call.Output
		}
		return c.turn.Clean(c.Call.Output)
	})
}
