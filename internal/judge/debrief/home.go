package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
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
			if f.Home.Packaged {
				modules = union(modules, f.Home.Project)
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

// withHome is a file with what is known of where it lives. Where nobody has looked, as
// in turns of older versions, it is taken to have no tests of its own, so that any run
// in its project counts.
func (t *turn) withHome(f file) file {
	f.ecosystem = tools.EcosystemOf(f.Path)
	if f.Home != nil {
		return f
	}
	is := func(glob string) bool { return match(glob, f.Path) }
	f.Home = &Home{Tested: true, Manifest: true, Test: f.ecosystem != "" && slices.ContainsFunc(testFiles, is)}
	if best := t.nearest("", f.Path); best.Run != "" && !best.Accepted {
		f.Home.Project = best.Dir
	}
	return f
}

func (t *turn) changedTests() []file {
	return t.tests.get(func() []file {
		return keep(t.files, func(f file) bool { return !f.Deleted && f.Home.Test })
	})
}

// ownTests are the test files that are about a file: they bear its name, lie beside
// it where a folder is a package, or import it. asked: those that import it were
// looked for, too, which is dear.
func (t *turn) ownTests(f file, asked bool) []string {
	own := slices.Clone(f.Home.Own)
	if asked && len(own) == 0 && !f.Home.PackageTests && t.Importers != nil {
		own = t.Importers(f.Path)
	}
	return own
}

// inTests reports whether a file lies in a folder of tests.
func inTests(file string) bool {
	return slices.ContainsFunc(strings.Split(folderOf(file), "/"), tools.TestFolder)
}

// projects are the folders of the projects that are known.
func (t *turn) projects() []string {
	all := []string{""}
	for _, f := range t.files {
		all = union(all, f.Home.Project)
	}
	for _, x := range t.Tests {
		all = union(all, x.Dir)
	}
	return all
}
