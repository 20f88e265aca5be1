package project

import (
	"path"
	"slices"

	"github.com/piton-project/piton/internal/judge/tools"
)

// layout answers where things lie in a work tree, each folder read once.
type layout struct {
	*Tests
	changed []string            // as the turn changed them, clean
	left    int                 // entries of folders that may still be looked at in search of tests
	reads   int                 // files that may still be read for what they say of tests
	suites  map[string][]string // the code below a folder of tests
	tested  map[string]bool     // by project and ecosystem
}

// Bounds of what is looked at beside the folders above the changed files.
const (
	maxSuites = 4000 // entries of folders
	maxHints  = 100  // files that are read
)

func newLayout(t *Tests, changed []string) *layout {
	l := &layout{Tests: t, left: maxSuites, reads: maxHints, suites: map[string][]string{}, tested: map[string]bool{}}
	for _, file := range changed {
		if file = clean(file); file != "" {
			l.changed = append(l.changed, file)
		}
	}
	return l
}

// files are the files of a folder, with those that the turn has deleted.
func (l *layout) files(dir string) []string {
	files := slices.Clip(l.folder(dir).files)
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
	return l.folder(dirOf(file)).read(path.Base(file))
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
	f := folder{names: names{l.files(dir), l.folder(dir).dirs}}
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
