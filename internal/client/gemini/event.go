package gemini

import (
	"cmp"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// events are the client's events that mean something to Piton. Those around each
// call of a model (BeforeModel, AfterModel, which comes with every piece of an
// answer, and BeforeToolSelection) mean nothing.
var events = map[string]agent.EventKind{
	"SessionStart": agent.EventSessionStart,
	"BeforeAgent":  agent.EventPrompt,
	"BeforeTool":   agent.EventToolUse,
	"AfterTool":    agent.EventToolDone,
	"AfterAgent":   agent.EventStop,
	"PreCompress":  agent.EventPreCompact,
	"SessionEnd":   agent.EventSessionEnd,
	"Notification": agent.EventNotification,
}

// nothingSaid is what the client says in the place of an answer when an error of the API has ended the turn.
const nothingSaid = "[no response text]"

// Decode reads a hook's payload. What a model was asked and has said, which may
// be large, is stepped over.
func (g Client) Decode(b []byte, getenv func(string) string) (agent.Event, error) {
	p, whole := client.ReadPayload(b)
	if !whole {
		return agent.Event{}, client.ErrTorn("Gemini CLI hands a hook one JSON object on its standard input.")
	}
	e := p.As(g.Name(), events[p.Event])
	e.Prompt, e.LastOutput, e.Subagent, e.Role = "", "", "", ""
	switch e.Kind {
	case agent.EventSessionStart:
		if e.Source == agent.SourceResume {
			e.Transcript = "" // it names a file that will never be
		}
	case agent.EventPrompt:
		// At a stop that was denied it is our own text.
		e.Prompt = withoutHookContext(p.Prompt)
	case agent.EventToolUse, agent.EventToolDone:
		e.Call = toolKind(e.Tool)
		e.Failed = rawjson.Member(p.Response, "error") != nil
		switch e.Call {
		case agent.CallShell:
			e.Command = rawjson.Text(rawjson.Member(p.Input, "command"))
			e.GoesOn = e.Kind == agent.EventToolDone && rawjson.IsTrue(rawjson.Member(p.Input, "is_background"))
		case agent.CallEdit:
			if p := client.Absolute(e.Cwd, rawjson.Text(rawjson.Member(p.Input, "file_path"))); p != "" {
				e.Paths = []string{p}
			}
		}
	case agent.EventStop:
		e.Prompt = withoutHookContext(p.Prompt) // the person's, however often the stop was denied
		if e.LastOutput = p.Said; strings.TrimSpace(p.Said) == nothingSaid {
			e.Kind, e.Error, e.LastOutput, e.Prompt = agent.EventStopFailed, p.Said, "", ""
		}
		e.SaidAll = e.LastOutput != ""
	case agent.EventPreCompact:
		if e.Source != agent.SourceManual { // it comes before each call of a model
			e.Kind, e.Source = "", ""
		}
	case agent.EventNotification:
		if e.Source == "ToolPermission" { // from here on the agent waits for a person
			e.Kind = agent.EventPermissionRequest
			e.Asks = rawjson.Text(rawjson.Member(p.Details, "type")) == "ask_user"
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
	e.Child = true
	e.ProjectDir = getenv("GEMINI_PROJECT_DIR")
	e.Cwd = cmp.Or(e.Cwd, getenv("GEMINI_CWD"))
	e.ClientID = cmp.Or(e.ClientID, getenv(Client{}.SessionEnv()))
	return e
}
