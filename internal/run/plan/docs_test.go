package plan

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocs: the plan of docs/plans.md is read, and its commands run as it says.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(docsFile)
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
