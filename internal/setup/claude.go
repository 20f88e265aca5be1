package setup

import (
	_ "embed"
	"path/filepath"
	"time"
)

//go:embed claude_checkpoint.md
var claudeCheckpoint []byte

// claude is Claude Code.
var claude = client{
	name:    "claude",
	title:   "Claude Code",
	program: "claude",
	oldest:  "2.1.0",

	variable:  "CLAUDE_CONFIG_DIR",
	inHome:    ".claude",
	inProject: ".claude",
	settings:  "settings.json",
	local:     "settings.local.json",
	slash:     filepath.Join("commands", "checkpoint.md"),
	slashText: func() []byte { return stamp("---\n", claudeCheckpoint) },
	typed:     "/checkpoint",

	unit:  time.Second,
	unset: 600 * time.Second,
	stop:  "Stop",

	hooks:  claudeHooks,
	system: claudeSystem,
	checks: claudeChecks,
}

// claudeHooks are the events that Piton acts on. Timeouts are seconds: a stop asks git and reads the transcript, a prompt takes
// the baseline, and SessionEnd would get 1.5 s if it named none.
func claudeHooks(t Target) []hook {
	hooks := []hook{
		{event: "SessionStart", timeout: 10},
		{event: "UserPromptSubmit", timeout: 30},
		{event: "Stop", timeout: int(stopTime(t, time.Minute) / time.Second)},
		{event: "StopFailure", timeout: 10},
		{event: "SubagentStart", timeout: 10},
		{event: "SubagentStop", timeout: 10},
		{event: "PermissionRequest", timeout: 10},
		{event: "PreCompact", timeout: 10},
		{event: "SessionEnd", timeout: 10},
	}
	switch {
	case t.EveryTool:
		hooks = append(hooks,
			hook{event: "PreToolUse", matcher: "*", timeout: 10},
			hook{event: "PostToolUse", matcher: "*", timeout: 10},
			hook{event: "PostToolUseFailure", matcher: "*", timeout: 10})
	case !t.NoTools: // before risky operations, after edits
		hooks = append(hooks,
			hook{event: "PreToolUse", matcher: "Bash", timeout: 10},
			hook{event: "PostToolUse", matcher: "Edit|Write|MultiEdit|NotebookEdit|Bash", timeout: 10})
	default:
		hooks = without("PermissionRequest", hooks)
	}
	return hooks
}
