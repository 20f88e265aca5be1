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
	if c.sum == nil {
		var runners []*tools.Tool
		for _, cmd := range c.commands {
			if !cmd.unreadable && len(cmd.Words) > 0 && cmd.look().tests != 0 {
				runners = append(runners, tools.Of(cmd.Words[0]))
			}
		}
		out := c.Output()
		if !c.ok() {
			out = toldAsIs(out)
		}
		s := tools.Summarize(out, runners...)
		c.sum = &s
	}
	return *c.sum
}

// red tells whether a runner says that something failed.
func (c *call) red() bool {
	return c.summary().Red
}
