package mcp

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocument: the table of docs/mcp.md is made of what the tools say of themselves.
func TestDocument(t *testing.T) {
	const path = "../../docs/mcp.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	table, all := "\n| tool | what it does | arguments |\n|---|---|---|\n", tools(t, New(alone(t)))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		schema := all[name]["inputSchema"].(map[string]any)
		required, _ := schema["required"].([]any)
		var arguments []string
		for _, a := range slices.Sorted(maps.Keys(schema["properties"].(map[string]any))) {
			if slices.Contains(required, any(a)) {
				arguments = append(arguments, "**`"+a+"`**")
			} else {
				arguments = append(arguments, "`"+a+"`")
			}
		}
		table += fmt.Sprintf("| `%s` | %s | %s |\n", name, all[name]["description"], strings.Join(arguments, ", "))
	}
	want := regexp.MustCompile(`(<!-- tools -->\n)(?:\n|\|.*\n)*`).ReplaceAllLiteralString(string(b), "<!-- tools -->\n"+table+"\n")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(b) {
		t.Errorf("%s is not what the tools say: go test ./internal/mcp -run TestDocument -update writes it anew", path)
	}
	for _, p := range []string{"save_checkpoint", "resume_checkpoint"} {
		if !strings.Contains(string(b), "`"+p+"`") {
			t.Errorf("docs/mcp.md lacks the prompt %s", p)
		}
	}
}
