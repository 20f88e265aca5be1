package codex

import (
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// Hold answers a stop. The client takes a block with these two keys and no
// other: with any third one the turn ends, and codex exec does not even say so.
// The model gets the reason as a message of its own, of at most 10,000 bytes: a
// longer one loses its middle, of which the client keeps a file. (docs/spec.md,
// "Delivery".)
func (Client) Hold(message, _, _, _ string) []byte {
	return append(client.Quoted(`{"decision":"block","reason":`, message), '}')
}

// HoldTells: it refuses an answer that blocks and has other fields.
func (Client) HoldTells() bool { return false }

// Notice is shown to the person under the agent's last words, and never to the
// model; codex exec, where nobody looks on, leaves it out.
func (Client) Notice(text string) []byte {
	return append(client.Quoted(`{"systemMessage":`, text), '}')
}

// Context hands text to the model as a developer's message, of at most 10,000
// bytes too. After /compact the session's start is reported again, with the
// next prompt.
func (Client) Context(e agent.Event, text string) []byte {
	name, ok := map[agent.EventKind]string{
		agent.EventSessionStart: "SessionStart", agent.EventPrompt: "UserPromptSubmit", agent.EventToolUse: "PreToolUse", agent.EventToolDone: "PostToolUse",
	}[e.Kind]
	if !ok {
		return nil
	}
	return client.HookContext(name, text)
}
