package proof

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// same reports whether two checks are one command, run again.
func (k Check) same(first Check) bool { return k.Name == first.Name && k.Dir == first.Dir }

// covers reports whether a check takes all that another one did.
func (k Check) covers(first Check) bool {
	if k.same(first) {
		return true
	}
	whole := k.Plain && len(first.Projects) > 0 && !slices.ContainsFunc(first.Projects, func(p string) bool { return !k.above(p) })
	return len(first.Runs) > 0 && !slices.ContainsFunc(first.Runs, func(was tools.Scope) bool {
		if was.Unread && whole {
			return false // a plain entry is whole by definition
		}
		return !slices.ContainsFunc(k.Runs, func(s tools.Scope) bool { return s.Covers(was) })
	})
}

// takes reports whether the check takes what another one named as failed. What
// did not build is taken with its package or file, whatever tests are chosen.
func (k Check) takes(f Failure, first Check) bool {
	return slices.ContainsFunc(k.Runs, func(s tools.Scope) bool {
		switch {
		case f.Broken && f.File != "":
			return s.TakesFile(f.File)
		case f.Broken && f.Placed:
			return s.TakesPackage(f.Package)
		case f.Test == "" && len(s.Names) > 0:
			// Of a file or a package that failed as a whole, a part shows nothing.
			return slices.ContainsFunc(first.Runs, s.Covers)
		}
		return slices.ContainsFunc(first.Runs, func(was tools.Scope) bool { return s.Retakes(f.Test, f.File, f.Package, was) })
	})
}

// takesFile reports whether the check takes the file, or where a folder is a
// package, its package. A module of packages ends where another one begins: `./...`
// takes nothing of a module below it.
func (k Check) takesFile(n Need) bool {
	if n.Home.Packaged && !k.in(n.Home.Project) {
		return false
	}
	return slices.ContainsFunc(k.Runs, func(s tools.Scope) bool {
		return s.TakesFile(n.Path) || n.Home.Packaged && s.TakesPackage(Folder(n.Path))
	})
}

// leavesOwn reports whether the check leaves out by name all tests that bear the
// file's name: pytest --ignore=tests/test_a.py shows nothing of a.py. To leave out a
// folder is usual, and says nothing of one file.
func (k Check) leavesOwn(n Need) bool {
	return len(n.Home.Own) > 0 && !slices.ContainsFunc(n.Home.Own, func(own string) bool {
		return !slices.ContainsFunc(k.Runs, func(s tools.Scope) bool { return s.LeavesOut(own) }) || k.takesPath(own)
	})
}

func (k Check) takesPath(file string) bool {
	return slices.ContainsFunc(k.Runs, func(s tools.Scope) bool { return s.TakesFile(file) })
}

func (k Check) unread() bool {
	return slices.ContainsFunc(k.Runs, func(s tools.Scope) bool { return s.Unread })
}

// in reports whether the check ran in a project.
func (k Check) in(project string) bool { return slices.Contains(k.Projects, project) }

// above reports whether the check ran in a project that holds a folder.
func (k Check) above(folder string) bool {
	return slices.ContainsFunc(k.Projects, func(p string) bool { return Inside(folder, p) })
}

// Folder is that of a file.
func Folder(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}

// Inside reports whether a folder is another one or lies in it.
func Inside(folder, in string) bool {
	return in == "" || folder == in || strings.HasPrefix(folder, in+"/")
}
