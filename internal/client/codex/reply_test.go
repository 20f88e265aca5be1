package codex

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

func TestHold(t *testing.T) {
	for _, reply := range []string{"auto", "block", "context", ""} {
		got := string(Client{}.Hold("Run \"make test\".\nThen <end>.", "", "0.169.0", reply))
		if want := `{"decision":"block","reason":"Run \"make test\".\nThen <end>."}`; got != want {
			t.Errorf("reply %q: got %s, want %s", reply, got, want)
		}
	}
}

func TestRepliesAreOneObject(t *testing.T) {
	nasty := "a\"b\\c\n\t\x00\x7f\xff\xed\xa0\x80 <&> \u2028 😀"
	for name, got := range map[string][]byte{
		"block":  Client{}.Hold(nasty, "", "", ""),
		"notice": Client{}.Notice(nasty),
		"start":  Client{}.Context(agent.Event{Kind: agent.EventSessionStart}, nasty),
	} {
		var v map[string]any
		if err := json.Unmarshal(got, &v); err != nil {
			t.Errorf("%s: got %q, %v; want one JSON object", name, got, err)
		}
	}
}

func TestNoticeAndContext(t *testing.T) {
	if got, want := string(Client{}.Notice("All clear.")), `{"systemMessage":"All clear."}`; got != want {
		t.Errorf("notice: got %s, want %s", got, want)
	}
	for kind, want := range map[agent.EventKind]string{
		agent.EventSessionStart: `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Resume?"}}`,
		agent.EventPrompt:       `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"Resume?"}}`,
		agent.EventToolUse:      `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"Resume?"}}`,
		agent.EventToolDone:     `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Resume?"}}`,
		agent.EventStop:         "", agent.EventSessionEnd: "", agent.EventPreCompact: "", agent.EventInterrupt: "",
	} {
		if got := string(Client{}.Context(agent.Event{Kind: kind}, "Resume?")); got != want {
			t.Errorf("%s: got %s, want %s", kind, got, want)
		}
	}
}

func TestCommands(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  []string
		want []string
	}{
		{"resume", Client{}.ResumeCommand("01a1f840"), []string{"codex", "resume", "01a1f840"}},
		{"resume nothing", Client{}.ResumeCommand(""), nil},
		{"resume a flag", Client{}.ResumeCommand("--last"), nil},
		{"start", Client{}.StartCommand("go on"), []string{"codex", "go on"}},
		{"start with a flag", Client{}.StartCommand("--help me"), []string{"codex", " --help me"}},
		{"start with the name of a command", Client{}.StartCommand("resume"), []string{"codex", " resume"}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestInside(t *testing.T) {
	for name, want := range map[string]bool{"CODEX_SESSION_ID": true, "CODEX_THREAD_ID": true, "CODEX_HOME": false, "CODEX_CI": false} {
		if got := (Client{}).Inside(func(asked string) string { return map[string]string{name: "x"}[asked] }); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
