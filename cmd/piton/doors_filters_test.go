package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// TestSameFilters: a list that has a filter at one door has it at all of them.
func TestSameFilters(t *testing.T) {
	d, _ := openDoors(t)
	tools := d.tools()
	for _, c := range []struct{ command, path, tool string }{
		{"list", "/v1/checkpoints", "checkpoint_list"},
		{"search", "/v1/search", "checkpoint_search"},
		{"runs list", "/v1/runs", "run_list"},
	} {
		flags := flagsOf(t, c.command)
		if diff := cmp.Diff(flags, d.parameters(c.path)); diff != "" {
			t.Errorf("piton %s (-) and GET %s (+) do not take the same:\n%s", c.command, c.path, diff)
		}
		// One argument says both, as JSON can.
		flags = slices.DeleteFunc(flags, func(name string) bool { return name == "incomplete" })
		if diff := cmp.Diff(flags, tools[c.tool]); diff != "" {
			t.Errorf("piton %s (-) and %s (+) do not take the same:\n%s", c.command, c.tool, diff)
		}
	}
}

// flagsOf are the flags of a command by which it chooses.
func flagsOf(t *testing.T, command string) (names []string) {
	root := rootCommand(newConsole(nil, nil, nil, func(string) string { return "" }))
	c, _, err := root.Find(strings.Fields(command))
	if err != nil {
		t.Fatal(err)
	}
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains([]string{"help", "no-pager"}, f.Name) {
			names = append(names, strings.ReplaceAll(f.Name, "-", "_"))
		}
	})
	slices.Sort(names)
	return names
}

// parameters are those of a GET request, but for the words to search for.
func (d *doors) parameters(path string) (names []string) {
	answer, failed := d.api("GET", "/openapi.json", "")
	if failed != nil {
		d.t.Fatal(failed)
	}
	route := answer.(map[string]any)["paths"].(map[string]any)[path].(map[string]any)["get"].(map[string]any)
	for _, x := range route["parameters"].([]any) {
		if p := x.(map[string]any); p["in"] == "query" && p["name"] != "words" {
			names = append(names, p["name"].(string))
		}
	}
	slices.Sort(names)
	return names
}

// tools are the arguments of the MCP tools, by tool, in the words of the command line.
func (d *doors) tools() map[string][]string {
	d.t.Helper()
	var out, errOut strings.Builder
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`
	if status := run(d.t.Context(), []string{"mcp"}, strings.NewReader(in), &out, &errOut, d.env); status != 0 {
		d.t.Fatalf("piton mcp: got status %d, %s", status, &errOut)
	}
	list := map[string][]string{}
	for line := range strings.Lines(out.String()) {
		var a struct {
			Result struct {
				Tools []struct {
					Name        string
					InputSchema struct{ Properties map[string]json.RawMessage }
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			d.t.Fatal(err)
		}
		for _, tool := range a.Result.Tools {
			for _, name := range slices.Sorted(maps.Keys(tool.InputSchema.Properties)) {
				switch name {
				case "sessionId":
					name = "session"
				case "query":
					continue
				}
				list[tool.Name] = append(list[tool.Name], name)
			}
			slices.Sort(list[tool.Name])
		}
	}
	return list
}
