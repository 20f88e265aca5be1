package proof

import (
	"slices"

	"github.com/piton-project/piton/internal/judge/tools"
)

// Way is by what a check meets a need.
type Way int

// Ways, the strictest first.
const (
	Not      Way = iota
	Holds        // it takes the file, or its package
	OwnTests     // it takes the tests that bear the file's name
	TurnTest     // it takes a test that this turn edited, or that failed in it
	Entry        // it is the project's own plain entry
	Project      // it ran in the project, and the file has no tests of its own
	Built        // it built it, or checked its types, and no test can show more
)

// Meets tells by what a check meets a need, Not where it does not. A check of
// another time, or that proves nothing, meets none.
func (t Turn) Meets(at int, n Need) Way {
	k := t.Checks[at]
	if k.Base || !k.At.After(n.Since) || !t.counts(at, n) {
		return Not
	}
	same := k.in(n.Home.Project)
	switch {
	case k.Build:
		if n.Home.Buildable() && (same || k.takesFile(n)) {
			return Built
		}
		return Not
	case k.leavesOwn(n):
		return Not
	case k.takesFile(n) || same && k.unread():
		return Holds
	case n.Home.Test && !n.Deleted:
		return Not // a changed test file is met only by a check that takes it
	case (same || !n.Home.Packaged) && slices.ContainsFunc(n.Home.Own, func(own string) bool { return own != n.Path && k.takesPath(own) }):
		return OwnTests
	case t.takesTurnTest(k, n):
		return TurnTest
	case k.Plain && (same || !n.Home.Entry && k.above(n.Home.Project)):
		return Entry
	case same && !n.ownTests():
		return Project
	}
	return Not
}

// Buildable reports whether a build or a check of types is all that can be asked
// for a file: its project has no tests, or it serves a suite that needs a server.
func (h Home) Buildable() bool { return !h.Test && (h.Served || !h.Tested) }

// ownTests reports whether a file has tests of its own.
func (n Need) ownTests() bool {
	if n.Home.Packaged {
		return n.Home.PackageTests
	}
	return len(n.Home.Own) > 0
}

// counts reports whether a check that ended in time can meet the need: it
// passed; or it failed, ran to its end, all that failed is named, and nothing of
// it is about the file. After a failure a hidden status proves nothing.
func (t Turn) counts(at int, n Need) bool {
	switch k := t.Checks[at]; k.Outcome {
	case Passed:
		return true
	case Presumed:
		return !t.failedBefore(k.At)
	case Failed:
		return k.tellsAll() && !k.Own && !slices.ContainsFunc(k.Failures, n.concerns)
	}
	return false
}

// tellsAll reports whether a failed check shows of all that it takes how it went:
// what it does not name as failed, passed.
func (k Check) tellsAll() bool { return k.Complete && !k.Stops && len(k.Failures) > 0 }

func (t Turn) failedBefore(m Moment) bool {
	return slices.ContainsFunc(t.Checks, func(k Check) bool { return k.Outcome == Failed && !k.Base && m.Later(k.At) })
}

// concerns reports whether a failure may be about the file. One that names no
// place may be about any.
func (n Need) concerns(f Failure) bool {
	switch {
	case f.File != "" && (f.File == n.Path || slices.Contains(n.Home.Own, f.File)):
		return true
	case f.Placed:
		return !n.Home.Packaged || f.Package == Folder(n.Path)
	}
	return f.File == ""
}

// maxAsked bounds the failures that a check is held against, the newest first: a
// turn may have thousands of runs with hundreds of failures each.
const maxAsked = 1000

// takesTurnTest reports whether the check takes a test that this turn edited or
// that failed in it. Where a folder is a package, it must be of the file's own,
// or lie in a folder of tests only.
func (t Turn) takesTurnTest(k Check, n Need) bool {
	near := func(folder string) bool {
		return !n.Home.Packaged || folder == Folder(n.Path) || slices.ContainsFunc(n.Home.TestsOnly, func(only string) bool { return Inside(folder, only) })
	}
	for _, f := range t.Files {
		if f.Home.Test && !f.Deleted && f.Home.Project == n.Home.Project && near(Folder(f.Path)) && k.takesFile(f) {
			return true
		}
	}
	asked := 0
	for i := len(t.Checks) - 1; i >= 0 && asked < maxAsked; i-- {
		other := &t.Checks[i]
		if other.Build || other.Base || !other.in(n.Home.Project) && !other.names(n.Home.Project) {
			continue
		}
		if other.Outcome == Failed && !n.Home.Packaged && k.same(*other) {
			return true // what failed passes now, whatever the runner calls it
		}
		for _, f := range other.Failures {
			switch {
			case f.Placed && near(f.Package), f.File != "" && near(Folder(f.File)):
				if asked++; k.takes(f, *other) {
					return true
				}
			}
		}
	}
	return false
}

// names reports whether the check, wherever it ran, takes a place that lies in
// the folder of a project.
func (k Check) names(project string) bool {
	return project != "" && slices.ContainsFunc(k.Runs, func(s tools.Scope) bool {
		return slices.ContainsFunc(s.Places, func(p tools.Place) bool { return !p.Not && Inside(p.Path, project) })
	})
}
