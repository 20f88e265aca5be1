package clients

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// TestHooksAtToolsThatChangeFiles: as a rule the tools that can change files have hooks
// before and after, a failure included, and no other tool has. What Decode takes for a
// command, an edit or a tool of a server is what the hooks are asked for.
func TestHooksAtToolsThatChangeFiles(t *testing.T) {
	for _, c := range []struct {
		name, events    string
		changing, other string
	}{
		{"claude", "PreToolUse PostToolUse PostToolUseFailure",
			"Bash PowerShell Edit Write MultiEdit NotebookEdit mcp__fs__write_file mcp__plugin_db_db__run",
			"Read NotebookRead BashOutput KillBash TodoWrite Agent Task Glob Grep WebFetch ReadMcpResourceTool ListMcpResourcesTool ExitPlanMode"},
		{"gemini", "BeforeTool AfterTool",
			"run_shell_command replace write_file mcp_ckpt_echo",
			"read_file read_many_files write_todos list_directory glob save_memory google_web_search ask_user"},
		{"codex", "PreToolUse PostToolUse",
			"Bash apply_patch mcp__demo__save_note",
			"view_image update_plan spawn_agent write_stdin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			of, _ := ByName(c.name)
			events := ""
			for _, h := range of.Settings().Hooks.SomeTools {
				events += " " + h.Event
				// A matcher of other characters than these is a regular expression for each client.
				if strings.Trim(h.Matcher, "_|ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == "" {
					t.Errorf("%s: %q is a list of names", h.Event, h.Matcher)
				}
				for name := range strings.FieldsSeq(c.changing) {
					if e := use(t, of, h.Event, name); !regexp.MustCompile(h.Matcher).MatchString(name) || !changes(e) {
						t.Errorf("%s of %s is not heard, or not known: %+v", h.Event, name, e)
					}
				}
				for name := range strings.FieldsSeq(c.other) {
					if e := use(t, of, h.Event, name); regexp.MustCompile(h.Matcher).MatchString(name) || changes(e) {
						t.Errorf("%s of %s is heard, or taken for one that changes files: %+v", h.Event, name, e)
					}
				}
			}
			if events != " "+c.events {
				t.Errorf("got hooks at%s, want %s", events, c.events)
			}
		})
	}
}

func use(t *testing.T, of client.Client, event, tool string) agent.Event {
	t.Helper()
	e, err := of.Decode(fmt.Appendf(nil, `{"hook_event_name":%q,"tool_name":%q}`, event, tool), nil)
	if err != nil || e.Kind != agent.EventToolUse && e.Kind != agent.EventToolDone {
		t.Fatalf("%s of %s: got %+v, %v", event, tool, e, err)
	}
	return e
}

func changes(e agent.Event) bool {
	return e.Call == agent.CallShell || e.Call == agent.CallEdit || e.MCP
}
