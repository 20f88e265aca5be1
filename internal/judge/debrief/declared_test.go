package debrief_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/tools"
)

// What a project without tests is asked for is known as a check, so that it satisfies
// the judge; and where it fails it is red.
func TestDeclaredChecksCount(t *testing.T) {
	for _, e := range tools.Ecosystems {
		for _, c := range e.Checks {
			run, _, _ := strings.Cut(c.Scripts, "|")
			run = c.Run + run
			file := "src/a." + strings.Fields(e.Extensions)[0]
			in := func() *script { return turn().edit(file).at(file, untested).declares(run) }
			if r := in().look(); !slices.ContainsFunc(r.Actions, func(s string) bool { return strings.Contains(s, run) }) {
				t.Errorf("%s: got %q where nothing ran, want %s asked for", e.Name, r.Actions, run)
			}
			if r := in().run(run, "").look(); len(r.Actions) > 0 {
				t.Errorf("%s: held after %s: %q", e.Name, run, r.Actions)
			}
			r := in().run(run, file+":3:5: error: no such thing", failed).look()
			if !slices.ContainsFunc(r.Facts, func(f debrief.Fact) bool { return f.Class == debrief.ClassRed && f.Holds }) {
				t.Errorf("%s: got %+v after %s failed, want it red", e.Name, r.Facts, run)
			}
		}
	}
}
