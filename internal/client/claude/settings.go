package claude

import (
	_ "embed"
	"time"

	"github.com/piton-project/piton/internal/client"
)

// changing matches the tools that can change files. A matcher that is more than a list of
// names is a regular expression, which may match anywhere in a name.
const changing = "^(Bash|PowerShell|Edit|Write|MultiEdit|NotebookEdit|mcp__.*)$"

//go:embed checkpoint.md
var checkpointCommand []byte

// Settings: SessionEnd would get 1.5 s if it named no timeout; a stop asks git
// and reads the transcript, a prompt takes the baseline.
func (Client) Settings() client.Settings {
	return client.Settings{
		Title:      "Claude Code",
		Oldest:     "2.1.0",
		Variable:   "CLAUDE_CONFIG_DIR",
		InHome:     ".claude",
		InProject:  ".claude",
		File:       "settings.json",
		LocalFile:  "settings.local.json",
		Command:    client.Command{File: "commands/checkpoint.md", Opening: "---\n", Text: checkpointCommand, Typed: "/checkpoint"},
		StatusLine: "statusLine",
		Server: client.Server{
			UserFile: ".claude.json", HomeFile: ".claude.json", OldFile: ".config.json", ProjectFile: ".mcp.json", Section: "mcpServers", Locked: true,
			Allow: []string{"permissions", "allow"}, AllowRule: "mcp__" + client.ServerName + "__",
		},
		Logs: []string{"projects/*/*.jsonl"},
		Hooks: client.HookTable{
			Unit: time.Second, Default: 600 * time.Second, Stop: "Stop", Waiting: "PermissionRequest",
			Always: []client.Hook{
				{Event: "SessionStart"},
				{Event: "UserPromptSubmit", Timeout: 30 * time.Second},
				{Event: "Stop", Timeout: time.Minute},
				{Event: "StopFailure"},
				{Event: "SubagentStart"},
				{Event: "SubagentStop"},
				{Event: "PermissionRequest"},
				{Event: "Notification"},
				{Event: "PreCompact"},
				{Event: "SessionEnd"},
			},
			SomeTools: []client.Hook{
				{Event: "PreToolUse", Matcher: changing},
				{Event: "PostToolUse", Matcher: changing},
				{Event: "PostToolUseFailure", Matcher: changing},
			},
			EveryTool: []client.Hook{
				{Event: "PreToolUse", Matcher: "*"},
				{Event: "PostToolUse", Matcher: "*"},
				{Event: "PostToolUseFailure", Matcher: "*"},
			},
		},
		System:  systemFiles,
		Running: []func(*client.Exam) client.Check{hooksAllowed},
		Checks:  []func(*client.Exam) client.Check{serverOn, transcriptsKept},
	}
}
