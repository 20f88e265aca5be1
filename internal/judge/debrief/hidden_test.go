package debrief_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/testkit/hidden"
)

// Ways to run tests that hide how they went: what each prints of a red run and of a
// green one. A red run is never called passed, and a green one holds nobody.
func TestHiddenStatus(t *testing.T) {
	for _, c := range hidden.Forms(t, "testdata/hidden.jsonl") {
		t.Run(c.Line, func(t *testing.T) {
			r := turn().edit(c.File).at(c.File, tested).run(c.Line, c.Red).look()
			if r.Passed != "" {
				t.Errorf("the red run %q is called passed by %s", c.Red, r.Passed)
			}
			if held := len(r.Actions) > 0; c.Sees && !held {
				t.Errorf("the red run %q holds nobody: %v", c.Red, r.Lines)
			}
			r = turn().edit(c.File).at(c.File, tested).run(c.Line, c.Green).look()
			if red := strings.Join(r.Actions, ""); strings.Contains(red, "was not seen to pass") {
				t.Errorf("the green run %q holds: %s", c.Green, red)
			}
		})
	}
}
