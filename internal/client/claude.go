package client

import "strings"

// Claude is Claude Code. What is said of it here was recorded from versions up
// to 2.1.328.
type Claude struct{}

var _ Adapter = Claude{}

// Name returns "claude".
func (Claude) Name() string { return "claude" }

// SessionEnv is also set for the hooks.
func (Claude) SessionEnv() string { return "CLAUDE_CODE_SESSION_ID" }

// Inside: the client names itself, and the conversation, to all it starts.
func (c Claude) Inside(getenv func(string) string) bool {
	return getenv("CLAUDECODE") != "" || getenv(c.SessionEnv()) != ""
}

// ResumeCommand refuses an id that the client would read as a flag: it came
// from outside.
func (Claude) ResumeCommand(clientID string) []string {
	if clientID == "" || strings.HasPrefix(clientID, "-") {
		return nil
	}
	return []string{"claude", "--resume", clientID}
}

// StartCommand puts a space before a prompt that would be read as a flag.
func (Claude) StartCommand(prompt string) []string {
	if strings.HasPrefix(prompt, "-") {
		prompt = " " + prompt
	}
	return []string{"claude", prompt}
}

// QueueCommand: there is none.
func (Claude) QueueCommand(string, string) []string { return nil }
