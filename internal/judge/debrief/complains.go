package debrief

import (
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// complains tells whether the call's line hides the status of a build or a check
// of types, whose output names errors in files that the turn changed.
func (c *call) complains() bool {
	checks := slices.ContainsFunc(c.commands, func(cmd *command) bool {
		n := cmd.look()
		return !cmd.unreadable && n.checks && n.tests == 0 && (c.Unsure || cmd.Succeeded(true) == shell.Unknown) && !cmd.Silenced()
	})
	if !checks || c.Background || c.Interrupted || c.tests() || c.failureMark() == "" {
		return false
	}
	out := tools.Uncoloured(c.Output())
	return slices.ContainsFunc(c.turn.files, func(f file) bool {
		return slices.ContainsFunc(strings.Split(out, "\n"), func(line string) bool {
			at := strings.Index(line, f.Path)
			return at >= 0 && strings.Contains(strings.ToLower(line[at:]), "error") && strings.ContainsAny(line[at+len(f.Path):min(len(line), at+len(f.Path)+1)], ":(")
		})
	})
}
