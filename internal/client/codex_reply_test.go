package client

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

func TestCodexHold(t *testing.T) {
	for _, reply := range []string{"auto", "block", "context", ""} {
		got := string(Codex{}.Hold("Run \"make test\".\nThen <end>.", "0.169.0", reply))
		if want := `{"decision":"block","reason":"Run \"make test\".\nThen <end>."}`; got != want {
			t.Errorf("reply %q: got %s, want %s", reply, got, want)
		}
	}
}

func TestCodexRepliesAreOneObject(t *testing.T) {
	nasty := "a\"b\\c\n\t\x00\x7f\xff\xed\xa0\x80 <&> \u2028 😀"
	for name, got := range map[string][]byte{
		"block":  Codex{}.Hold(nasty, "", ""),
		"notice": Codex{}.Notice(nasty),
		"start":  Codex{}.Context(agent.Event{Kind: agent.EventSessionStart}, nasty),
	} {
		var v map[string]any
		if err := json.Unmarshal(got, &v); err != nil {
			t.Errorf("%s: got %q, %v; want one JSON object", name, got, err)
		}
	}
}

func TestCodexNoticeAndContext(t *testing.T) {
	if got, want := string(Codex{}.Notice("All clear.")), `{"systemMessage":"All clear."}`; got != want {
		t.Errorf("notice: got %s, want %s", got, want)
	}
	for kind, want := range map[agent.EventKind]string{
		agent.EventSessionStart: `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Resume?"}}`,
		agent.EventPrompt:       `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"Resume?"}}`,
		agent.EventToolUse:      `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"Resume?"}}`,
		agent.EventToolDone:     `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Resume?"}}`,
		agent.EventStop:         "", agent.EventSessionEnd: "", agent.EventPreCompact: "", agent.EventInterrupt: "",
	} {
		if got := string(Codex{}.Context(agent.Event{Kind: kind}, "Resume?")); got != want {
			t.Errorf("%s: got %s, want %s", kind, got, want)
		}
	}
}

func TestCodexCommands(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  []string
		want []string
	}{
		{"resume", Codex{}.ResumeCommand("01a1f840"), []string{"codex", "resume", "01a1f840"}},
		{"resume nothing", Codex{}.ResumeCommand(""), nil},
		{"resume a flag", Codex{}.ResumeCommand("--last"), nil},
		{"start", Codex{}.StartCommand("go on"), []string{"codex", "go on"}},
		{"start with a flag", Codex{}.StartCommand("--help me"), []string{"codex", " --help me"}},
		{"start with the name of a command", Codex{}.StartCommand("resume"), []string{"codex", " resume"}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestInsideCodex(t *testing.T) {
	for name, want := range map[string]bool{"CODEX_SESSION_ID": true, "CODEX_THREAD_ID": true, "CODEX_HOME": false, "CODEX_CI": false} {
		if got := (Codex{}).Inside(func(asked string) string { return map[string]string{name: "x"}[asked] }); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if a, ok := ByName("codex"); !ok || a.SessionEnv() != "CODEX_SESSION_ID" {
		t.Errorf("got %v, %v; want the adapter of Codex", a, ok)
	}
}
