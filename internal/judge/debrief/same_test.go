package debrief_test

import (
	"testing"

	"github.com/piton-project/piton/internal/judge/debrief"
)

// A file in which nothing changed that a test would notice holds nobody, and is asked
// about only where something would be said of it.
func TestSameFiles(t *testing.T) {
	for _, c := range []struct {
		name   string
		script *script
		asked  int
		lines  int
	}{
		{"a comment", turn().edit("a.go").at("a.go", goTested), 1, 0},
		{"a comment, and red tests: a line", turn().edit("a.go").at("a.go", goTested).run("go test ./...", "--- FAIL: TestX\nFAIL", failed), 1, 1},
		{"code that is covered", turn().edit("a.go").at("a.go", goTested).run("go test ./...", "ok  \tshop\t0.1s"), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			c.script.in.Same = func(string) bool { asked++; return true }
			r := c.script.look()
			wants(t, "actions", r.Actions)
			if asked != c.asked || len(r.Lines) != c.lines {
				t.Errorf("asked %d times, want %d; lines %v", asked, c.asked, r.Lines)
			}
		})
	}
	s := turn().edit("a.go", "b.go").at("a.go", goTested).at("b.go", goTested)
	s.in.Same = func(path string) bool { return path == "a.go" }
	r := s.look()
	wants(t, "actions", r.Actions, "`b.go` changed")
	if r.Judged != 1 || r.Facts[0].Class != debrief.ClassOwnIdle {
		t.Errorf("got %d judged, %+v", r.Judged, r.Facts)
	}
}
