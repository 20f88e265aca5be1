package agent

import (
	"errors"
	"strconv"
	"time"

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

// Decode reads a hook's payload. A tool's response, which may be large, is
// stepped over, and so is its input, but for a command that is about to run and
// the name of a file that was edited.
func (c Claude) Decode(payload []byte, getenv func(string) string) (piton.Event, error) {
	e := piton.Event{Agent: c.Name()}
	var failure string
	var failed bool
	var input, tasks []byte
	sources := map[piton.EventKind]string{}
	o := object{b: payload}
	for {
		key, ok := o.next()
		if !ok {
			break
		}
		switch string(key) {
		case "hook_event_name":
			name := text(o.value())
			e.Kind, failed = claudeKind(name), name == "PostToolUseFailure"
		case "session_id":
			e.ClientID = text(o.value())
		case "transcript_path":
			e.Transcript = text(o.value())
		case "cwd":
			e.Cwd = text(o.value())
		case "prompt":
			e.Prompt = text(o.value())
		case "tool_name":
			e.Tool = text(o.value())
		case "tool_input":
			input = o.value()
		case "duration_ms":
			e.Took = time.Duration(min(count(o.value()), maxTook)) * time.Millisecond
		case "last_assistant_message":
			e.LastOutput = text(o.value())
		case "error":
			failure = text(o.value())
		case "background_tasks":
			tasks = o.value()
		case "agent_id":
			e.Subagent = text(o.value())
		case "agent_type":
			e.Role = text(o.value())
		case "source":
			sources[piton.EventSessionStart] = text(o.value())
		case "reason":
			sources[piton.EventSessionEnd] = text(o.value())
		case "trigger":
			sources[piton.EventPreCompact] = text(o.value())
		case "notification_type":
			sources[piton.EventNotification] = text(o.value())
		}
	}
	if !o.whole() {
		return piton.Event{}, &piton.Error{Code: piton.Invalid, Op: "read the hook's payload",
			Hint: "Claude Code hands a hook one JSON object on its standard input.",
			Err:  errors.New("it is not one whole JSON object")}
	}
	e.Source = sources[e.Kind]
	switch e.Kind {
	case piton.EventToolUse, piton.EventToolDone:
		e.Call = claudeTool(e.Tool)
		switch {
		case e.Kind == piton.EventToolUse && e.Call == piton.CallShell:
			e.Command = text(member(input, "command"))
		case e.Kind == piton.EventToolDone && e.Call == piton.CallEdit && !failed:
			e.Paths = claudePaths(input)
		}
	case piton.EventStop:
		e.Background = claudeBackground(tasks)
	case piton.EventStopFailed:
		e.Error = failure
	case piton.EventSubagentStart, piton.EventSubagentStop:
		if e.Role == "" { // the client's own helper that summarises at /compact
			e.Kind = ""
		}
	}
	return claudeVariables(e, getenv), nil
}

// maxTook keeps a duration in milliseconds from overflowing.
const maxTook = int64(1<<63-1) / int64(time.Millisecond)

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
