package agent

import (
	"errors"
	"strings"

	"github.com/piton-project/piton"
)

// geminiKind names the client's events that mean something to Piton. Events
// around each call of a model (BeforeModel, AfterModel, which comes with every
// piece of an answer, and BeforeToolSelection) mean nothing.
func geminiKind(event string) piton.EventKind {
	switch event {
	case "SessionStart":
		return piton.EventSessionStart
	case "BeforeAgent":
		return piton.EventPrompt
	case "BeforeTool":
		return piton.EventToolUse
	case "AfterTool":
		return piton.EventToolDone
	case "AfterAgent":
		return piton.EventStop
	case "PreCompress":
		return piton.EventPreCompact
	case "SessionEnd":
		return piton.EventSessionEnd
	case "Notification":
		return piton.EventNotification
	}
	return ""
}

// geminiNothingSaid is what the client says in the place of an answer when an
// error of the API has ended the turn.
const geminiNothingSaid = "[no response text]"

// Decode reads a hook's payload. What a model was asked and has said and what a
// tool answered, which may be large, is stepped over.
func (g Gemini) Decode(payload []byte, getenv func(string) string) (piton.Event, error) {
	e := piton.Event{Agent: g.Name()}
	var input, response []byte
	sources := map[piton.EventKind]string{}
	o := object{b: payload}
	for {
		key, ok := o.next()
		if !ok {
			break
		}
		switch string(key) {
		case "hook_event_name":
			e.Kind = geminiKind(text(o.value()))
		case "session_id":
			e.ClientID = text(o.value())
		case "transcript_path":
			e.Transcript = text(o.value())
		case "cwd":
			e.Cwd = text(o.value())
		case "prompt":
			e.Prompt = text(o.value())
		case "prompt_response":
			e.LastOutput = text(o.value())
		case "tool_name":
			e.Tool = text(o.value())
		case "tool_input":
			input = o.value()
		case "tool_response":
			response = o.value()
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
			Hint: "Gemini CLI hands a hook one JSON object on its standard input.",
			Err:  errors.New("it is not one whole JSON object")}
	}
	e.Source = sources[e.Kind]
	return geminiVariables(geminiMeaning(e, input, response), getenv), nil
}

// geminiMeaning is what the event means beside its name.
func geminiMeaning(e piton.Event, input, response []byte) piton.Event {
	prompt, said := e.Prompt, e.LastOutput
	e.Prompt, e.LastOutput = "", ""
	switch e.Kind {
	case piton.EventSessionStart:
		if e.Source == "resume" {
			e.Transcript = "" // it names a file that will never be
		}
	case piton.EventPrompt:
		// At a stop that was denied it is our own text.
		e.Prompt = geminiSaid(prompt)
	case piton.EventToolUse, piton.EventToolDone:
		e.Call = geminiTool(e.Tool)
		switch {
		case e.Kind == piton.EventToolUse && e.Call == piton.CallShell:
			e.Command = text(member(input, "command"))
		case e.Kind == piton.EventToolDone && e.Call == piton.CallEdit && member(response, "error") == nil:
			if p := absolute(e.Cwd, text(member(input, "file_path"))); p != "" {
				e.Paths = []string{p}
			}
		}
	case piton.EventStop:
		e.Prompt = geminiSaid(prompt) // the person's, however often the stop was denied
		if e.LastOutput = said; strings.TrimSpace(said) == geminiNothingSaid {
			e.Kind, e.Error, e.LastOutput, e.Prompt = piton.EventStopFailed, said, "", ""
		}
	case piton.EventPreCompact:
		if e.Source != "manual" { // it comes before each call of a model
			e.Kind, e.Source = "", ""
		}
	case piton.EventNotification:
		if e.Source == "ToolPermission" { // from here on the agent waits for a person
			e.Kind = piton.EventPermissionRequest
		}
	}
	return e
}

// geminiVariables adds what only the hook's environment tells. The environment
// also holds keys and tokens: these three are all that is ever read.
func geminiVariables(e piton.Event, getenv func(string) string) piton.Event {
	if getenv == nil {
		return e
	}
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
