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
	for _, l := range other.Lines {
		r.Lines = append(slices.Clip(r.Lines), Line{"In " + quote(place) + ": " + l.Text, place + "\x00" + l.Finding})
	}
	for _, f := range other.Facts {
		f.Tree = place
		r.Facts = append(slices.Clip(r.Facts), f)
	}
	if other.Judged > 0 && (r.Judged == 0 || other.Passed == "") {
		r.Passed = other.Passed
	}
	r.Judged += other.Judged
	r.Unresolved = r.Unresolved || other.Unresolved
	r.Generic = r.Generic || other.Generic
	r.OnlyAdded = r.OnlyAdded && len(other.Actions) == 0
	r.AllClear = len(r.Actions)+len(r.Lines) == 0
	r.Message = ""
	if len(r.Actions)+len(r.Observations) > 0 {
		r.Message = orGeneric(func() string { return compose(r) })
	}
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
