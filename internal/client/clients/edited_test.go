package clients

import (
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/client/codex"
	"github.com/piton-project/piton/internal/client/gemini"
)

func TestEditedFiles(t *testing.T) {
	for _, c := range []struct {
		name    string
		client  client.Client
		payload string
		want    []string
	}{
		{"an edit", claude.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"/p/a.go","old_string":"x"}}`, []string{"/p/a.go"}},
		{"a notebook", claude.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"NotebookEdit","tool_input":{"notebook_path":"/p/a.ipynb"}}`, []string{"/p/a.ipynb"}},
		{"an edit that failed", claude.Client{}, `{"hook_event_name":"PostToolUseFailure","tool_name":"Edit","tool_input":{"file_path":"/p/a.go"}}`, nil},
		{"an edit that is to come", claude.Client{}, `{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"/p/a.go"}}`, nil},
		{"a look", claude.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"/p/a.go"}}`, nil},
		{"one that names no file", claude.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":["a.go"]}`, nil},

		{"seen from the folder", gemini.Client{}, `{"hook_event_name":"AfterTool","tool_input":{"file_path":"a.go"},"tool_name":"replace","cwd":"/p"}`, []string{"/p/a.go"}},
		{"an error", gemini.Client{}, `{"hook_event_name":"AfterTool","tool_name":"replace","cwd":"/p","tool_input":{"file_path":"a.go"},"tool_response":{"llmContent":"x","error":{"type":"file_not_found"}}}`, nil},
		{"a shell's command", gemini.Client{}, `{"hook_event_name":"AfterTool","tool_name":"run_shell_command","cwd":"/p","tool_input":{"command":"ls","file_path":"a.go"}}`, nil},

		{"a patch of several", codex.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"apply_patch","cwd":"/p","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n@@\n-*** Add File: no\n+x\n*** Delete File: /q/b.go\n*** End Patch"},"tool_response":"Exit code: 0\nOutput:\nSuccess."}`, []string{"/p/a.go", "/q/b.go"}},
		{"a patch that failed", codex.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"apply_patch","cwd":"/p","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n*** End Patch"},"tool_response":"Exit code: 1\nWall time: 0 seconds\nOutput:\nno such file"}`, nil},
	} {
		t.Run(c.client.Name()+", "+c.name, func(t *testing.T) {
			if e, err := c.client.Decode([]byte(c.payload), nil); err != nil || !slices.Equal(e.Paths, c.want) {
				t.Errorf("got %q (%v), want %q", e.Paths, err, c.want)
			}
		})
	}
}
