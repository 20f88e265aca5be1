package gemini

import (
	_ "embed"
	"time"

	"github.com/piton-project/piton/internal/client"
)

//go:embed checkpoint.toml
var checkpointCommand []byte

//go:embed policy.toml
var policy []byte

// changing matches the tools that can change files.
const changing = "^(replace|write_file|run_shell_command|mcp_.*)$"

// maxWait is how long the client waits for the server, in milliseconds; ten
// minutes without it, also at a start.
const maxWait = 10_000

// Settings: all hooks have one name, by which a person can switch them off
// ("/hooks disable piton"). PreCompress says "auto" before every request to the
// model, whether it compresses or not: only a person's own /compress is asked
// for.
func (Client) Settings() client.Settings {
	return client.Settings{
		Title:              "Gemini CLI",
		Oldest:             "0.61.0",
		VersionFromPackage: true,
		Variable:           "GEMINI_CLI_HOME", // in the place of the user's home
		Within:             ".gemini",
		InHome:             ".gemini",
		InProject:          ".gemini",
		File:               "settings.json",
		Comments:           true,
		Command:            client.Command{File: "commands/checkpoint.toml", Text: checkpointCommand, Typed: "/checkpoint"},
		Server: client.Server{
			UserFile: "settings.json", ProjectFile: ".gemini/settings.json", Section: "mcpServers", Timeout: maxWait,
			AllowFile: "policies/piton.toml", AllowText: policy,
		},
		Logs: []string{"tmp/*/chats/session-*.jsonl", "tmp/*/chats/session-*.json"},
		Hooks: client.HookTable{
			Unit: time.Millisecond, Default: time.Minute, Name: "piton", Stop: "AfterAgent", Waiting: "Notification",
			Always: []client.Hook{
				{Event: "SessionStart"},
				{Event: "BeforeAgent", Timeout: 30 * time.Second},
				{Event: "AfterAgent", Timeout: time.Minute},
				{Event: "Notification"},
				{Event: "PreCompress", Matcher: "manual"},
				{Event: "SessionEnd"},
			},
			SomeTools: []client.Hook{
				{Event: "BeforeTool", Matcher: changing},
				{Event: "AfterTool", Matcher: changing},
			},
			EveryTool: []client.Hook{{Event: "BeforeTool", Matcher: "*"}, {Event: "AfterTool", Matcher: "*"}},
		},
		ReadOnce: true,
		System:   systemFiles,
		Ready:    "Gemini CLI runs no hook in a folder that you have not trusted: start gemini there, which asks, or see /permissions there",
		Running:  []func(*client.Exam) client.Check{hooksAllowed, folderTrusted},
		Checks:   []func(*client.Exam) client.Check{serverOn, transcriptsKept},
	}
}
