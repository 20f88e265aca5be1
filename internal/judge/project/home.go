package project

import (
	"path"
	"slices"

	"github.com/piton-project/piton/internal/judge/tools"
)

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
		h.AmongTests, h.Served = l.amongTests(h.Project, e, file), l.served(e, file)
		homes[file] = h
	}
	return homes
}
