// Package claude is Claude Code: its hooks, its transcripts, and the commands
// that start it.
package claude

import (
	"strings"

	"github.com/piton-project/piton/internal/client"
)

// Client is client Code. What is said of it here was recorded from versions up
// to 2.1.328.
type Client struct{}

var _ client.Client = Client{}

// Name returns "claude".
func (Client) Name() string { return "claude" }

// Program is the client's own program.
func (Client) Program() client.Program { return program }

var program = client.Program{Name: "claude", Package: "@anthropic-ai/claude-code", Homes: []string{"CLAUDE_CONFIG_DIR"}}

// SessionEnv is also set for the hooks.
func (Client) SessionEnv() string { return "CLAUDE_CODE_SESSION_ID" }

// Inside: the client names itself, and the conversation, to all it starts.
func (c Client) Inside(getenv func(string) string) bool {
	return getenv("CLAUDECODE") != "" || getenv(c.SessionEnv()) != ""
}

// ResumeCommand refuses an id that the client would read as a flag: it came
// from outside.
func (Client) ResumeCommand(clientID string) []string {
	if clientID == "" || strings.HasPrefix(clientID, "-") {
		return nil
	}
	return []string{"claude", "--resume", clientID}
}

// StartCommand puts a space before a prompt that would be read as a flag.
func (Client) StartCommand(prompt string) []string {
	if strings.HasPrefix(prompt, "-") {
		prompt = " " + prompt
	}
	return []string{"claude", prompt}
}

// QueueCommand: there is none.
func (Client) QueueCommand(string, string) []string { return nil }
