package client

import (
	"strconv"

	"github.com/piton-project/piton/internal/agent"
)

// claudeKind names the client's events that mean something to Piton; it has
// about twenty more.
func claudeKind(event string) agent.EventKind {
	switch event {
	case "SessionStart":
		return agent.EventSessionStart
	case "UserPromptSubmit":
		return agent.EventPrompt
	case "PreToolUse":
		return agent.EventToolUse
	case "PostToolUse", "PostToolUseFailure":
		return agent.EventToolDone
	case "Stop":
		return agent.EventStop
	case "StopFailure":
		return agent.EventStopFailed
	case "SubagentStart":
		return agent.EventSubagentStart
	case "SubagentStop":
		return agent.EventSubagentStop
	case "PermissionRequest":
		return agent.EventPermissionRequest
	case "PreCompact":
		return agent.EventPreCompact
	case "SessionEnd":
		return agent.EventSessionEnd
	case "Notification":
		return agent.EventNotification
	}
	return ""
}

// Decode reads a hook's payload. Of a tool's input only a command that is about
// to run and the name of a file that was edited are read.
func (c Claude) Decode(b []byte, getenv func(string) string) (agent.Event, error) {
	p, whole := readPayload(b)
	if !whole {
		return agent.Event{}, torn("Claude Code hands a hook one JSON object on its standard input.")
	}
	e := p.as(c.Name(), claudeKind(p.event))
	e.Took = p.took
	switch e.Kind {
	case agent.EventToolUse, agent.EventToolDone:
		e.Call = claudeTool(e.Tool)
		switch {
		case e.Kind == agent.EventToolUse && e.Call == agent.CallShell:
			e.Command = text(member(p.input, "command"))
		case e.Kind == agent.EventToolDone && e.Call == agent.CallEdit && p.event != "PostToolUseFailure":
			e.Paths = claudePaths(p.input)
		}
	case agent.EventStop:
		e.Background = claudeBackground(p.tasks)
	case agent.EventStopFailed:
		e.Error = p.failure
	case agent.EventSubagentStart, agent.EventSubagentStop:
		if e.Role == "" { // the client's own helper that summarises at /compact
			e.Kind = ""
		}
	}
	return claudeVariables(e, getenv), nil
}

// claudeVariables adds what only the hook's environment tells. The environment
// also holds keys and tokens: these three are all that is ever read.
func claudeVariables(e agent.Event, getenv func(string) string) agent.Event {
	if getenv == nil {
		return e
	}
	e.ProjectDir = getenv("CLAUDE_PROJECT_DIR")
	if pid, err := strconv.Atoi(getenv("CLAUDE_PID")); err == nil && pid > 0 {
		e.PID = pid
	}
	if e.ClientID == "" {
		e.ClientID = getenv(Claude{}.SessionEnv())
	}
	return e
}

func claudeBackground(tasks []byte) (out []agent.Background) {
	for task := range elements(tasks) {
		var b agent.Background
		for key, value := range members(task) {
			switch string(key) {
			case "id":
				b.ID = text(value)
			case "type":
				b.Type = text(value)
			case "status":
				b.Running = text(value) == "running"
			}
		}
		if b.ID != "" {
			out = append(out, b)
		}
	}
	return out
}
