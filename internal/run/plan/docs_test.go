package plan

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocs: the plan of docs/plans.md is read, its commands run as it says, and its
// tables name keys that are read, and all of them.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../../docs/plans.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Fatal("docs/plans.md has no plan")
	}
	schema := PlanSchema(t)
	for _, b := range blocks {
		if _, err := Parse("plans.md", b[1], nil); err != nil {
			t.Errorf("%v in\n%s", err, b[1])
		}
		if err := schema.Validate(AsRead(t, "plans.yaml", b[1])); err != nil {
			t.Error(err)
		}
	}
	code := regexp.MustCompile("`([^`]+)`")
	section := func(head string) string {
		_, after, ok := strings.Cut(string(text), "\n"+head+"\n")
		if !ok {
			t.Fatalf("docs/plans.md has no %q", head)
		}
		body, _, _ := strings.Cut(after, "\n#")
		return body
	}
	for head, k := range map[string]keys{"## Keys of a plan": planKeys, "## Keys of a step": stepKeys} {
		var named []string
		for line := range strings.Lines(section(head)) {
			cells := strings.Split(line, " | ")
			if len(cells) < 3 || !strings.HasPrefix(line, "| `") {
				continue
			}
			for _, m := range code.FindAllStringSubmatch(cells[0], -1) {
				named = append(named, m[1])
			}
		}
		for _, name := range named {
			if k.find(name) == "" && checkKeys.find(name) == "" {
				t.Errorf("%s: %s is not read", head, name)
			}
		}
		for _, x := range k.list {
			left := []string{"$schema", "on", "name", "status", "continue_on_error", "timeout_minutes", "timeout_sec", "timeout_ms"}
			if !slices.Contains(named, x.name) && !slices.Contains(left, x.name) {
				t.Errorf("%s: %s is missing", head, x.name)
			}
		}
	}
	_, checks, _ := strings.Cut(section("## Keys of a step"), "\n|---|---|\n")
	for _, x := range checkKeys.list {
		if !strings.Contains("\n"+checks, "\n| `"+x.name+"` | ") {
			t.Errorf("no row of the checks is about %s", x.name)
		}
	}
	if n := strings.Count("\n"+checks, "\n| `"); n != len(checkKeys.list) {
		t.Errorf("got %d rows of checks, want %d", n, len(checkKeys.list))
	}
	for _, name := range inputTypes {
		if !strings.Contains(section("## Inputs"), "`"+name+"`") {
			t.Errorf("the type %s of an input is missing", name)
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(programsByName())), codeVariables) {
		if !strings.Contains(section("### In commands"), "`"+name+"`") {
			t.Errorf("%s is missing in the places of commands", name)
		}
	}
	for line := range strings.Lines(section("### In commands")) {
		cells := code.FindAllStringSubmatch(strings.ReplaceAll(line, `\|`, "|"), -1)
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		got, _, _, err := Script(cells[0][1], Resolver{Query: "q"})
		if len(cells) == 2 && (err != nil || got != cells[1][1]) || len(cells) == 1 && err == nil {
			t.Errorf("%s: got %q (%v)", cells[0][1], got, err)
		}
	}
}
