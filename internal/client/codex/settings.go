package codex

import (
	_ "embed"
	"time"

	"github.com/piton-project/piton/internal/client"
)

//go:embed checkpoint.md
var checkpointCommand []byte

// Settings: the hooks have a file of their own, config.toml is never touched.
// The client has no commands of a user's; a skill is what comes nearest.
// SessionEnd and Interrupt would get 3 s if they named no timeout. What a person
// has approved is the hook with its matcher and its timeout, so that these stay
// the same over versions and settings as far as they can: the stop's is long
// from the beginning.
func (Client) Settings() client.Settings {
	return client.Settings{
		Title:     "Codex CLI",
		Oldest:    "0.169.0",
		Variable:  "CODEX_HOME",
		InHome:    ".codex",
		InProject: ".codex",
		File:      "hooks.json",
		Command:   client.Command{File: "skills/checkpoint/SKILL.md", Opening: "---\n", Text: checkpointCommand, Typed: "$checkpoint"},
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
				{Event: "Interrupt"},
				{Event: "SessionEnd"},
			},
			SomeTools: []client.Hook{
				{Event: "PreToolUse", Matcher: "^Bash$"},
				{Event: "PostToolUse", Matcher: "^(Bash|apply_patch)$"},
			},
			EveryTool: []client.Hook{{Event: "PreToolUse"}, {Event: "PostToolUse"}},
		},
		Ready:    "Codex CLI runs no hook before you have approved it: start codex, which asks, or see /hooks there",
		ReadOnce: true,
		Checks:   []func(*client.Exam) client.Check{hooksApproved, notifyUnused},
	}
}
