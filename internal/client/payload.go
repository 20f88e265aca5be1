package client

import (
	"errors"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// hookPayload is what a client hands to a hook, in the members that any of the
// clients has: they share most of their names. What may be large, a tool's input
// and its response, is as written.
type hookPayload struct {
	event                    string
	session, transcript, cwd string
	prompt, said             string // the person's words, the agent's last
	tool                     string
	input, response          []byte
	took                     time.Duration
	failure                  string
	tasks                    []byte
	subagent, role           string

	// why the event happened, by its kind
	source, reason, trigger, notification string

	// of Codex's notify
	kind, thread, told string
}

// readPayload reads a payload; what a model was asked, which may be large, is
// stepped over. It is not whole where it is no JSON object or torn.
func readPayload(b []byte) (p hookPayload, whole bool) {
	o := object{b: b}
	for {
		key, ok := o.next()
		if !ok {
			return p, o.whole()
		}
		switch string(key) {
		case "hook_event_name":
			p.event = text(o.value())
		case "session_id":
			p.session = text(o.value())
		case "transcript_path":
			p.transcript = text(o.value())
		case "cwd":
			p.cwd = text(o.value())
		case "prompt":
			p.prompt = text(o.value())
		case "last_assistant_message", "prompt_response":
			p.said = text(o.value())
		case "tool_name":
			p.tool = text(o.value())
		case "tool_input":
			p.input = o.value()
		case "tool_response":
			p.response = o.value()
		case "duration_ms":
			p.took = time.Duration(min(count(o.value()), maxTook)) * time.Millisecond
		case "error":
			p.failure = text(o.value())
		case "background_tasks":
			p.tasks = o.value()
		case "agent_id":
			p.subagent = text(o.value())
		case "agent_type":
			p.role = text(o.value())
		case "source":
			p.source = text(o.value())
		case "reason":
			p.reason = text(o.value())
		case "trigger":
			p.trigger = text(o.value())
		case "notification_type":
			p.notification = text(o.value())
		case "type":
			p.kind = text(o.value())
		case "thread-id":
			p.thread = text(o.value())
		case "last-assistant-message":
			p.told = text(o.value())
		}
	}
}

// maxTook keeps a duration in milliseconds from overflowing.
const maxTook = int64(1<<63-1) / int64(time.Millisecond)

// as is the event of a kind, with what all clients tell in the same way.
func (p hookPayload) as(client string, kind agent.EventKind) agent.Event {
	e := agent.Event{
		Kind: kind, Agent: client, ClientID: p.session, Transcript: p.transcript, Cwd: p.cwd,
		Prompt: p.prompt, Tool: p.tool, LastOutput: p.said, Subagent: p.subagent, Role: p.role,
	}
	switch kind {
	case agent.EventSessionStart:
		e.Source = p.source
	case agent.EventSessionEnd:
		e.Source = p.reason
	case agent.EventPreCompact:
		e.Source = p.trigger
	case agent.EventNotification:
		e.Source = p.notification
	}
	return e
}

// torn is the error of a payload that is not whole.
func torn(hint string) error {
	return &piton.Error{Code: piton.Invalid, Op: "read the hook's payload", Hint: hint, Err: errors.New("it is not one whole JSON object")}
}
