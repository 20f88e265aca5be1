package setup

import (
	_ "embed"
	"path/filepath"
)

//go:embed claude_checkpoint.md
var claudeCheckpoint []byte

// claude is Claude Code.
var claude = client{
	name:    "claude",
	title:   "Claude Code",
	program: "claude",
	oldest:  "2.1.0",

	home:      func(home string) string { return filepath.Join(home, ".claude") },
	inProject: ".claude",
	settings:  "settings.json",
	local:     "settings.local.json",
	slash:     filepath.Join("commands", "checkpoint.md"),
	slashText: func() []byte { return stamp(claudeCheckpoint) },

	hooks:   claudeHooks,
	command: claudeCommand,
	managed: claudeManaged,
	checks:  claudeChecks,
}

// claudeHooks are the events that Piton acts on. Timeouts are seconds: a stop asks git and reads the transcript, a prompt takes
// the baseline, and SessionEnd would get 1.5 s if it named none.
func claudeHooks(everyTool bool) []hook {
	hooks := []hook{
		{event: "SessionStart", timeout: 10},
		{event: "UserPromptSubmit", timeout: 30},
		{event: "Stop", timeout: 60},
		{event: "StopFailure", timeout: 10},
		{event: "SubagentStart", timeout: 10},
		{event: "SubagentStop", timeout: 10},
		{event: "PermissionRequest", timeout: 10},
		{event: "PreCompact", timeout: 10},
		{event: "SessionEnd", timeout: 10},
	}
	if everyTool {
		return append(hooks,
			hook{event: "PreToolUse", matcher: "*", timeout: 10},
			hook{event: "PostToolUse", matcher: "*", timeout: 10},
			hook{event: "PostToolUseFailure", matcher: "*", timeout: 10})
	}
	return append(hooks, hook{event: "PostToolUse", matcher: "Edit|Write|MultiEdit|NotebookEdit|Bash", timeout: 10})
}

// claudeCommand is what a hook runs. It ends well whatever happens to the program: a Go program that dies of a fatal error exits
// with 2, which at a Stop would hold the agent. A project's settings reach people who have no Piton: there a missing program must
// be silent, since Claude Code complains at every event about a hook that cannot be started.
func claudeCommand(t Target) string {
	if t.Scope == Project {
		return "command -v piton-hook >/dev/null 2>&1 && piton-hook claude 2>/dev/null || :"
	}
	return quote(t.Hook) + " claude 2>/dev/null || :"
}
