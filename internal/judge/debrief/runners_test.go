package debrief_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// runners are all of the table, with the extension of a file that each tests.
func runners() map[string]string {
	all := map[string]string{}
	for _, r := range slices.Concat(tools.Patterns(tools.Runner), tools.Patterns(tools.Umbrella)) {
		all[r] = "go"
	}
	for _, e := range tools.Ecosystems {
		ext := strings.Fields(e.Extensions)[0]
		for r := range all {
			if tools.Of(strings.Fields(r)[0]).Ecosystem == e.Name {
				all[r] = ext
			}
		}
		for _, r := range tools.TestPatterns(e.Name) {
			all[r] = ext
		}
	}
	return all
}

// Every runner of the table has a line of cases: a command that counts as a run
// of it, one that does not, one that is dry, what it prints when a test fails,
// and a run of some tests only.
func TestEveryRunnerHasCases(t *testing.T) {
	text, err := os.ReadFile("testdata/runners.txt")
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"name", "counts", "does not count", "dry", "failing", "scoped"}
	cases := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			fields := strings.Split(line, " | ")
			cases[fields[0]] = fields
		}
	}
	for runner, ext := range runners() {
		c := cases[runner]
		for i, kind := range kinds {
			if i >= len(c) || strings.TrimSpace(c[i]) == "" {
				t.Errorf("%q: no case for %q in testdata/runners.txt", runner, kind)
			}
		}
		if len(c) == len(kinds) {
			t.Run(runner, func(t *testing.T) { tryRunner(t, runner, ext, c) })
		}
		delete(cases, runner)
	}
	for runner := range cases {
		t.Errorf("%q has cases and is not a runner of the table", runner)
	}
}

func tryRunner(t *testing.T, runner, ext string, c []string) {
	counts, not, dry, failing, scoped := c[1], c[2], c[3], c[4], c[5]
	command := func(line string) shell.Command {
		found, err := shell.Parse(line)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", line, err)
		}
		return found[0]
	}
	if !command(counts).Matches(runner) || command(counts).DryRun() {
		t.Errorf("%q is not a run", counts)
	}
	if command(not).Matches(runner) {
		t.Errorf("%q counts", not)
	}
	if !command(dry).DryRun() || command(dry).Matches(runner) {
		t.Errorf("%q is not dry", dry)
	}
	look := func(line, output string) debrief.Result {
		s := turn()
		s.in.Tests = []debrief.Test{{Run: runner, Matches: []string{runner}}}
		return s.edit("a/b."+ext).run(line, output, func(*agent.Call) {}).look()
	}
	proves := func(r debrief.Result) bool {
		return slices.ContainsFunc(r.Evidence, func(e agent.Evidence) bool { return e.Counts })
	}
	if r := look(counts, "5 passed"); !proves(r) || len(r.Actions) > 0 {
		t.Errorf("%q proves nothing: %q", counts, r.Actions)
	}
	for _, line := range []string{not, dry} {
		if r := look(line, ""); proves(r) {
			t.Errorf("%q proves something", line)
		}
	}
	if r := look(counts+" | tail -20", failing); proves(r) || len(r.Actions) == 0 {
		t.Errorf("%q counts though it says %q", counts, failing)
	}
	if !command(scoped).Matches(runner) || command(scoped).DryRun() {
		t.Errorf("%q is not a run", scoped)
	}
}
