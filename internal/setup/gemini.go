package setup

import (
	_ "embed"
	"path/filepath"
	"time"
)

//go:embed gemini_checkpoint.toml
var geminiCheckpoint []byte

// gemini is Gemini CLI.
var gemini = client{
	name:    "gemini",
	title:   "Gemini CLI",
	program: "gemini",
	oldest:  "0.61.0",
	npm:     "@google/gemini-cli",

	variable:  "GEMINI_CLI_HOME", // in the place of the user's home
	within:    ".gemini",
	inHome:    ".gemini",
	inProject: ".gemini",
	settings:  "settings.json",
	comments:  true,
	slash:     filepath.Join("commands", "checkpoint.toml"),
	slashText: func() []byte { return stamp("", geminiCheckpoint) },
	typed:     "/checkpoint",

	unit:    time.Millisecond,
	unset:   time.Minute,
	stop:    "AfterAgent",
	atStart: true,

	hooks:  geminiHooks,
	system: geminiSystem,
	checks: geminiChecks,
}

// geminiHooks are the events that Piton acts on. Timeouts are milliseconds. All have one name, by which a person can switch them
// off ("/hooks disable piton"). PreCompress says "auto" before every request to the model, whether it compresses or not: only a
// person's own /compress is asked for.
func geminiHooks(t Target) []hook {
	const name = "piton"
	hooks := []hook{
		{event: "SessionStart", timeout: 10_000},
		{event: "BeforeAgent", timeout: 30_000},
		{event: "AfterAgent", timeout: int(stopTime(t, time.Minute) / time.Millisecond)},
		{event: "Notification", timeout: 10_000},
		{event: "PreCompress", matcher: "manual", timeout: 10_000},
		{event: "SessionEnd", timeout: 10_000},
	}
	switch {
	case t.EveryTool:
		hooks = append(hooks,
			hook{event: "BeforeTool", matcher: "*", timeout: 10_000},
			hook{event: "AfterTool", matcher: "*", timeout: 10_000})
	case !t.NoTools: // before risky operations, after edits
		hooks = append(hooks,
			hook{event: "BeforeTool", matcher: "^run_shell_command$", timeout: 10_000},
			hook{event: "AfterTool", matcher: "^(replace|write_file|run_shell_command)$", timeout: 10_000})
	default:
		hooks = without("Notification", hooks)
	}
	for i := range hooks {
		hooks[i].name = name
	}
	return hooks
}
