package claude

import (
	"cmp"
	"strconv"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// events are the client's events that mean something to Piton; it has about
// twenty more.
var events = map[string]agent.EventKind{
	"SessionStart":       agent.EventSessionStart,
	"UserPromptSubmit":   agent.EventPrompt,
	"PreToolUse":         agent.EventToolUse,
	"PostToolUse":        agent.EventToolDone,
	"PostToolUseFailure": agent.EventToolDone,
	"Stop":               agent.EventStop,
	"StopFailure":        agent.EventStopFailed,
	"SubagentStart":      agent.EventSubagentStart,
	"SubagentStop":       agent.EventSubagentStop,
	"PermissionRequest":  agent.EventPermissionRequest,
	"PreCompact":         agent.EventPreCompact,
	"SessionEnd":         agent.EventSessionEnd,
	"Notification":       agent.EventNotification,
}

// asks are the notifications at which the client waits for a person; others tell
// what a person has just done.
var asks = map[string]bool{"permission_prompt": true, "idle_prompt": true, "elicitation_dialog": true}

// rateLimit is the client's word for a limit of the API.
const rateLimit = "rate_limit"

// Decode reads a hook's payload. Of a tool's input only a command and the names of
// edited files are read.
func (c Client) Decode(b []byte, getenv func(string) string) (agent.Event, error) {
	p, whole := client.ReadPayload(b)
	if !whole {
		return agent.Event{}, client.ErrTorn("Claude Code hands a hook one JSON object on its standard input.")
	}
	e := p.As(c.Name(), events[p.Event])
	e.Took = p.Took
	switch e.Kind {
	case agent.EventToolUse, agent.EventToolDone:
		e.Call = toolKind(e.Tool)
		switch e.Call {
		case agent.CallShell:
			e.Command = rawjson.Text(rawjson.Member(p.Input, "command"))
			e.GoesOn = readToolResult(p.Response).task != ""
		case agent.CallEdit:
			e.Paths = pathsOf(p.Input)
		}
		e.Failed = p.Event == "PostToolUseFailure"
		e.MarksOnly = e.MarksOnly || e.Failed
	case agent.EventStop:
		e.Background = backgroundOf(p.Tasks)
	case agent.EventStopFailed:
		e.Error, e.Limit = p.Failure, p.Failure == rateLimit
		if e.Limit {
			e.Resets = client.Resets(p.Said, time.Now())
		}
	case agent.EventPermissionRequest:
		e.Asks = e.Tool == "AskUserQuestion"
	case agent.EventNotification:
		e.Asks = asks[e.Source]
	case agent.EventSubagentStart, agent.EventSubagentStop:
		if e.Role == "" { // the client's own helper that summarises at /compact
			e.Kind = ""
		}
	}
	return withVariables(e, getenv), nil
}

// withVariables adds what only the hook's environment tells. The environment
// also holds keys and tokens: these three are all that is ever read.
func withVariables(e agent.Event, getenv func(string) string) agent.Event {
	if getenv == nil {
		return e
	}
	e.ProjectDir = getenv("CLAUDE_PROJECT_DIR")
	if pid, err := strconv.Atoi(getenv("CLAUDE_PID")); err == nil && pid > 0 {
		e.PID = pid
	}
	e.ClientID = cmp.Or(e.ClientID, getenv(Client{}.SessionEnv()))
	return e
}

// backgroundOf lists what goes on behind: "running/pending" work, as the client says.
func backgroundOf(tasks []byte) (out []agent.Background) {
	for task := range rawjson.Elements(tasks) {
		v := rawjson.Values(task, "id", "type", "status", "command")
		b := agent.Background{ID: rawjson.Text(v[0]), Type: rawjson.Text(v[1]), Running: rawjson.Text(v[2]) == "running"}
		if b.Type == agent.BackgroundShell {
			b.Kind, b.Command = agent.CallShell, rawjson.Text(v[3])
		}
		if b.ID != "" {
			out = append(out, b)
		}
	}
	return out
}
