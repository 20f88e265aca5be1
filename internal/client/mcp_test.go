package client

import (
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

// TestMCP: what tools of MCP servers do, by their names alone.
func TestMCP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool, args string
		kind       agent.CallKind
		command    string
		paths      []string
	}{
		{"mcp__fs__write_file", `{"path":"a","command":"x"}`, agent.CallEdit, "", []string{"a"}},
		{"move_file", `{"source":"a","destination":"b","mode":"c"}`, agent.CallEdit, "", []string{"a", "b"}},
		{"mcp__fs__edit_file", `{"paths":["a","",7,"b"],"file":""}`, agent.CallEdit, "", []string{"a", "b"}},
		{"mcp__term__run_command", `{"command":"ls","path":"a"}`, agent.CallShell, "ls", nil},
		{"bash", `{"cmd":"ls"}`, agent.CallShell, "ls", nil},
		{"mcp_serena_execute_shell_command", `{"command":"ls"}`, agent.CallShell, "ls", nil},
		{"mcp__fs__read_file", `{"path":"a","command":"ls"}`, agent.CallOther, "", nil},
		{"my_bash", `{"command":"ls"}`, agent.CallOther, "", nil},
		{"mcp_mybash", `{"command":"ls"}`, agent.CallOther, "", nil},
	} {
		kind, command, paths := MCP(c.tool, []byte(c.args))
		if kind != c.kind || command != c.command || !slices.Equal(paths, c.paths) {
			t.Errorf("%s %s: got %v %q %q, want %v %q %q", c.tool, c.args, kind, command, paths, c.kind, c.command, c.paths)
		}
	}
}
