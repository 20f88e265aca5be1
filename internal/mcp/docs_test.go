package mcp

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocumentNamesEveryArgument: the table of docs/mcp.md has a row for each tool, with
// exactly its arguments.
func TestDocumentNamesEveryArgument(t *testing.T) {
	b, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(checkpoint_\\w+)` \\| .* \\| (.*) \\|$").FindAllStringSubmatch(string(b), -1) {
		for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[2], -1) {
			said[row[1]] = append(said[row[1]], m[1])
		}
	}
	want := map[string][]string{}
	for name, tool := range tools(t, New(alone(t))) {
		properties := tool["inputSchema"].(map[string]any)["properties"].(map[string]any)
		want[name] = slices.Sorted(maps.Keys(properties))
	}
	for name, list := range said {
		if at := slices.Index(list, "checkpoint_list"); at >= 0 { // "and those of"
			list = slices.Concat(slices.Delete(list, at, at+1), said["checkpoint_list"])
		}
		slices.Sort(list)
		said[name] = list
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("docs/mcp.md (-want +got)\n%s", diff)
	}
	for _, p := range []string{"save_checkpoint", "resume_checkpoint"} {
		if !strings.Contains(string(b), "`"+p+"`") {
			t.Errorf("docs/mcp.md lacks the prompt %s", p)
		}
	}
}
