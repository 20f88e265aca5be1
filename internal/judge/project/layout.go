package project

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// Home is where a changed file lives: what must be known of its surroundings to
// say which test runs are about it. All paths are relative to the work tree's
// root, with slashes; "" is the root itself.
type Home struct {
	Project      string   `json:",omitempty"` // the folder of its project: that of the nearest manifest of its ecosystem
	Manifest     bool     `json:",omitempty"` // that folder has a manifest
	Packaged     bool     `json:",omitempty"` // its folder is a package, with tests of its own (Go)
	PackageTests bool     `json:",omitempty"` // tests lie in its folder, or did when the turn began
	Own          []string `json:",omitempty"` // test files that bear its name, wherever they lie; itself, where it holds its own tests
	Test         bool     `json:",omitempty"` // it is a test file
	Tested       bool     `json:",omitempty"` // its project has tests, or had some when the turn began
	TestsOnly    []string `json:",omitempty"` // folders of its project that hold tests only: integration_test, e2e, tests
	Served       bool     `json:",omitempty"` // it belongs to a suite that needs a server: Playwright, Cypress, a live database
}

// maxHomes bounds the changed files whose surroundings are looked at.
const maxHomes = 500

// Homes are those of changed files, by their paths. A changed file that is not
// there was there when the turn began, and counts as if it still were: who
// deletes the tests of a package does not leave it without tests.
func (t *Tests) Homes(changed []string) map[string]Home {
	l := newLayout(t, changed)
	homes := map[string]Home{}
	for _, file := range l.changed[:min(len(l.changed), maxHomes)] {
		e := tools.OfFile(file)
		h := Home{Project: l.project(e, file)}
		h.Manifest = l.hasManifest(h.Project)
		h.Tested = l.hasTests(h.Project, e)
		homes[file] = h
		if e == nil {
			continue
		}
		h.Packaged, h.Test = e.Packages, e.Holds(file)
		h.PackageTests = slices.ContainsFunc(l.files(dirOf(file)), func(name string) bool { return e.Holds(path.Join(dirOf(file), name)) })
		if h.Own = l.own(e, file); h.Test && !slices.Contains(h.Own, file) {
			h.Own = append(h.Own, file)
		}
		h.TestsOnly, h.Served = l.testsOnly(h.Project, e), l.served(e, file)
		homes[file] = h
	}
	return homes
}

// layout answers where things lie in a work tree, each folder read once.
type layout struct {
	*Tests
	changed []string            // as the turn changed them, clean
	left    int                 // entries of folders that may still be looked at in search of tests
	reads   int                 // files that may still be read for what they say of tests
	suites  map[string][]string // the code below a folder of tests
	tested  map[string]bool     // by project and ecosystem
	only    map[string][]string // by project and ecosystem
}

// Bounds of what is looked at beside the folders above the changed files.
const (
	maxSuites = 4000 // entries of folders
	maxHints  = 100  // files that are read
)

func newLayout(t *Tests, changed []string) *layout {
	l := &layout{Tests: t, left: maxSuites, reads: maxHints, suites: map[string][]string{}, tested: map[string]bool{}, only: map[string][]string{}}
	for _, file := range changed {
		if file = clean(file); file != "" {
			l.changed = append(l.changed, file)
		}
	}
	return l
}

// clean is a path relative to the root, "" for one that leaves it.
func clean(file string) string {
	file = path.Clean(filepath.ToSlash(file))
	if file == "." || path.IsAbs(file) || file == ".." || strings.HasPrefix(file, "../") {
		return ""
	}
	return file
}

func dirOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}

// up are the folders from dir up to the root.
func up(dir string) (all []string) {
	for ; dir != ""; dir = dirOf(dir) {
		all = append(all, dir)
	}
	return append(all, "")
}

// under tells whether a file lies in a folder or below it.
func under(file, dir string) bool { return dir == "" || strings.HasPrefix(file, dir+"/") }

func (l *layout) list(dir string) names {
	return l.seen.list(filepath.Join(l.root, filepath.FromSlash(dir)))
}

// files are the files of a folder, with those that the turn has deleted.
func (l *layout) files(dir string) []string {
	files := slices.Clip(l.list(dir).files)
	for _, file := range l.changed {
		if dirOf(file) == dir && !slices.Contains(files, path.Base(file)) {
			files = append(files, path.Base(file))
		}
	}
	return files
}

// read is the text of a file; "" once too many were read.
func (l *layout) read(file string) string {
	if l.reads--; l.reads < 0 {
		return ""
	}
	return open(l.seen, l.root, dirOf(file)).read(path.Base(file))
}

// project is the folder of the nearest manifest of the ecosystem; of any, where
// there is none or the file is of none.
func (l *layout) project(e *tools.Ecosystem, file string) string {
	above := up(dirOf(file))
	at := slices.IndexFunc(above, func(dir string) bool { return e != nil && l.isProject(dir, e) })
	if at < 0 {
		at = slices.IndexFunc(above, l.hasManifest)
	}
	if at < 0 {
		return ""
	}
	return above[at]
}

// hasManifest tells whether a folder has the manifest of an ecosystem.
func (l *layout) hasManifest(dir string) bool {
	return slices.ContainsFunc(tools.Ecosystems, func(e *tools.Ecosystem) bool { return l.isProject(dir, e) })
}

func (l *layout) isProject(dir string, e *tools.Ecosystem) bool {
	f := folder{names: names{l.files(dir), l.list(dir).dirs}}
	return e.Roots != "" && f.has(e.Roots)
}

// search walks from dir down until visit says that it is enough. It tells whether
// it saw all: not other projects of the ecosystem.
func (l *layout) search(dir string, e *tools.Ecosystem, visit func(dir string, in names) bool) (all bool) {
	return l.seen.walk(l.root, dir, &l.left, func(at string, in names) step {
		switch {
		case at != dir && e != nil && l.isProject(at, e):
			return aside
		case visit(at, in):
			return enough
		}
		return deeper
	})
}
