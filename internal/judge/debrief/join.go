package debrief

import (
	"slices"

	"github.com/piton-project/piton/internal/agent"
)

// Join adds to a result what another work tree of the same turn came to. place
// is how that tree is called, seen from the first.
func Join(r Result, place string, other Result, exit string) Result {
	in := func(path string) string { return place + "/" + path }
	for _, f := range other.Files {
		r.Files = append(slices.Clip(r.Files), agent.FileChange{Path: in(f.Path), Whose: f.Whose})
	}
	for _, c := range other.Categories {
		if !slices.Contains(r.Categories, c) {
			r.Categories = append(slices.Clip(r.Categories), c)
		}
	}
	for _, a := range other.Actions {
		r.Actions = append(slices.Clip(r.Actions), "In "+quote(place)+": "+a)
	}
	for _, e := range other.Evidence {
		if !slices.Contains(r.Evidence, e) {
			r.Evidence = append(slices.Clip(r.Evidence), e)
		}
	}
	r.Unresolved = r.Unresolved || other.Unresolved
	r.Verified = r.Verified || other.Verified
	r.Generic = r.Generic || other.Generic
	r.OnlyAdded = r.OnlyAdded && len(other.Actions) == 0
	r.AllClear = len(r.Actions)+len(r.Observations) == 0
	r.Message = ""
	if !r.AllClear {
		r.Message = orGeneric(func() string { return compose(r, builtinTitles(r.Categories), exit) })
	}
	return r
}

// builtinTitles are categories as messages have them: those that are not of the
// built-in rules are quoted, because nobody may have vouched for their names.
func builtinTitles(categories []string) []string {
	all := Builtin()
	titles := make([]string, len(categories))
	for i, c := range categories {
		titles[i] = c
		if !slices.ContainsFunc(all, func(r Rule) bool { return label(r.Name) == c }) {
			titles[i] = quote(c)
		}
	}
	return titles
}

// Commits reports whether the calls commit.
func (r *Reading) Commits() bool { return r != nil && r.turn.commits }
