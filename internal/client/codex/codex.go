// Package codex is Codex CLI: its hooks, its rollouts, and the commands that
// start it.
package codex

import (
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
)

// Client is the client CLI. What is said of it here was recorded from version
// 0.169.0; forms of older versions are read where they still lie on disk.
type Client struct{}

var _ client.Client = Client{}

// Name returns "codex".
func (Client) Name() string { return "codex" }

// Program is the client's own program.
func (Client) Program() client.Program { return program }

var program = client.Program{Name: "codex", Package: "@openai/codex", Homes: []string{"CODEX_HOME"}, PayloadArgument: true, Confined: true, Server: "app-server", OwnHooks: []string{"-c", "features.daemon_auto_start=false"}}

// SessionEnv: a subagent's commands have their own CODEX_THREAD_ID and the
// session's CODEX_SESSION_ID.
func (Client) SessionEnv() string { return "CODEX_SESSION_ID" }

// Inside: the client names the conversation to each command it runs, and older
// versions the thread only. Its hooks get neither.
func (c Client) Inside(getenv func(string) string) bool {
	return getenv(c.SessionEnv()) != "" || getenv("CODEX_THREAD_ID") != ""
}

// ResumeCommand refuses an id that the client would read as a flag: it came
// from outside.
func (Client) ResumeCommand(clientID string) []string {
	if clientID == "" || strings.HasPrefix(clientID, "-") {
		return nil
	}
	return []string{"codex", "resume", clientID}
}

// StartCommand puts a space before a prompt that would be read as a flag. (A
// prompt of one word that is the name of a command would be that command.)
func (Client) StartCommand(prompt string) []string {
	if strings.HasPrefix(prompt, "-") || !strings.ContainsAny(prompt, " \t\n") {
		prompt = " " + prompt
	}
	return []string{"codex", prompt}
}

// QueueCommand reaches a running client without touching what a person types,
// 6 to 10 s later; one that is not running gets it when it is resumed.
func (c Client) QueueCommand(clientID, text string) []string {
	if c.ResumeCommand(clientID) == nil {
		return nil
	}
	return []string{"codex", "queue", "--thread", clientID, "--message", piton.Say(text)}
}
