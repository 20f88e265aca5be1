package client

import "github.com/piton-project/piton/internal/agent"

// geminiHeld is what the person reads in the place of the whole message.
const geminiHeld = agent.Prefix + "the agent was asked to look at its work once more."

// Hold denies the end of the turn: the message becomes the next prompt of the
// same turn, in every version and whatever the setting of the reply. Without a
// short line for the person, the client would show the message as a failure.
func (Gemini) Hold(message, _, _ string) []byte {
	out := append(quoted(`{"decision":"deny","reason":`, message), `,"systemMessage":`...)
	return append(quoted(string(out), geminiHeld), '}')
}

// Notice is seen by the person and not by the model.
func (Gemini) Notice(text string) []byte {
	return append(quoted(`{"systemMessage":`, text), '}')
}

// Context hands text to the model at a prompt, and at the start of a new
// session; the client reads it, and drops it, where a session is taken up again
// or cleared, and at a stop.
func (Gemini) Context(e agent.Event, text string) []byte {
	switch {
	case e.Kind == agent.EventSessionStart && e.Source == "startup":
		return hookContext("SessionStart", text)
	case e.Kind == agent.EventPrompt:
		return hookContext("BeforeAgent", text)
	}
	return nil
}
