package client

import (
	"errors"
	"strings"
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
	tool, call               string
	Input, Response          []byte
	Took                     time.Duration
	Failure                  string
	Tasks                    []byte
	subagent, role           string

	// why the event happened, by its kind
	source, reason, trigger, notification string

	message string // of a notification
	Details []byte

	// of Codex's notify
	Kind, Thread, Told string
}

// ReadPayload reads a payload; what a model was asked, which may be large, is
// stepped over. It is not whole where it is not a JSON object or torn.
func ReadPayload(b []byte) (p Payload, whole bool) {
	var took []byte
	texts := []struct {
		name string
		to   *string
	}{
		{"hook_event_name", &p.Event}, {"session_id", &p.session}, {"transcript_path", &p.transcript}, {"cwd", &p.Cwd},
		{"prompt", &p.Prompt}, {"last_assistant_message", &p.Said}, {"prompt_response", &p.Said}, {"tool_name", &p.tool}, {"tool_use_id", &p.call},
		{"error", &p.Failure}, {"agent_id", &p.subagent}, {"agent_type", &p.role},
		{"source", &p.source}, {"reason", &p.reason}, {"trigger", &p.trigger}, {"notification_type", &p.notification}, {"message", &p.message},
		{"type", &p.Kind}, {"thread-id", &p.Thread}, {"last-assistant-message", &p.Told},
	}
	raws := []struct {
		name string
		to   *[]byte
	}{{"tool_input", &p.Input}, {"tool_response", &p.Response}, {"background_tasks", &p.Tasks}, {"details", &p.Details}, {"duration_ms", &took}}
	o := rawjson.Object{B: b}
	for {
		key, ok := o.Next()
		if !ok {
			p.Took = time.Duration(min(rawjson.Count(took), maxTook)) * time.Millisecond
			return p, o.Whole()
		}
		for _, f := range texts {
			if string(key) == f.name {
				*f.to = rawjson.Text(o.Value())
			}
		}
		for _, f := range raws {
			if string(key) == f.name {
				*f.to = o.Value()
			}
		}
	}
}

// maxTook keeps a duration in milliseconds from overflowing.
const maxTook = int64(1<<63-1) / int64(time.Millisecond)

// As is the event of a kind, with what all clients tell in the same way.
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
		e.Source, e.Message = p.notification, p.message
	case agent.EventToolUse, agent.EventToolDone:
		e.CallID, e.MCP = p.call, strings.HasPrefix(p.tool, mcpPrefix)
		e.MarksOnly = e.MCP && kind == agent.EventToolDone
	}
	return e
}

// ErrTorn is the error of a payload that is not whole.
func ErrTorn(hint string) error {
	return &piton.Error{Code: piton.Invalid, Op: "read the hook's payload", Hint: hint, Err: errors.New("it is not one whole JSON object")}
}
