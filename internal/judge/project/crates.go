package project

import (
	"slices"

	"github.com/piton-project/piton/internal/judge/tools"
)

// crates narrows what a run of cargo takes that names no member, as cargo does:
// in a member's folder it takes that package; at a root that is a package itself
// that package alone, or the default members; with --workspace all members, from
// wherever it runs.
func (t *Tests) crates(f *folder, words []string, s *tools.Scope) {
	if s.Unread || tools.Of(words[0]).Ecosystem != "rust" || len(s.Places) > 1 {
		return
	}
	dir := f.dir
	if len(s.Places) == 1 {
		if dir = s.Places[0].Path; s.Places[0] != (tools.Place{Path: dir}) {
			return
		}
	}
	at := t.top.at(dir).nearest(func(at *folder) bool { return at.has("Cargo.toml") })
	if at == nil || dir != f.dir && at.dir != dir { // --lib: a part of a package
		return
	}
	manifest, _ := readTOML(at.read("Cargo.toml"))
	_, root := manifest["workspace"].(map[string]any)
	_, packaged := manifest["package"]
	switch {
	case wholeWorkspace(words):
		if top := at.nearest(isWorkspace); top != nil {
			s.Places = []tools.Place{{Path: top.dir}}
		}
	case root && t.defaultMembers(at, s):
	case root && packaged:
		s.Places = leftOut(t.cratesBelow(at))
		if at.dir != "" {
			s.Places = slices.Insert(s.Places, 0, tools.Place{Path: at.dir})
		}
	case packaged:
		s.Places = []tools.Place{{Path: at.dir}}
	}
}

func isWorkspace(f *folder) bool {
	manifest, _ := readTOML(f.read("Cargo.toml"))
	return manifest["workspace"] != nil
}

func wholeWorkspace(words []string) bool {
	if at := slices.Index(words, "--"); at >= 0 {
		words = words[:at]
	}
	return slices.Contains(words, "--workspace") || slices.Contains(words, "--all")
}

// defaultMembers narrows a run at a workspace's root to its default members, and
// reports whether the root names any.
func (t *Tests) defaultMembers(at *folder, s *tools.Scope) bool {
	globs := crateList(at, "default-members")
	if len(globs) == 0 {
		return false
	}
	var places []tools.Place
	own, folders := false, t.inGlobs(at, globs)
	for _, dir := range folders {
		own = own || dir == at.dir
		places = append(places, tools.Place{Path: dir})
	}
	if own { // the root's own package, without the other members below it
		below := slices.DeleteFunc(t.cratesBelow(at), func(dir string) bool { return slices.Contains(folders, dir) })
		places = append([]tools.Place{{Path: at.dir}}, leftOut(below)...)
	}
	s.Places = places
	return true
}

// cratesBelow are the packages below a package: the members that it names, and
// those in the customary folders.
func (t *Tests) cratesBelow(at *folder) (dirs []string) {
	for _, dir := range t.inGlobs(at, slices.Concat(crateList(at, "members"), customary)) {
		if dir != at.dir && !slices.Contains(dirs, dir) && t.top.at(dir).has("Cargo.toml") {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func leftOut(dirs []string) (places []tools.Place) {
	for _, dir := range dirs {
		places = append(places, tools.Place{Path: dir, Not: true})
	}
	return places
}
