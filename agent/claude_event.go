package agent

import (
	"strconv"

	"github.com/piton-project/piton"
)

// claudeKind names the client's events that mean something to Piton; it has
// about twenty more.
func claudeKind(event string) piton.EventKind {
	switch event {
	case "SessionStart":
		return piton.EventSessionStart
	case "UserPromptSubmit":
		return piton.EventPrompt
	case "PreToolUse":
		return piton.EventToolUse
	case "PostToolUse", "PostToolUseFailure":
		return piton.EventToolDone
	case "Stop":
		return piton.EventStop
	case "StopFailure":
		return piton.EventStopFailed
	case "SubagentStart":
		return piton.EventSubagentStart
	case "SubagentStop":
		return piton.EventSubagentStop
	case "PermissionRequest":
		return piton.EventPermissionRequest
	case "PreCompact":
		return piton.EventPreCompact
	case "SessionEnd":
		return piton.EventSessionEnd
	case "Notification":
		return piton.EventNotification
	}
	return ""
}

// Decode reads a hook's payload. Of a tool's input only a command that is about
// to run and the name of a file that was edited are read.
func (c Claude) Decode(b []byte, getenv func(string) string) (piton.Event, error) {
	p, whole := readPayload(b)
	if !whole {
		return piton.Event{}, torn("Claude Code hands a hook one JSON object on its standard input.")
	}
	e := p.as(c.Name(), claudeKind(p.event))
	e.Took = p.took
	switch e.Kind {
	case piton.EventToolUse, piton.EventToolDone:
		e.Call = claudeTool(e.Tool)
		switch {
		case e.Kind == piton.EventToolUse && e.Call == piton.CallShell:
			e.Command = text(member(p.input, "command"))
		case e.Kind == piton.EventToolDone && e.Call == piton.CallEdit && p.event != "PostToolUseFailure":
			e.Paths = claudePaths(p.input)
		}
	case piton.EventStop:
		e.Background = claudeBackground(p.tasks)
	case piton.EventStopFailed:
		e.Error = p.failure
	case piton.EventSubagentStart, piton.EventSubagentStop:
		if e.Role == "" { // the client's own helper that summarises at /compact
			e.Kind = ""
		}
	}
	return claudeVariables(e, getenv), nil
}

// claudeVariables adds what only the hook's environment tells. The environment
// also holds keys and tokens: these three are all that is ever read.
func claudeVariables(e piton.Event, getenv func(string) string) piton.Event {
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

func claudeBackground(tasks []byte) (out []piton.Background) {
	for task := range elements(tasks) {
		var b piton.Background
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
