package client

import (
	"errors"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// Payload is what a client hands to a hook, in the members that any of the
// clients has: they share most of their names. What may be large, a tool's input
// and its response, is as written.
type Payload struct {
	Event                    string
	session, transcript, Cwd string
	Prompt, Said             string // the person's words, the agent's last
	tool                     string
	Input, Response          []byte
	Took                     time.Duration
	Failure                  string
	Tasks                    []byte
	subagent, role           string

	// why the event happened, by its kind
	source, reason, trigger, notification string

	// of Codex's notify
	Kind, Thread, Told string
}

// ReadPayload reads a payload; what a model was asked, which may be large, is
// stepped over. It is not whole where it is no JSON object or torn.
func ReadPayload(b []byte) (p Payload, whole bool) {
	o := rawjson.Object{B: b}
	for {
		key, ok := o.Next()
		if !ok {
			return p, o.Whole()
		}
		switch string(key) {
		case "hook_event_name":
			p.Event = rawjson.Text(o.Value())
		case "session_id":
			p.session = rawjson.Text(o.Value())
		case "transcript_path":
			p.transcript = rawjson.Text(o.Value())
		case "cwd":
			p.Cwd = rawjson.Text(o.Value())
		case "prompt":
			p.Prompt = rawjson.Text(o.Value())
		case "last_assistant_message", "prompt_response":
			p.Said = rawjson.Text(o.Value())
		case "tool_name":
			p.tool = rawjson.Text(o.Value())
		case "tool_input":
			p.Input = o.Value()
		case "tool_response":
			p.Response = o.Value()
		case "duration_ms":
			p.Took = time.Duration(min(rawjson.Count(o.Value()), maxTook)) * time.Millisecond
		case "error":
			p.Failure = rawjson.Text(o.Value())
		case "background_tasks":
			p.Tasks = o.Value()
		case "agent_id":
			p.subagent = rawjson.Text(o.Value())
		case "agent_type":
			p.role = rawjson.Text(o.Value())
		case "source":
			p.source = rawjson.Text(o.Value())
		case "reason":
			p.reason = rawjson.Text(o.Value())
		case "trigger":
			p.trigger = rawjson.Text(o.Value())
		case "notification_type":
			p.notification = rawjson.Text(o.Value())
		case "type":
			p.Kind = rawjson.Text(o.Value())
		case "thread-id":
			p.Thread = rawjson.Text(o.Value())
		case "last-assistant-message":
			p.Told = rawjson.Text(o.Value())
		}
	}
}

// maxTook keeps a duration in milliseconds from overflowing.
const maxTook = int64(1<<63-1) / int64(time.Millisecond)

// as is the event of a kind, with what all clients tell in the same way.
func (p Payload) As(client string, kind agent.EventKind) agent.Event {
	e := agent.Event{
		Kind: kind, Agent: client, ClientID: p.session, Transcript: p.transcript, Cwd: p.Cwd,
		Prompt: p.Prompt, Tool: p.tool, LastOutput: p.Said, Subagent: p.subagent, Role: p.role,
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
func ErrTorn(hint string) error {
	return &piton.Error{Code: piton.Invalid, Op: "read the hook's payload", Hint: hint, Err: errors.New("it is not one whole JSON object")}
}
