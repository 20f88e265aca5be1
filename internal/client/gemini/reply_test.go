package gemini

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

func TestHold(t *testing.T) {
	want := `{"decision":"deny","reason":"Run \"make test\".\nThen <end>.","systemMessage":"[Piton Checkpoint] - the agent was asked to look at its work once more."}`
	for _, reply := range []string{"", "auto", "block", "context"} {
		if got := string(Client{}.Hold("Run \"make test\".\nThen <end>.", "", "0.61.0", reply)); got != want {
			t.Errorf("reply %q: got %s, want %s", reply, got, want)
		}
	}
}

func TestRepliesAreOneObject(t *testing.T) {
	nasty := "a\"b\\c\n\t\x00\x7f\xff\xed\xa0\x80 <&> \u2028 😀"
	for name, got := range map[string][]byte{
		"hold":   Client{}.Hold(nasty, "", "", ""),
		"notice": Client{}.Notice(nasty),
		"start":  Client{}.Context(agent.Event{Kind: agent.EventSessionStart, Source: "startup"}, nasty),
	} {
		var v map[string]any
		if err := json.Unmarshal(got, &v); err != nil {
			t.Errorf("%s: got %q, %v; want one JSON object", name, got, err)
		}
		// The client shows the whole message to the person if there is no short one.
		if s, ok := v["systemMessage"].(string); name == "hold" && (!ok || !strings.HasPrefix(s, agent.Prefix)) {
			t.Errorf("%s: got the line %q, want one with the prefix", name, s)
		}
	}
}

func TestNoticeAndContext(t *testing.T) {
	if got, want := string(Client{}.Notice("All clear.")), `{"systemMessage":"All clear."}`; got != want {
		t.Errorf("notice: got %s, want %s", got, want)
	}
	for _, tt := range []struct {
		kind   agent.EventKind
		source string
		want   string
	}{
		{agent.EventSessionStart, "startup", `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Resume?"}}`},
		{agent.EventPrompt, "", `{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"Resume?"}}`},
		{agent.EventSessionStart, "resume", ""},
		{agent.EventSessionStart, "clear", ""},
		{agent.EventSessionStart, "", ""},
		{agent.EventToolUse, "", ""},
		{agent.EventToolDone, "", ""},
		{agent.EventStop, "", ""},
		{agent.EventPreCompact, "manual", ""},
		{agent.EventSessionEnd, "exit", ""},
	} {
		if got := string(Client{}.Context(agent.Event{Kind: tt.kind, Source: tt.source}, "Resume?")); got != tt.want {
			t.Errorf("context at %s %s: got %q, want %q", tt.kind, tt.source, got, tt.want)
		}
	}
}

func TestCommands(t *testing.T) {
	const id = "ffce36ee-8b71-47f4-8622-b542a972c132"
	for _, tt := range []struct {
		name      string
		got, want []string
	}{
		{"resume", Client{}.ResumeCommand(id), []string{"gemini", "--resume", id}},
		{"resume nothing", Client{}.ResumeCommand(""), nil},
		{"resume a flag", Client{}.ResumeCommand("--yolo"), nil},
		{"resume a place in a list", Client{}.ResumeCommand("5"), nil},
		{"resume the newest", Client{}.ResumeCommand("latest"), nil},
		{"start", Client{}.StartCommand("Go on."), []string{"gemini", "--prompt-interactive", "Go on."}},
		{"start with a list", Client{}.StartCommand("- go on"), []string{"gemini", "--prompt-interactive", " - go on"}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestInside(t *testing.T) {
	for _, tt := range []struct {
		name, variable string
		want           bool
	}{{"a command of the agent's", "GEMINI_CLI", true}, {"a hook", "GEMINI_SESSION_ID", true}, {"a person's shell", "GEMINI_API_KEY", false}} {
		got := Client{}.Inside(func(name string) string {
			if name == tt.variable {
				return "1"
			}
			return ""
		})
		if got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
