package project

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// own are the test files that bear the file's name: in its folder, in the
// folders of tests beside it and above, and among those that the turn changed.
// Of several in different folders those count that lie most like the file:
// tests/a/test_x.py for a/x.py, not tests/b/test_x.py.
func (l *layout) own(e *tools.Ecosystem, file string) (all []string) {
	dir := dirOf(file)
	beside := []string{dir}
	if e.Inline != "" {
		beside = append(beside, strings.TrimSuffix(file, path.Ext(file))) // a/tests.rs for a.rs
	}
	owns := func(test string) bool { return test != file && e.Owns(test, file) }
	for _, at := range beside {
		for _, name := range l.files(at) {
			if test := path.Join(at, name); owns(test) {
				all = append(all, test)
			}
		}
	}
	if !e.Packages { // else all tests of a file lie in its folder
		far := slices.Clone(l.changed)
		for _, at := range up(dir) {
			for _, d := range l.folder(at).dirs {
				if testTree(d) {
					far = append(far, l.suite(path.Join(at, d))...)
				}
			}
		}
		all = append(all, alike(slices.DeleteFunc(far, func(test string) bool { return !owns(test) }), file)...)
	}
	if e.Inline != "" && l.inline(e, file) {
		all = append(all, file)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// inline tells whether the file holds tests of its own.
func (l *layout) inline(e *tools.Ecosystem, file string) bool {
	text := l.read(file)
	return slices.ContainsFunc(tools.Phrases(e.Inline), func(word string) bool { return strings.Contains(text, word) })
}

// testTree tells a folder below which tests lie.
func testTree(name string) bool {
	return tools.TestFolder(name) || strings.HasSuffix(name, ".Tests") || strings.HasSuffix(name, ".Test") || strings.HasSuffix(name, ".UnitTests")
}

// suite is the code below a folder of tests, that which the turn deleted too.
func (l *layout) suite(dir string) []string {
	return once(l.suites, dir, func() (all []string) {
		l.search(dir, nil, func(at string, in names) bool {
			for _, name := range in.files {
				if tools.EcosystemOf(name) != "" {
					all = append(all, path.Join(at, name))
				}
			}
			return false
		})
		for _, file := range l.changed {
			if under(file, dir) && !slices.Contains(all, file) {
				all = append(all, file)
			}
		}
		return all
	})
}

// alike are the tests whose folders are most like the file's, counted from the
// end. Where none is like it, those count that lie in no folder named after
// something else.
func alike(tests []string, file string) (all []string) {
	best := 0
	for _, test := range tests {
		switch n := likeness(dirOf(test), dirOf(file)); {
		case n > best:
			best, all = n, []string{test}
		case n == best && (n > 0 || general(dirOf(test), dirOf(file))):
			all = append(all, test)
		}
	}
	return all
}

// likeness counts the folders that two paths end in, those of tests left out.
func likeness(test, file string) (n int) {
	named := slices.DeleteFunc(strings.Split(test, "/"), testTree)
	of := slices.DeleteFunc(strings.Split(file, "/"), testTree)
	for n < min(len(named), len(of)) && named[len(named)-1-n] == of[len(of)-1-n] && of[len(of)-1-n] != "" {
		n++
	}
	return n
}

// general tells whether no folder between that of tests and a test in it is
// named after a part of the project, unless it is above the file, too.
func general(test, file string) bool {
	above := strings.Split(file, "/")
	parts := strings.Split(test, "/")
	first := slices.IndexFunc(parts, testTree)
	return !slices.ContainsFunc(parts[first+1:], func(part string) bool {
		return part != "" && !testTree(part) && !tools.Among("unit unittests src lib main java kotlin app", part) && !slices.Contains(above, part)
	})
}

// hasTests tells whether tests of the ecosystem lie in the project, or of any
// where it is nil. Where the search would take too long, there are some.
func (l *layout) hasTests(project string, e *tools.Ecosystem) bool {
	key := project
	if e != nil {
		key += "\x00" + e.Name
	}
	return once(l.tested, key, func() (found bool) {
		is := func(file string) bool {
			of := tools.OfFile(file)
			holds := func() bool { return of.Holds(file) || of.Inline != "" && l.inline(of, file) }
			return of != nil && (e == nil || of == e) && holds()
		}
		if slices.ContainsFunc(l.changed, func(file string) bool { return under(file, project) && is(file) && l.project(e, file) == project }) {
			return true
		}
		all := l.search(project, e, func(at string, in names) bool {
			found = slices.ContainsFunc(in.files, func(name string) bool { return is(path.Join(at, name)) })
			return found
		})
		return found || !all || l.reads < 0
	})
}

// amongTests tells whether a file lies in a folder of tests: one at the project's top
// that is named so, or where a folder is a package also one further down, or one
// that holds no other code.
func (l *layout) amongTests(project string, e *tools.Ecosystem, file string) bool {
	dir := dirOf(file)
	top, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(dir, project), "/"), "/")
	if tools.TestFolder(top) || !e.Packages || dir == project {
		return tools.TestFolder(top)
	}
	return tools.TestFolder(path.Base(dir)) || !slices.ContainsFunc(l.files(dir), func(name string) bool {
		return tools.OfFile(name) == e && !e.Holds(path.Join(dir, name))
	})
}
