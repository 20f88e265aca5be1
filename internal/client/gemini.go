package client

import (
	"strconv"
	"strings"
)

// Gemini is Gemini CLI. What is said of it here was recorded from version
// 0.61.0, and read in its program.
type Gemini struct{}

var _ Adapter = Gemini{}

// Name returns "gemini".
func (Gemini) Name() string { return "gemini" }

// SessionEnv is set for hooks only; the commands that the agent runs are told
// no session.
func (Gemini) SessionEnv() string { return "GEMINI_SESSION_ID" }

// Inside: the client marks the commands it runs, and names the conversation to
// its hooks.
func (g Gemini) Inside(getenv func(string) string) bool {
	return getenv("GEMINI_CLI") != "" || getenv(g.SessionEnv()) != ""
}

// ResumeCommand refuses what the client would not read as an id: a flag, the
// place of a session in its list, or the newest one.
func (Gemini) ResumeCommand(clientID string) []string {
	if _, err := strconv.Atoi(clientID); err == nil || clientID == "" || clientID == "latest" || strings.HasPrefix(clientID, "-") {
		return nil
	}
	return []string{"gemini", "--resume", clientID}
}

// StartCommand puts a space before a prompt that would be read as a flag.
// Without the flag the client would run the prompt and end.
func (Gemini) StartCommand(prompt string) []string {
	if strings.HasPrefix(prompt, "-") {
		prompt = " " + prompt
	}
	return []string{"gemini", "--prompt-interactive", prompt}
}

// QueueCommand: there is none.
func (Gemini) QueueCommand(string, string) []string { return nil }
