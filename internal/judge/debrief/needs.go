package debrief

import (
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/proof"
)

// wanting is a file that a rule asks a test run for, and how it came by one.
type wanting struct {
	file
	need proof.Need
	way  proof.Way
}

// wantings are the files of a group.
func (t *turn) wantings(files []file) []*wanting {
	all := make([]*wanting, len(files))
	for i, f := range files {
		all[i] = &wanting{file: f, need: t.need(f)}
		if f.tidy {
			all[i].way = proof.Holds // a formatter changes nothing that a test would notice
		}
	}
	return all
}

// meet notes which files a check meets, and tells whether there is any. late:
// it came after the last edit of one.
func (t *turn) meet(at int, files []*wanting) (any, late bool) {
	m := t.weighed()
	for _, f := range files {
		late = late || m.Checks[at].At.After(f.need.Since)
		if way := m.Meets(at, f.need); way != proof.Not {
			any = true
			if f.way == proof.Not || way < f.way {
				f.way = way
			}
		}
	}
	return any, late
}

// left are the files that no check has met.
func left(all []*wanting) (files []file) {
	for _, f := range all {
		if f.way == proof.Not {
			files = append(files, f.file)
		}
	}
	return files
}

// narrow are the commands to ask for, each for the packages of the files left
// only where it can be told so: go test ./b instead of ./....
func (t *turn) narrow(asks []Test, files []file) []Test {
	all := slices.Clone(asks)
	for i, x := range all {
		var folders []string
		for _, f := range files {
			h := t.home(f.File)
			if !h.Packaged || h.Project != x.Dir || !x.of("", f.Path) {
				folders = nil
				break
			}
			rel := strings.TrimPrefix(strings.TrimPrefix(proof.Folder(f.Path), x.Dir), "/")
			if folder := strings.TrimSuffix("./"+rel, "/"); !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
		if len(folders) > 0 && len(folders) <= asksShown {
			all[i].Run = Verify{Run: x.Run}.Narrowed(folders)
		}
	}
	return all
}
