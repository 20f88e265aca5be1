package client

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// claudeContextSince is the first version that is known to go on when a Stop
// hook answers with additionalContext; an older one lets the stop pass.
var claudeContextSince = [3]int{2, 1, 328}

// Hold answers a stop. A block is understood by every version, but the model
// reads it twice and the person sees it whole; context arrives once. auto takes
// context where the version is known to take it. (docs/spec.md,
// "Delivery".)
func (Claude) Hold(message, clientVersion, reply string) []byte {
	switch {
	case reply == "context", reply != "block" && claudeTakesContext(clientVersion):
		return hookContext("Stop", message)
	}
	return append(quoted(`{"decision":"block","reason":`, message), '}')
}

// Notice is seen by the person and not by the model.
func (Claude) Notice(text string) []byte {
	return append(quoted(`{"systemMessage":`, text), '}')
}

// Context hands text to the model. Over 10,000 characters the client keeps it
// in a file and shows the model a preview only. (A finished tool reports under
// two names, and an answer must repeat the one it was asked under: none.)
func (Claude) Context(e agent.Event, text string) []byte {
	switch e.Kind {
	case agent.EventSessionStart:
		return hookContext("SessionStart", text)
	case agent.EventPrompt:
		return hookContext("UserPromptSubmit", text)
	case agent.EventToolUse:
		return hookContext("PreToolUse", text)
	}
	return nil
}

// hookContext is an answer that hands text to the model; clients that learned
// from each other share its form.
func hookContext(event, text string) []byte {
	return append(quoted(`{"hookSpecificOutput":{"hookEventName":"`+event+`","additionalContext":`, text), "}}"...)
}

// quoted appends s as a JSON string. The client shows the text, or hands it to
// its model: nothing in it steers a terminal.
func quoted(before, s string) []byte {
	out, _ := jsontext.AppendQuote([]byte(before), piton.PrintableLines(s))
	return out
}

// claudeTakesContext compares versions like "2.1.328" or "2.2.0-beta.1". One
// that cannot be read counts as old.
func claudeTakesContext(version string) bool {
	version, _, _ = strings.Cut(version, "-")
	parts := strings.Split(version, ".")
	if len(parts) != len(claudeContextSince) {
		return false
	}
	for i, least := range claudeContextSince {
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
