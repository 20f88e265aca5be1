package project

import (
	"path"
	"slices"

	"github.com/piton-project/piton/internal/judge/tools"
)

// Thin is how a test file shows less than it did when the turn began.
type Thin struct {
	Path string `json:"path"`
	tools.Thin
}

// maxTexts bounds the test files that are compared with what they were.
const maxTexts = 24

// Compares reports whether a file is one whose earlier text Thinned needs. Tests
// that stand in a file of code are only compared where that is known anyway: git
// would have to be asked at every stop.
func Compares(file string) bool {
	e := tools.OfFile(file)
	return e != nil && e.Cases != "" && e.Holds(file)
}

// Thinned tells which of the changed test files show less than they did: was has
// their earlier texts. Tests that moved to another of the changed files are still
// there.
func Thinned(root string, was map[string]*string, changed []string) (all []Thin) {
	seen := newListings()
	now := map[string]string{}
	joined := map[string][2]string{} // by ecosystem: before and now
	for _, file := range changed[:min(len(changed), maxHomes)] {
		file = clean(file)
		of := tools.OfFile(file)
		if of == nil || len(now) == maxTexts {
			continue
		}
		if !Compares(file) && (was[file] == nil || of.Inline == "") {
			continue
		}
		e := of.Name
		now[file] = open(seen, root, dirOf(file)).read(path.Base(file))
		both := joined[e]
		if text := was[file]; text != nil {
			both[0] += *text + "\n"
		}
		both[1] += now[file] + "\n"
		joined[e] = both
	}
	left := map[string][]string{}
	for _, e := range sorted(joined) {
		left[e] = tools.Thinned(joined[e][0], joined[e][1], e).Gone
	}
	for _, file := range sorted(now) {
		if was[file] == nil {
			continue
		}
		e := tools.EcosystemOf(file)
		thin := Thin{Path: file, Thin: tools.Thinned(*was[file], now[file], e)}
		thin.Gone = slices.DeleteFunc(slices.Clone(thin.Gone), func(name string) bool { return !slices.Contains(left[e], name) })
		if thin.Fewer = min(thin.Fewer, len(thin.Gone)); thin.String() != "" {
			all = append(all, thin)
		}
	}
	return all
}
