package agent

import (
	"errors"
	"strings"

	"github.com/piton-project/piton"
)

// codexKind names the client's events that mean something to Piton. A
// compaction is told before it happens, and a request to the model not at all.
func codexKind(event string) piton.EventKind {
	switch event {
	case "SessionStart":
		return piton.EventSessionStart
	case "UserPromptSubmit":
		return piton.EventPrompt
	case "PreToolUse":
		return piton.EventToolUse
	case "PostToolUse":
		return piton.EventToolDone
	case "PermissionRequest":
		return piton.EventPermissionRequest
	case "Stop":
		return piton.EventStop
	case "Interrupt":
		return piton.EventInterrupt
	case "SubagentStart":
		return piton.EventSubagentStart
	case "SubagentStop":
		return piton.EventSubagentStop
	case "PreCompact":
		return piton.EventPreCompact
	case "SessionEnd":
		return piton.EventSessionEnd
	}
	return ""
}

// codexPayload is a hook's payload, or the one of notify, which came before the
// hooks and tells of a turn's end only.
type codexPayload struct {
	e       piton.Event
	event   string // hook_event_name
	input   []byte // tool_input
	answer  []byte // tool_response
	source  string
	reason  string
	trigger string
	kind    string // notify: type
	thread  string // notify: thread-id
	said    string // notify: last-assistant-message
}

func (p *codexPayload) read(payload []byte) (whole bool) {
	o := object{b: payload}
	for {
		key, ok := o.next()
		if !ok {
			return o.whole()
		}
		switch string(key) {
		case "hook_event_name":
			p.event = text(o.value())
		case "session_id":
			p.e.ClientID = text(o.value())
		case "transcript_path":
			p.e.Transcript = text(o.value())
		case "cwd":
			p.e.Cwd = text(o.value())
		case "prompt":
			p.e.Prompt = text(o.value())
		case "tool_name":
			p.e.Tool = text(o.value())
		case "tool_input":
			p.input = o.value()
		case "tool_response":
			p.answer = o.value()
		case "last_assistant_message":
			p.e.LastOutput = text(o.value())
		case "agent_id":
			p.e.Subagent = text(o.value())
		case "agent_type":
			p.e.Role = text(o.value())
		case "source":
			p.source = text(o.value())
		case "reason":
			p.reason = text(o.value())
		case "trigger":
			p.trigger = text(o.value())
		case "type":
			p.kind = text(o.value())
		case "thread-id":
			p.thread = text(o.value())
		case "last-assistant-message":
			p.said = text(o.value())
		}
	}
}

// Decode reads a hook's payload, or notify's. Hooks may run in a process that
// all sessions share, so the environment says nothing of this one: only where
// the client keeps its files is read from it, and only for notify.
func (c Codex) Decode(payload []byte, getenv func(string) string) (piton.Event, error) {
	p := codexPayload{e: piton.Event{Agent: c.Name()}}
	if !p.read(payload) {
		return piton.Event{}, &piton.Error{Code: piton.Invalid, Op: "read the hook's payload",
			Hint: "Codex hands a hook one JSON object on its standard input, and notify one as the last argument.",
			Err:  errors.New("it is not one whole JSON object")}
	}
	if p.event == "" && p.kind == "agent-turn-complete" {
		return p.notified(getenv), nil
	}
	e := p.e
	e.Kind = codexKind(p.event)
	if e.Subagent != "" && strings.Contains(e.Transcript, e.Subagent) {
		e.Transcript = "" // the subagent's own, not the session's
	}
	switch e.Kind {
	case piton.EventSessionStart:
		e.Source = p.source
	case piton.EventSessionEnd:
		e.Source = p.reason
	case piton.EventPreCompact:
		e.Source = p.trigger
	case piton.EventStop:
		e.Background = codexRunning(e.Transcript)
	case piton.EventToolUse, piton.EventToolDone:
		e.Call = codexTool(e.Tool)
		switch {
		case e.Kind == piton.EventToolUse && e.Call == piton.CallShell:
			e.Command = codexCommand(member(p.input, "command"))
		case e.Kind == piton.EventToolDone && e.Call == piton.CallEdit:
			if a := readCodexAnswer(p.answer); a.exit == nil || *a.exit == 0 {
				e.Paths, _ = codexPatched(text(member(p.input, "command")), e.Cwd)
			}
		}
	}
	return e, nil
}

// notified is the end of a turn by notify. It comes for subagents and for the
// hidden thread that finds a title too, so only a thread that has a log of its
// own, and is nobody's subagent, counts. Its input-messages hold the whole
// conversation and are left alone.
func (p codexPayload) notified(getenv func(string) string) piton.Event {
	e := piton.Event{Agent: p.e.Agent}
	path, ok := codexRollout(codexSessions(getenv), p.thread)
	if !ok {
		return e
	}
	if head, err := readCodexHead(path); err != nil || head.id != p.thread || head.subagent() {
		return e
	}
	e.Kind, e.Unheard = piton.EventStop, true
	e.ClientID, e.Transcript = p.thread, path
	e.Cwd, e.LastOutput = p.e.Cwd, p.said
	e.Background = codexRunning(path)
	return e
}
