// Package gemini is Gemini CLI: its hooks, its logs, and the commands that start
// it.
package gemini

import (
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/client"
)

// Client is client CLI. What is said of it here was recorded from version
// 0.61.0, and read in its program.
type Client struct{}

var _ client.Client = Client{}

// Name returns "gemini".
func (Client) Name() string { return "gemini" }

// Program is the client's own program.
func (Client) Program() client.Program { return program }

var program = client.Program{Name: "gemini", Package: "@google/gemini-cli", Homes: []string{"GEMINI_CLI_HOME"}}

// SessionEnv is set for hooks only; the commands that the agent runs are told
// no session: theirs is that of the process above them.
func (Client) SessionEnv() string { return "GEMINI_SESSION_ID" }

// Inside: the client marks the commands it runs, and names the conversation to
// its hooks.
func (g Client) Inside(getenv func(string) string) bool {
	return getenv("GEMINI_CLI") != "" || getenv(g.SessionEnv()) != ""
}

// ResumeCommand refuses what the client would not read as an id: a flag, the
// place of a session in its list, or the newest one.
func (Client) ResumeCommand(clientID string) []string {
	if _, err := strconv.Atoi(clientID); err == nil || clientID == "" || clientID == "latest" || strings.HasPrefix(clientID, "-") {
		return nil
	}
	return []string{"gemini", "--resume", clientID}
}

// StartCommand puts a space before a prompt that would be read as a flag.
// Without the flag the client would run the prompt and end.
func (Client) StartCommand(prompt string) []string {
	if strings.HasPrefix(prompt, "-") {
		prompt = " " + prompt
	}
	return []string{"gemini", "--prompt-interactive", prompt}
}

// QueueCommand: there is none.
func (Client) QueueCommand(string, string) []string { return nil }
