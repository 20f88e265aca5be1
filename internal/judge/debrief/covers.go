package debrief

import (
	"slices"

	"github.com/piton-project/piton/internal/judge/tools"
)

// covers reports whether a run of tests came after the file's last change and takes
// it: the file, its package, or tests that are about it. What cannot be read of a
// run covers everything.
// Rule: docs/spec.md, "What a run covers".
func (t *turn) covers(k *check, f file) bool {
	return k.kind == kindTests && k.onTree() && k.at.after(f.last) && t.takes(k, f)
}

// allCovered reports whether a check has passed of each of some files since its last
// change, and since a moment.
func (t *turn) allCovered(files []file, since moment) bool {
	return !slices.ContainsFunc(files, func(f file) bool {
		return !slices.ContainsFunc(t.checks(), func(k *check) bool { return k.is == passed && k.at.later(since) && t.covers(k, f) })
	})
}

// coveredAt is when a check had passed of each of some files since its last change;
// beforeAll where one is not covered, or there are none.
func (t *turn) coveredAt(files []file) moment {
	at := beforeAll
	for _, f := range files {
		first := slices.IndexFunc(t.checks(), func(k *check) bool { return k.is == passed && t.covers(k, f) })
		if first < 0 {
			return beforeAll
		}
		if k := t.checks()[first]; k.at.later(at) {
			at = k.at
		}
	}
	return at
}

// onTree reports whether a check ran on the tree that is judged: here, and with the
// turn's changes.
func (k *check) onTree() bool { return k.away == "" && !k.base }

// speaksOf reports whether a check and a file are of one language, as far as that is known.
func (k *check) speaksOf(f file) bool {
	return k.of == "" || f.ecosystem == "" || k.of == f.ecosystem
}

// takes is covers, whenever the run was.
func (t *turn) takes(k *check, f file) bool {
	own := t.ownTests(f, false)
	same := k.in(f.Home.Project)
	switch {
	case !k.speaksOf(f):
		return k.namesPath(f.Path)
	case len(own) > 0 && k.leavesOut(own):
		return false
	case k.unread(), k.takesChanged(f):
		return true
	case f.Home.Test && !f.Deleted:
		return false // a changed test is covered only by a run that takes it
	case (same || !f.Home.Packaged) && slices.ContainsFunc(own, k.takesPath):
		return true
	case k.plain && (same || k.above(f.Home.Project)):
		return true
	case t.takesTestOf(k, f):
		return true
	case f.Home.Packaged && f.Home.PackageTests, !f.Home.Packaged && len(own) > 0:
		return false
	}
	importing := t.ownTests(f, true)
	return same && (len(importing) == 0 || slices.ContainsFunc(importing, k.takesPath))
}

// takesTestOf reports whether a run takes a test that this turn changed, in the
// file's project; where a folder is a package, in the file's own or in a folder of
// tests only.
func (t *turn) takesTestOf(k *check, f file) bool {
	return slices.ContainsFunc(t.changedTests(), func(x file) bool {
		near := !f.Home.Packaged || folderOf(x.Path) == folderOf(f.Path) || x.Home.AmongTests
		return x.Home.Project == f.Home.Project && near && k.takesPath(x.Path)
	})
}

// takesChanged reports whether the check takes the file, or where a folder is a
// package, its package. A module of packages ends where another one begins: ./...
// takes nothing of a module below it.
func (k *check) takesChanged(f file) bool {
	if f.Home.Packaged && !k.in(f.Home.Project) {
		return false
	}
	return slices.ContainsFunc(k.runs, func(s tools.Scope) bool {
		return s.TakesFile(f.Path) || f.Home.Packaged && s.TakesPackage(folderOf(f.Path))
	})
}

// leavesOut reports whether a run names all of a file's tests as left out.
func (k *check) leavesOut(own []string) bool {
	left := func(test string) bool {
		return slices.ContainsFunc(k.runs, func(s tools.Scope) bool { return s.LeavesOut(test) }) && !k.takesPath(test)
	}
	return !slices.ContainsFunc(own, func(test string) bool { return !left(test) })
}

func (k *check) takesPath(file string) bool {
	return slices.ContainsFunc(k.runs, func(s tools.Scope) bool { return s.TakesFile(file) })
}

// namesPath reports whether a run is told a file by its own path.
func (k *check) namesPath(file string) bool {
	return slices.ContainsFunc(k.runs, func(s tools.Scope) bool {
		return slices.ContainsFunc(s.Places, func(p tools.Place) bool { return p.Path == file && !p.Not })
	})
}

func (k *check) unread() bool {
	return slices.ContainsFunc(k.runs, func(s tools.Scope) bool { return s.Unread })
}

// chooses reports whether a run takes some tests only, by their names or marks.
func (k *check) chooses() bool {
	return slices.ContainsFunc(k.runs, func(s tools.Scope) bool {
		return len(s.Names)+len(s.Marks) > 0 || slices.ContainsFunc(s.Places, func(p tools.Place) bool { return p.Test != "" })
	})
}

// in reports whether the check ran in a project.
func (k *check) in(project string) bool { return slices.Contains(k.projects, project) }

// above reports whether the check ran in a project that holds a folder.
func (k *check) above(folder string) bool {
	return slices.ContainsFunc(k.projects, func(p string) bool { return inside(folder, p) })
}

// same reports whether two checks are one command, run again.
func (k *check) same(other *check) bool { return k.cmd.text == other.cmd.text && k.dir == other.dir }

// asWideAs reports whether a check takes all that another one did.
func (k *check) asWideAs(other *check) bool {
	whole := k.plain && len(other.projects) > 0 && !slices.ContainsFunc(other.projects, func(p string) bool { return !k.above(p) })
	return k.same(other) || !slices.ContainsFunc(other.runs, func(was tools.Scope) bool {
		return !(was.Unread && whole) && !slices.ContainsFunc(k.runs, func(s tools.Scope) bool { return s.Covers(was) })
	})
}

// takesFailure reports whether the check takes what another one named as failed.
// What did not build is taken with its package or file, whatever tests are chosen.
func (k *check) takesFailure(f failure, other *check) bool {
	return slices.ContainsFunc(k.runs, func(s tools.Scope) bool {
		switch {
		case f.broken && f.file != "":
			return s.TakesFile(f.file)
		case f.broken && f.placed:
			return s.TakesPackage(f.pkg)
		case f.test == "" && len(s.Names) > 0: // of a file or a package that failed as a whole, a part shows nothing
			return slices.ContainsFunc(other.runs, s.Covers)
		}
		return slices.ContainsFunc(other.runs, func(was tools.Scope) bool { return s.Retakes(f.test, f.file, f.pkg, was) })
	})
}
