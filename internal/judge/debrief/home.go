package debrief

import (
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// home is where a file lives. Where nobody has looked, as in turns of older
// versions, it is taken to have no tests of its own, so that any run in its
// project counts.
func (t *turn) home(f File) Home {
	if f.Home != nil {
		return *f.Home
	}
	if known, ok := t.homes[f.Path]; ok {
		return known
	}
	is := func(glob string) bool { return match(glob, f.Path) }
	h := Home{Tested: true, Manifest: true, Test: slices.ContainsFunc(testFiles(), is) && tools.EcosystemOf(f.Path) != ""}
	if best := t.nearest("", f.Path); best.Run != "" && !best.Accepted {
		h.Project = best.Dir
	}
	if t.homes == nil {
		t.homes = map[string]Home{}
	}
	t.homes[f.Path] = h
	return h
}

func (t *turn) changedTests() []file {
	return t.tests.get(func() []file {
		return keep(t.files, func(f file) bool { return !f.Deleted && t.home(f.File).Test })
	})
}

// ownTests are the test files that are about a file: they bear its name, lie beside
// it where a folder is a package, or import it. asked: those that import it were
// looked for, too, which is dear.
func (t *turn) ownTests(f changed, asked bool) []string {
	own := slices.Clone(f.home.Own)
	if asked && len(own) == 0 && !f.home.PackageTests && t.Importers != nil {
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
		all = union(all, t.home(f.File).Project)
	}
	for _, x := range t.Tests {
		all = union(all, x.Dir)
	}
	return all
}
