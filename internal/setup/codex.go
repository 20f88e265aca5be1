package setup

import (
	_ "embed"
	"path/filepath"
	"time"
)

//go:embed codex_checkpoint.md
var codexCheckpoint []byte

// codex is Codex CLI. Its hooks have a file of their own: config.toml is never touched. It has no commands of a user's; a skill
// is what comes nearest.
var codex = client{
	name:    "codex",
	title:   "Codex CLI",
	program: "codex",
	oldest:  "0.169.0",

	variable:  "CODEX_HOME",
	inHome:    ".codex",
	inProject: ".codex",
	settings:  "hooks.json",
	slash:     filepath.Join("skills", "checkpoint", "SKILL.md"),
	slashText: func() []byte { return stamp("---\n", codexCheckpoint) },
	typed:     "$checkpoint",

	unit:    time.Second,
	unset:   600 * time.Second,
	stop:    "Stop",
	atStart: true,

	hooks:  codexHooks,
	ready:  "Codex CLI runs no hook before you have approved it: start codex, which asks, or see /hooks there",
	system: func(string) (below, above []string) { return nil, nil },
	checks: codexChecks,
}

// codexHooks are the events that Piton acts on. Timeouts are seconds; SessionEnd and Interrupt would get 3 if they named none.
// What a person has approved is the hook with its matcher and its timeout, so that these stay the same over versions and
// settings as far as they can: the stop's is long from the beginning.
func codexHooks(t Target) []hook {
	hooks := []hook{
		{event: "SessionStart", timeout: 10},
		{event: "UserPromptSubmit", timeout: 30},
		{event: "Stop", timeout: int(stopTime(t, 10*time.Minute) / time.Second)},
		{event: "SubagentStart", timeout: 10},
		{event: "SubagentStop", timeout: 10},
		{event: "PermissionRequest", timeout: 10},
		{event: "PreCompact", timeout: 10},
		{event: "Interrupt", timeout: 10},
		{event: "SessionEnd", timeout: 10},
	}
	switch {
	case t.EveryTool:
		hooks = append(hooks,
			hook{event: "PreToolUse", timeout: 10},
			hook{event: "PostToolUse", timeout: 10})
	case !t.NoTools: // before risky operations, after edits
		hooks = append(hooks,
			hook{event: "PreToolUse", matcher: "^Bash$", timeout: 10},
			hook{event: "PostToolUse", matcher: "^(Bash|apply_patch)$", timeout: 10})
	default:
		hooks = without("PermissionRequest", hooks)
	}
	return hooks
}
