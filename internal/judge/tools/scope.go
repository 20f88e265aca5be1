package tools

import (
	"slices"
	"strings"
)

// Scope is what a run takes by its words, as its tool reads them: places of the
// tree, and of the tests there a choice by name. It holds plain values only, so
// that it can be recorded.
// Rule: docs/spec.md, "Evidence".
type Scope struct {
	Places []Place  `json:"places,omitempty"` // it takes what lies in one of them; none: all below the folder that it runs in
	Names  []Choice `json:"names,omitempty"`  // a test must fit all of them
	Marks  []string `json:"marks,omitempty"`  // by what tests are left out that no name tells: -m slow, -short; sorted
	Tags   string   `json:"tags,omitempty"`   // build tags, features and the like, sorted
	Said   []string `json:"said,omitempty"`   // the words that choose tests by name or mark, as written
	Stops  bool     `json:"stops,omitempty"`  // it ends at the first failure, so that it need not list all
	Unread bool     `json:"unread,omitempty"` // nobody can tell: variables, what another program prints
	Words  string   `json:"words,omitempty"`  // of one that is unread: the command, which is all that it equals
}

// From is the scope of a run in dir, seen from where dir is seen. A folder that
// only the shell knows makes it unread.
func (s Scope) From(dir string) Scope { return s.Placed(dir, nil) }

// Placed is From, with the members of a workspace in their folders. member tells
// them, seen from where dir is seen; where it does not know one, the scope is
// unread.
func (s Scope) Placed(dir string, member func(of string) (folder string, ok bool)) Scope {
	dir = Join("", dir)
	s.Unread = s.Unread || strings.ContainsAny(dir, "$`")
	some, places := false, s.Places
	s.Places = nil
	for _, p := range places {
		some = some || !p.Not
		folder, known := dir, true
		if p.Of != "" && member != nil {
			folder, known = member(p.Of)
			p.Of = ""
		}
		s.Unread = s.Unread || !known
		s.Places = append(s.Places, p.from(folder))
	}
	if !some && dir != "" {
		s.Places = slices.Insert(s.Places, 0, Place{Path: dir})
	}
	if s.Unread {
		return Scope{Unread: true, Words: dir + ": " + s.Words}
	}
	return s
}

// takes reports whether one of the places is in, and none of those that are left
// out.
func (s Scope) takes(in func(Place) bool) bool {
	left := func(p Place) bool { return p.Not && in(p) }
	taken := func(p Place) bool { return !p.Not && in(p) }
	included := func(p Place) bool { return !p.Not }
	return !slices.ContainsFunc(s.Places, left) && (slices.ContainsFunc(s.Places, taken) || !slices.ContainsFunc(s.Places, included))
}

// TakesFile reports whether the run takes a file.
func (s Scope) TakesFile(file string) bool {
	return !s.Unread && s.takes(func(p Place) bool { return p.takesFile(file) && !p.leavesTest() })
}

// LeavesOut reports whether the run names a file as left out.
func (s Scope) LeavesOut(file string) bool {
	return slices.ContainsFunc(s.Places, func(p Place) bool { return p.Not && p.Test == "" && p.Path == file })
}

// TakesPackage reports whether the run takes the tests of a package, by its
// folder or by its import path.
func (s Scope) TakesPackage(pkg string) bool {
	return !s.Unread && s.takes(func(p Place) bool { return p.takesPackage(pkg) && !p.leavesTest() })
}

// TakesTest reports whether the run takes the test of this name, which lies in a
// file, or in a package (its folder or its import path). What is not known is "";
// without a name it is about all tests of the file or the package. Marks and Tags
// have no say: see Retakes.
func (s Scope) TakesTest(name, file, pkg string) bool {
	if s.Unread {
		return false
	}
	in := func(p Place) bool {
		switch {
		case file != "":
			return p.takesFile(file)
		case pkg != "":
			return p.takesPackage(pkg)
		}
		return (p.Shape == Tree || p.Shape == Folder) && p.Path == "" && p.Of == "" // all, or the root as a package
	}
	taken := s.takes(func(p Place) bool { return in(p) && (p.Test == "" || p.takesName(name)) })
	return taken && !slices.ContainsFunc(s.Names, func(c Choice) bool { return !c.takes(name, file) })
}

// Retakes reports whether the run takes a test (see TakesTest) that failed in a
// run of another scope: under the same tags, and left out by no mark that the
// other did not have. What is unread takes only what it equals.
func (s Scope) Retakes(name, file, pkg string, failed Scope) bool {
	if s.Equal(failed) {
		return true
	}
	return s.Tags == failed.Tags && s.marksOf(failed) && s.TakesTest(name, file, pkg)
}

// marksOf reports whether all marks of the scope are marks of the other.
func (s Scope) marksOf(other Scope) bool {
	return !slices.ContainsFunc(s.Marks, func(m string) bool { return !slices.Contains(other.Marks, m) })
}

// Equal reports whether two scopes are the same.
func (s Scope) Equal(other Scope) bool {
	if s.Unread || other.Unread {
		return s.Unread && other.Unread && s.Words == other.Words
	}
	return s.Covers(other) && other.Covers(s)
}

// Covers reports whether the run takes at least all that a run of another scope
// does. A scope covers its equal.
func (s Scope) Covers(other Scope) bool {
	if s.Unread || other.Unread {
		return s.Equal(other)
	}
	return s.Tags == other.Tags && s.marksOf(other) && s.coversPlaces(other) && s.coversNames(other)
}

func (s Scope) coversPlaces(other Scope) bool {
	wide, narrow := included(s.Places), included(other.Places)
	beyond := func(n Place) bool {
		return !slices.ContainsFunc(wide, func(w Place) bool { return w.covers(n) })
	}
	missed := func(out Place) bool { // left out here, and not there
		there := slices.ContainsFunc(other.Places, func(p Place) bool { return p.Not && p.covers(out) })
		return out.Not && !there && slices.ContainsFunc(narrow, func(n Place) bool { return !out.apart(n) })
	}
	return !slices.ContainsFunc(narrow, beyond) && !slices.ContainsFunc(s.Places, missed)
}

// included are the places that are not left out; all where none is named.
func included(places []Place) []Place {
	in := slices.DeleteFunc(slices.Clone(places), func(p Place) bool { return p.Not })
	if len(in) == 0 {
		return []Place{{}}
	}
	return in
}

// coversNames reports whether what another scope chooses by name is chosen here too: the
// choices here are among those there, or fit the one test that each place there names.
func (s Scope) coversNames(other Scope) bool {
	places := included(other.Places)
	return !slices.ContainsFunc(s.Names, func(w Choice) bool {
		same := slices.ContainsFunc(other.Names, func(n Choice) bool { return w.same(n) })
		return !same && slices.ContainsFunc(places, func(p Place) bool { return !w.takes(p.Test, "") })
	})
}
