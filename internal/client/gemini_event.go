package client

import (
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// geminiKind names the client's events that mean something to Piton. Events
// around each call of a model (BeforeModel, AfterModel, which comes with every
// piece of an answer, and BeforeToolSelection) mean nothing.
func geminiKind(event string) agent.EventKind {
	switch event {
	case "SessionStart":
		return agent.EventSessionStart
	case "BeforeAgent":
		return agent.EventPrompt
	case "BeforeTool":
		return agent.EventToolUse
	case "AfterTool":
		return agent.EventToolDone
	case "AfterAgent":
		return agent.EventStop
	case "PreCompress":
		return agent.EventPreCompact
	case "SessionEnd":
		return agent.EventSessionEnd
	case "Notification":
		return agent.EventNotification
	}
	return ""
}

// geminiNothingSaid is what the client says in the place of an answer when an
// error of the API has ended the turn.
const geminiNothingSaid = "[no response text]"

// Decode reads a hook's payload. What a model was asked and has said, which may
// be large, is stepped over.
func (g Gemini) Decode(b []byte, getenv func(string) string) (agent.Event, error) {
	p, whole := readPayload(b)
	if !whole {
		return agent.Event{}, torn("Gemini CLI hands a hook one JSON object on its standard input.")
	}
	e := p.as(g.Name(), geminiKind(p.event))
	e.Prompt, e.LastOutput, e.Subagent, e.Role = "", "", "", ""
	switch e.Kind {
	case agent.EventSessionStart:
		if e.Source == "resume" {
			e.Transcript = "" // it names a file that will never be
		}
	case agent.EventPrompt:
		// At a stop that was denied it is our own text.
		e.Prompt = geminiSaid(p.prompt)
	case agent.EventToolUse, agent.EventToolDone:
		e.Call = geminiTool(e.Tool)
		switch {
		case e.Kind == agent.EventToolUse && e.Call == agent.CallShell:
			e.Command = text(member(p.input, "command"))
		case e.Kind == agent.EventToolDone && e.Call == agent.CallEdit && member(p.response, "error") == nil:
			if p := absolute(e.Cwd, text(member(p.input, "file_path"))); p != "" {
				e.Paths = []string{p}
			}
		}
	case agent.EventStop:
		e.Prompt = geminiSaid(p.prompt) // the person's, however often the stop was denied
		if e.LastOutput = p.said; strings.TrimSpace(p.said) == geminiNothingSaid {
			e.Kind, e.Error, e.LastOutput, e.Prompt = agent.EventStopFailed, p.said, "", ""
		}
	case agent.EventPreCompact:
		if e.Source != "manual" { // it comes before each call of a model
			e.Kind, e.Source = "", ""
		}
	case agent.EventNotification:
		if e.Source == "ToolPermission" { // from here on the agent waits for a person
			e.Kind = agent.EventPermissionRequest
		}
	}
	return geminiVariables(e, getenv), nil
}

// geminiVariables adds what only the hook's environment tells. The environment
// also holds keys and tokens: these three are all that is ever read.
func geminiVariables(e agent.Event, getenv func(string) string) agent.Event {
	if getenv == nil {
		return e
	}
	e.Child = true
	e.ProjectDir = getenv("GEMINI_PROJECT_DIR")
	if e.Cwd == "" {
		e.Cwd = getenv("GEMINI_CWD")
	}
	if e.ClientID == "" {
		e.ClientID = getenv(Gemini{}.SessionEnv())
	}
	return e
}

// geminiSaid is what a person has said, without what hooks have put before it.
func geminiSaid(words string) string {
	const begin, end = "<hook_context>", "</hook_context>"
	for {
		rest, ok := strings.CutPrefix(strings.TrimSpace(words), begin)
		if !ok {
			return words
		}
		_, words, _ = strings.Cut(rest, end)
		words = strings.TrimSpace(words)
	}
}
