package debrief

import (
	"slices"

	"github.com/piton-project/piton/internal/judge/proof"
	"github.com/piton-project/piton/internal/judge/tools"
)

func (t *turn) need(f file) proof.Need {
	return proof.Need{Path: f.Path, Home: t.home(f.File), Since: f.last, Deleted: f.Deleted}
}

// home is where a file lives. Where nobody has looked, as in turns of older
// versions, it is taken to have no tests of its own, so that any run in its
// project counts.
func (t *turn) home(f File) proof.Home {
	if f.Home != nil {
		return *f.Home
	}
	h := proof.Home{Tested: true, Test: slices.ContainsFunc(testFiles(), func(glob string) bool { return match(glob, f.Path) }) && tools.EcosystemOf(f.Path) != ""}
	if best := t.nearest("", f.Path); best.Run != "" && !best.Accepted {
		h.Project, h.Entry = best.Dir, true
	}
	return h
}

// projects are the folders of the projects that are known.
func (t *turn) projects() []string {
	all := []string{""}
	add := func(dir string) {
		if !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	for _, f := range t.files {
		add(t.home(f.File).Project)
	}
	for _, x := range t.Tests {
		add(x.Dir)
	}
	return all
}
