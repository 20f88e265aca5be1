package clients

import (
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

func TestByName(t *testing.T) {
	for name, variable := range map[string]string{"claude": "CLAUDE_CODE_SESSION_ID", "gemini": "GEMINI_SESSION_ID", "codex": "CODEX_SESSION_ID"} {
		if c, ok := ByName(name); !ok || c.Name() != name || c.SessionEnv() != variable {
			t.Errorf("%s: got %v, %v; want the client of that name", name, c, ok)
		}
	}
	if c, ok := ByName("ed"); ok {
		t.Errorf("ed: got %v; want none", c)
	}
}

// A client reports its agent's own question as a request for permission.
func TestQuestionsAreNoRequestsForPermission(t *testing.T) {
	for payload, want := range map[string]bool{
		`{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":{"questions":[]}}`:                                                             true,
		`{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"make"}}`:                                                                      false,
		`{"session_id":"s","hook_event_name":"Notification","notification_type":"ToolPermission","message":"Tool requires confirmation","details":{"type":"ask_user","title":"Ask User"}}`: true,
		`{"session_id":"s","hook_event_name":"Notification","notification_type":"ToolPermission","message":"Tool requires execution","details":{"type":"exec","command":"ask_user"}}`:      false,
	} {
		name := "claude"
		if strings.Contains(payload, "Notification") {
			name = "gemini"
		}
		c, _ := ByName(name)
		e, err := c.Decode([]byte(payload), func(string) string { return "" })
		if err != nil || e.Kind != agent.EventPermissionRequest || e.Asks != want {
			t.Errorf("%s: got %s, a question: %v (%v); want %v", payload, e.Kind, e.Asks, err, want)
		}
	}
}
