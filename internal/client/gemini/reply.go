package gemini

import (
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// heldNotice is what the person reads in the place of the whole message.
const heldNotice = agent.Prefix + "the agent was asked to look at its work once more."

// Hold denies the end of the turn: the message becomes the next prompt of the
// same turn, in every version and whatever the setting of the reply. Without a
// short line for the person, the client would show the message as a failure.
func (Client) Hold(message, person, _, _ string) []byte {
	out := append(client.Quoted(`{"decision":"deny","reason":`, message), `,"systemMessage":`...)
	if person != "" {
		person = " " + person
	}
	return append(client.Quoted(string(out), heldNotice+person), '}')
}

// HoldTells: by systemMessage.
func (Client) HoldTells() bool { return true }

// Notice is seen by the person and not by the model.
func (Client) Notice(text string) []byte {
	return append(client.Quoted(`{"systemMessage":`, text), '}')
}

// Context hands text to the model at a prompt, and at the start of a new
// session; the client reads it, and drops it, where a session is taken up again
// or cleared, and at a stop.
func (Client) Context(e agent.Event, text string) []byte {
	switch {
	case e.Kind == agent.EventSessionStart && e.Source == agent.SourceStartup:
		return client.HookContext("SessionStart", text)
	case e.Kind == agent.EventPrompt:
		return client.HookContext("BeforeAgent", text)
	}
	return nil
}
