package codex

import (
	_ "embed"
	"slices"
	"time"

	"github.com/piton-project/piton/internal/client"
)

//go:embed checkpoint.md
var checkpointCommand []byte

// changing matches the tools that can change files.
const changing = "^(Bash|apply_patch|mcp__.*)$"

// mostAtEnd is all that the client gives hooks of these events: of a longer
// timeout it warns at every start.
const mostAtEnd = 3 * time.Second

// Settings: the hooks have a file of their own; in config.toml only the MCP
// server has an entry. It is given few variables of the client's environment but
// those that the entry names. The client has no commands of a user's; a skill is what comes nearest. What a
// person has approved is the hook with its matcher and its timeout, so that these
// stay the same over versions and settings as far as they can: the stop's is long
// from the beginning, and it is the only one that a setting may still lengthen.
func (Client) Settings() client.Settings {
	return client.Settings{
		Title:     "Codex CLI",
		Oldest:    "0.169.0",
		Variable:  "CODEX_HOME",
		InHome:    ".codex",
		InProject: ".codex",
		File:      "hooks.json",
		Command:   client.Command{File: "skills/checkpoint/SKILL.md", Opening: "---\n", Text: checkpointCommand, Typed: "$checkpoint"},
		Server: client.Server{
			UserFile: "config.toml", ProjectFile: ".codex/config.toml", Section: "mcp_servers", TOML: true, AllowEach: true,
			Variables: append(slices.Clone(client.Variables), "CODEX_HOME"),
		},
		Logs: []string{"sessions/*/*/*/rollout-*.jsonl"},
		Hooks: client.HookTable{
			Unit: time.Second, Default: 600 * time.Second, Stop: "Stop", Waiting: "PermissionRequest",
			Always: []client.Hook{
				{Event: "SessionStart"},
				{Event: "UserPromptSubmit", Timeout: 30 * time.Second},
				{Event: "Stop", Timeout: 10 * time.Minute},
				{Event: "SubagentStart"},
				{Event: "SubagentStop"},
				{Event: "PermissionRequest"},
				{Event: "PreCompact"},
				{Event: "Interrupt", Timeout: mostAtEnd},
				{Event: "SessionEnd", Timeout: mostAtEnd},
			},
			SomeTools: []client.Hook{
				{Event: "PreToolUse", Matcher: changing},
				{Event: "PostToolUse", Matcher: changing},
			},
			EveryTool: []client.Hook{{Event: "PreToolUse"}, {Event: "PostToolUse"}},
		},
		Ready:    "Codex CLI runs no hook before you have approved it: start codex, which asks, or see /hooks there",
		ReadOnce: true,
		Running:  []func(*client.Exam) client.Check{hooksApproved},
		Checks:   []func(*client.Exam) client.Check{notifyUnused},
	}
}
