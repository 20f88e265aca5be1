package debrief_test

import (
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

func (s *script) left(path string, n agent.Need) *script { return s.leftOf(path, goTested, n) }

func (s *script) leftOf(path string, home debrief.Home, n agent.Need) *script {
	n.Files = []string{path}
	home.Manifest = true
	s.in.Left = append(s.in.Left, debrief.Left{File: debrief.File{Path: path, Home: &home}, Need: n})
	return s
}

// What the work before left open stays open until a check closes it, whatever else
// this turn does.
func TestWhatIsLeftOpen(t *testing.T) {
	const green, red = "ok  \tshop\t0.1s", "--- FAIL: TestF (0.00s)\nFAIL\nFAIL\tshop\t0.1s\nFAIL"
	failing := agent.Need{Kind: "red", Check: "go test ./...", Ask: "go test ./...", Line: "--- FAIL: TestF"}
	idle := agent.Need{Kind: "own_tests_idle", Ask: "go test ./..."}
	for _, c := range []struct {
		name   string
		script *script
		want   debrief.Class // of the fact that is open; "": none is
		holds  bool
	}{
		{"documents edited", turn().edit("README.md").left("a.go", failing), debrief.ClassRed, true},
		{"committed", turn().run("git add -A && git commit -qm done", "").left("a.go", failing), debrief.ClassRed, true},
		{"nothing done", turn().left("a.go", idle), debrief.ClassOwnIdle, true},
		{"asked for before", turn().edit("README.md").left("a.go", agent.Need{Kind: "red", Check: "go test ./...", Ask: "go test ./...", Asked: true}), debrief.ClassRed, false},
		{"built only", turn().edit("README.md").run("go build ./...", "").left("a.go", idle), debrief.ClassOwnIdle, true},
		{"the tests pass", turn().run("go test ./...", green).left("a.go", failing), "", false},
		{"those of its package pass", turn().run("go test .", green).left("a.go", idle), "", false},
		{"other tests pass", turn().run("go test ./other", green).left("a.go", idle), debrief.ClassOwnIdle, true},
		{"no tests, and its build passes", turn().declares("npm run build").run("npm run build", "").leftOf("a.ts", untested, agent.Need{Kind: "untested", Ask: "npm run build"}), "", false},
		{"no tests, and another language's build passes", turn().declares("npm run build").run("cargo check", "").leftOf("a.ts", untested, agent.Need{Kind: "untested", Ask: "npm run build"}), debrief.ClassUntested, true},
		{"they fail again", turn().run("go test ./...", red, failed).left("a.go", failing), debrief.ClassRed, true},
		{"nobody saw how they went", turn().run("go test ./... | wc -l", "3").left("a.go", failing), debrief.ClassRed, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.script.look()
			var open []debrief.Fact
			for _, f := range r.Facts {
				if f.Open() {
					open = append(open, f)
				}
			}
			var want []debrief.Fact
			if c.want != "" {
				want = []debrief.Fact{{Class: c.want, Holds: c.holds}}
			}
			same := func(a, b debrief.Fact) bool { return a.Class == b.Class && a.Holds == b.Holds }
			switch {
			case !slices.EqualFunc(open, want, same):
				t.Errorf("open %+v, want %q, holding %v", open, c.want, c.holds)
			case c.want != "" && r.Passed != "":
				t.Errorf("%q is praised while something is open", r.Passed)
			}
		})
	}
}
