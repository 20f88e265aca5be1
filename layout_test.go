package piton_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitectureNamesEveryPackage compares the tables of docs/architecture.md
// with the plan: a row for each package, with what it may use.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	last := func(dir string) string { return dir[strings.LastIndexByte(dir, '/')+1:] }
	quoted := regexp.MustCompile("`([^`]+)`")
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(line), " |"), " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, name := range quoted.FindAllStringSubmatch(cells[0], -1) {
			if _, twice := rows[name[1]]; !twice {
				rows[name[1]] = cells[2]
			}
		}
	}
	for room, uses := range rooms {
		got, ok := rows[strings.TrimPrefix(room, "testkit/")]
		if !ok {
			t.Errorf("docs/architecture.md has no row for %q", room)
			continue
		}
		if strings.Contains(got, "arch_test.go") {
			continue // too many for a row
		}
		var want []string
		for _, dir := range uses {
			want = append(want, last(dir))
		}
		if len(want) == 0 {
			want = []string{"nothing"}
		}
		list := strings.Split(got, ", ")
		slices.Sort(list)
		slices.Sort(want)
		if !slices.Equal(list, want) {
			t.Errorf("docs/architecture.md, %q: got that it may use %s, want %s", room, got, strings.Join(want, ", "))
		}
	}
}
