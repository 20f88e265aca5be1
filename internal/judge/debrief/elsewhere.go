package debrief

import (
	"path"
	"slices"
)

// elsewhere tells why a test run says nothing of this work tree: it ran in
// another folder, on another project's definitions, or in a container or on a
// machine that does not hold the tree; "" where nothing says so. What only the
// shell knows ($X, ~) decides nothing.
// Rule: docs/spec.md, "Evidence".
func (t *turn) elsewhere(c *call, cmd *command) string {
	if cmd.unreadable {
		return ""
	}
	if cmd.Away != nil {
		return t.apart(c, cmd)
	}
	if c.stashed(cmd) {
		return "ran while the changes were stashed"
	}
	outside := func(p string) bool { return t.outside(c.Dir, p) }
	switch projects := cmd.Projects(); {
	case outside(path.Join(cmd.Dir, ".")) && !t.builtThere(cmd):
		return "ran in another folder than this work tree"
	case slices.ContainsFunc(projects, outside):
		return "ran with the definitions of another project"
	}
	if targets := cmd.Targets(); len(targets) > 0 && !slices.ContainsFunc(targets, func(p string) bool { return !outside(p) }) {
		return "ran tests that lie outside of this work tree"
	}
	return ""
}
