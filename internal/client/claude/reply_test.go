package claude

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

const (
	asBlock   = `{"decision":"block","reason":"Run \"make test\".\nThen <end>."}`
	asContext = `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"Run \"make test\".\nThen <end>."}}`
)

func TestHold(t *testing.T) {
	for _, tt := range []struct{ name, version, reply, want string }{
		{"auto with a version that takes context", "2.1.328", "auto", asContext},
		{"auto with a later patch", "2.1.400", "auto", asContext},
		{"auto with a later minor", "2.2.0", "auto", asContext},
		{"auto with a later major", "3.0.0", "auto", asContext},
		{"auto with a version before", "2.1.327", "auto", asBlock},
		{"auto with a minor before", "2.0.999", "auto", asBlock},
		{"auto with a major before", "1.9.999", "auto", asBlock},
		{"auto with no version", "", "auto", asBlock},
		{"auto with a short version", "2.1", "auto", asBlock},
		{"auto with what is not a version", "two.one.now", "auto", asBlock},
		{"auto with a later pre-release", "2.2.0-beta.1", "auto", asContext},
		{"no setting is auto", "2.1.328", "", asContext},
		{"block whatever the version", "2.1.328", "block", asBlock},
		{"context whatever the version", "", "context", asContext},
	} {
		if got := string(Client{}.Hold("Run \"make test\".\nThen <end>.", "", tt.version, tt.reply)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestRepliesAreOneObject(t *testing.T) {
	nasty := "a\"b\\c\n\t\x00\x7f\xff\xed\xa0\x80 <&> \u2028 😀"
	for name, got := range map[string][]byte{
		"block":   Client{}.Hold(nasty, "", "", "block"),
		"context": Client{}.Hold(nasty, "", "", "context"),
		"notice":  Client{}.Notice(nasty),
		"start":   Client{}.Context(agent.Event{Kind: agent.EventSessionStart}, nasty),
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
		agent.EventSessionEnd:   "",
	} {
		if got := string(Client{}.Context(agent.Event{Kind: kind}, "Resume?")); got != want {
			t.Errorf("context at %s: got %q, want %q", kind, got, want)
		}
	}
}

func TestCommands(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want []string
	}{
		{"resume", Client{}.ResumeCommand("6152e381"), []string{"claude", "--resume", "6152e381"}},
		{"resume nothing", Client{}.ResumeCommand(""), nil},
		{"resume a flag", Client{}.ResumeCommand("--dangerously-skip-permissions"), nil},
		{"start", Client{}.StartCommand("Go on."), []string{"claude", "Go on."}},
		{"start with a list", Client{}.StartCommand("- go on"), []string{"claude", " - go on"}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}
