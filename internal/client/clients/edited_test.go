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
		failed  bool
	}{
		{"an edit", claude.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"/p/a.go","old_string":"x"}}`, []string{"/p/a.go"}, false},
		{"a notebook", claude.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"NotebookEdit","tool_input":{"notebook_path":"/p/a.ipynb"}}`, []string{"/p/a.ipynb"}, false},
		{"an edit that failed", claude.Client{}, `{"hook_event_name":"PostToolUseFailure","tool_name":"Edit","tool_input":{"file_path":"/p/a.go"}}`, []string{"/p/a.go"}, true},
		{"an edit that is to come", claude.Client{}, `{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"/p/a.go"}}`, []string{"/p/a.go"}, false},
		{"a look", claude.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"/p/a.go"}}`, nil, false},
		{"one that names no file", claude.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":["a.go"]}`, nil, false},

		{"seen from the folder", gemini.Client{}, `{"hook_event_name":"AfterTool","tool_input":{"file_path":"a.go"},"tool_name":"replace","cwd":"/p"}`, []string{"/p/a.go"}, false},
		{"an error", gemini.Client{}, `{"hook_event_name":"AfterTool","tool_name":"replace","cwd":"/p","tool_input":{"file_path":"a.go"},"tool_response":{"llmContent":"x","error":{"type":"file_not_found"}}}`, []string{"/p/a.go"}, true},
		{"one that is to come", gemini.Client{}, `{"hook_event_name":"BeforeTool","tool_name":"write_file","cwd":"/p","tool_input":{"file_path":"a.go","content":"x"}}`, []string{"/p/a.go"}, false},
		{"a shell's command", gemini.Client{}, `{"hook_event_name":"AfterTool","tool_name":"run_shell_command","cwd":"/p","tool_input":{"command":"ls","file_path":"a.go"}}`, nil, false},

		{"a patch of several", codex.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"apply_patch","cwd":"/p","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n@@\n-*** Add File: no\n+x\n*** Delete File: /q/b.go\n*** End Patch"},"tool_response":"Exit code: 0\nOutput:\nSuccess."}`, []string{"/p/a.go", "/q/b.go"}, false},
		{"a patch that is to come", codex.Client{}, `{"hook_event_name":"PreToolUse","tool_name":"apply_patch","cwd":"/p","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n*** End Patch"}}`, []string{"/p/a.go", "/p/b.go"}, false},
		{"a patch that failed", codex.Client{}, `{"hook_event_name":"PostToolUse","tool_name":"apply_patch","cwd":"/p","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n*** End Patch"},"tool_response":"Exit code: 1\nWall time: 0 seconds\nOutput:\nno such file"}`, []string{"/p/a.go"}, true},
	} {
		t.Run(c.client.Name()+", "+c.name, func(t *testing.T) {
			if e, err := c.client.Decode([]byte(c.payload), nil); err != nil || !slices.Equal(e.Paths, c.want) || e.Failed != c.failed {
				t.Errorf("got %q, failed %v (%v); want %q, %v", e.Paths, e.Failed, err, c.want, c.failed)
			}
		})
	}
}
