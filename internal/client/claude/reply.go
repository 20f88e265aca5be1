package claude

import (
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// contextSince is the first version that is known to go on when a Stop
// hook answers with additionalContext; an older one lets the stop pass.
var contextSince = [3]int{2, 1, 328}

// Hold answers a stop. A block is understood by every version, but the model
// reads it twice and the person sees it whole; context arrives once. auto takes
// context where the version is known to take it. (docs/spec.md,
// "Delivery".)
func (Client) Hold(message, person, clientVersion, reply string) []byte {
	out := append(client.Quoted(`{"decision":"block","reason":`, message), '}')
	if reply == "context" || reply != "block" && takesContext(clientVersion) {
		out = client.HookContext("Stop", message)
	}
	if person != "" {
		out = append(client.Quoted(string(out[:len(out)-1])+`,"systemMessage":`, person), '}')
	}
	return out
}

// HoldTells: by systemMessage.
func (Client) HoldTells() bool { return true }

// Notice is seen by the person and not by the model.
func (Client) Notice(text string) []byte {
	return append(client.Quoted(`{"systemMessage":`, text), '}')
}

// Context hands text to the model. Over 10,000 characters the client keeps it
// in a file and shows the model a preview only. (A finished tool reports under
// two names, and an answer must repeat the one it was asked under: none.)
func (Client) Context(e agent.Event, text string) []byte {
	switch e.Kind {
	case agent.EventSessionStart:
		return client.HookContext("SessionStart", text)
	case agent.EventPrompt:
		return client.HookContext("UserPromptSubmit", text)
	case agent.EventToolUse:
		return client.HookContext("PreToolUse", text)
	}
	return nil
}

// takesContext compares versions like "2.1.328" or "2.2.0-beta.1". One
// that cannot be read counts as old.
func takesContext(version string) bool {
	version, _, _ = strings.Cut(version, "-")
	parts := strings.Split(version, ".")
	if len(parts) != len(contextSince) {
		return false
	}
	for i, least := range contextSince {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < least {
			return false
		}
		if n > least {
			return true
		}
	}
	return true
}
