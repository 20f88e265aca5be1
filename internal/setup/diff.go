package setup

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Diff renders changes as a unified diff, without colour: what init --dry-run prints.
func Diff(changes []Change) string {
	var out strings.Builder
	for _, c := range changes {
		from, to := c.Path, c.Path
		if c.Before == nil {
			from = "/dev/null"
		}
		if c.After == nil {
			to = "/dev/null"
		}
		out.WriteString(udiff.Unified(from, to, string(c.Before), string(c.After)))
	}
	return out.String()
}
