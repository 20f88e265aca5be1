package debrief

import (
	"slices"

	"github.com/piton-project/piton/internal/agent"
)

// Unjudged notes that the turn wrote files in another work tree, and that nobody has
// judged them: then nothing is called clear.
func Unjudged(r Result, place string) Result {
	r.Passed, r.AllClear = "", false
	r.Lines = append(slices.Clip(r.Lines), Line{"files in " + quote(place) + " were changed too, and not judged", "not judged\x00" + place})
	return r
}

// Join adds to a result what another work tree of the same turn came to. place
// is how that tree is called, seen from the first.
func Join(r Result, place string, other Result) Result {
	r.Files, r.Actions, r.Lines, r.Facts = slices.Clip(r.Files), slices.Clip(r.Actions), slices.Clip(r.Lines), slices.Clip(r.Facts)
	r.Categories = union(slices.Clip(r.Categories), other.Categories...)
	r.Evidence = union(slices.Clip(r.Evidence), other.Evidence...)
	in := "In " + quote(place) + ": "
	for _, f := range other.Files {
		r.Files = append(r.Files, agent.FileChange{Path: place + "/" + f.Path, Whose: f.Whose})
	}
	for _, a := range other.Actions {
		r.Actions = append(r.Actions, in+a)
	}
	for _, l := range other.Lines {
		r.Lines = append(r.Lines, Line{in + l.Text, place + "\x00" + l.Finding})
	}
	for _, f := range other.Facts {
		f.Tree = place
		r.Facts = append(r.Facts, f)
	}
	if other.Judged > 0 && (r.Judged == 0 || other.Passed == "") {
		r.Passed = other.Passed
	}
	r.Judged += other.Judged
	r.Unresolved = r.Unresolved || other.Unresolved
	r.Generic = r.Generic || other.Generic
	r.OnlyAdded = r.OnlyAdded && len(other.Actions) == 0
	r.sum()
	return r
}

// Commits reports whether the calls commit.
func (r *Reading) Commits() bool { return r != nil && r.turn.commits }

// Outside are the files outside of the work tree that the calls name as written, as
// whole paths.
func (r *Reading) Outside() []string {
	if r == nil {
		return nil
	}
	return r.turn.outsiders
}
