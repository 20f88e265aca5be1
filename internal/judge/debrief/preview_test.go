package debrief_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/judge/debrief"
)

// What a rule asks for in a project is told before any file has changed, and it is
// what a debrief then asks for.
func TestPreview(t *testing.T) {
	found := []debrief.Test{
		{Run: "go test ./...", Matches: []string{"go test"}, Ecosystem: "go"},
		{Run: "npm test", Matches: []string{"npm test"}, Ecosystem: "node", Dir: "web"},
	}
	umbrella := append(slices.Clip(found), debrief.Test{Run: "make test"})
	builtIn := func(name string) debrief.Rule {
		all := debrief.Settings{}.InForce()
		return all[slices.IndexFunc(all, func(r debrief.Rule) bool { return r.Name == name })]
	}
	own := debrief.Rule{Name: "mine", Include: []string{"**"}, Instruction: "run {test}", Evidence: []string{"{test}"}}
	theirs := own
	theirs.Untrusted = true
	for _, c := range []struct {
		name     string
		rule     debrief.Rule
		found    []debrief.Test
		settings debrief.Settings
		asks     string
		proof    string // what it is proven by begins so
	}{
		{"a project without tests", builtIn("Go code"), nil, debrief.Settings{}, "", ""},
		{"its language's command", builtIn("Go code"), found, debrief.Settings{}, "run `go test ./...`", "go test ./..., go test"},
		{"a command of a folder", builtIn("Node code"), found, debrief.Settings{}, "run `npm test` in `web`", "npm test"},
		{"another language", builtIn("Rust code"), found, debrief.Settings{}, "", ""},
		{"a command for all languages", builtIn("Go code"), umbrella, debrief.Settings{}, "run `make test`", "go test ./..., go test, make test"},
		{"a command that was accepted", builtIn("Node code"), found, debrief.Settings{Tests: []string{"just ci"}}, "run `just ci`", "just ci, npm test"},
		{"one for Piton to run", builtIn("Go code"), found, debrief.Settings{Verify: []debrief.Verify{{Run: "go test -race ./...", When: debrief.WhenUnproven}}}, "run `go test -race ./...`", "go test -race ./..., go test ./..."},
		{"files of any language", own, found, debrief.Settings{}, "run `go test ./...` or `npm test` in `web`", "go test ./..., go test, npm test"},
		{"a choice without tests", builtIn("Go dependencies"), nil, debrief.Settings{}, "run `go build ./...`", "go"},
		{"a choice with tests", builtIn("Go dependencies"), found, debrief.Settings{}, "run `go build ./...` or `go test ./...`", "go test ./..."},
		{"a rule that nobody has trusted", theirs, found[:1], debrief.Settings{}, "the project's rule says `run go test ./...`", "go test ./..."},
		{"a rule that asks for nothing", builtIn("docs"), found, debrief.Settings{}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.rule.Preview(c.settings.TestCommands(c.found))
			if got.Asks != c.asks || !strings.HasPrefix(strings.Join(got.ProvenBy, ", "), c.proof) {
				t.Errorf("got %q, proven by %q; want %q, proven by %q", got.Asks, got.ProvenBy, c.asks, c.proof)
			}
		})
	}
}
