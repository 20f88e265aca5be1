package debrief

import (
	"path"
	"slices"
	"strings"
)

// folder is where a command ran, relative to the root. A folder that only the
// shell knows is taken for the root. Go runs no test outside of a module: what ran
// beside the only one that is known ran in it, whatever the log says.
func (t *turn) folder(c *call, cmd *command) (dir string, in bool) {
	dir, in = t.relative(c.Dir, path.Join(cmd.Dir, "."))
	if real, ok := t.resolved(dir); in && ok {
		dir = real
	}
	if !in && unsaid(c.Dir, cmd.Dir) || strings.Contains(dir, ":") || dir == "." {
		dir, in = "", in || unsaid(c.Dir, cmd.Dir)
	}
	if in && !cmd.unreadable && cmd.matches("go test") {
		if module := t.theModule(); module != nil && !inside(dir, *module) && inside(*module, dir) && !t.testsIn(dir, "go") {
			dir = *module
		}
	}
	return dir, in
}

// testsIn reports whether a project that lies in a folder, or above it, is known to
// run tests of an ecosystem there.
func (t *turn) testsIn(dir, ecosystem string) bool {
	return slices.ContainsFunc(t.Tests, func(x Test) bool {
		names := func(command string) bool { return strings.HasPrefix(command, ecosystem+" ") }
		return inside(dir, x.Dir) && (x.Ecosystem == ecosystem || names(x.Run) || slices.ContainsFunc(x.Matches, names))
	})
}

// theModule is the folder of the Go module that holds changed files; nil where
// there is no single one.
func (t *turn) theModule() *string {
	return t.module.get(func() *string {
		var modules []string
		for _, f := range t.files {
			if h := t.home(f.File); h.Packaged {
				modules = union(modules, h.Project)
			}
		}
		if len(modules) != 1 {
			return nil
		}
		return &modules[0]
	})
}

// unsaid tells whether a folder's name is one that only the shell knows.
func unsaid(dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(dir, "~") || strings.ContainsAny(dir, "$`") })
}
