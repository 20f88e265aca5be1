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
	manifest, workspace := at.cargo()
	_, packaged := manifest["package"]
	switch {
	case tools.NewCall(words).Has("--workspace --all"):
		if top := at.nearest(isWorkspace); top != nil {
			s.Places = []tools.Place{{Path: top.dir}}
		}
	case workspace != nil:
		t.defaultMembers(at, packaged, s)
	case packaged:
		s.Places = []tools.Place{{Path: at.dir}}
	}
}

func isWorkspace(f *folder) bool {
	_, workspace := f.cargo()
	return workspace != nil
}

// defaultMembers narrows a run at a workspace's root to its default members: those
// that it names, else its own package; without one it takes all members.
func (t *Tests) defaultMembers(at *folder, packaged bool, s *tools.Scope) {
	globs := crateList(at, "default-members")
	if len(globs) == 0 && packaged {
		globs = []string{"."}
	}
	if len(globs) == 0 {
		return
	}
	taken := t.inGlobs(at, globs)
	s.Places = nil
	for _, dir := range taken {
		s.Places = append(s.Places, tools.Place{Path: dir})
	}
	if !slices.Contains(taken, at.dir) {
		return
	}
	// Of what lies below the root's own package, it takes no other member: those
	// that the root names, and packages in the customary folders.
	for _, dir := range t.inGlobs(at, slices.Concat(crateList(at, "members"), customary)) {
		if not := (tools.Place{Path: dir, Not: true}); !slices.Contains(taken, dir) && !slices.Contains(s.Places, not) && t.top.at(dir).has("Cargo.toml") {
			s.Places = append(s.Places, not)
		}
	}
}
