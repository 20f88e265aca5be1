package agent

import "time"

// EventKind is what a client's hook reports (docs/spec.md, "Words").
type EventKind string

// The kinds of event.
const (
	EventSessionStart      EventKind = "session_start"
	EventPrompt            EventKind = "user_prompt_submit"
	EventToolUse           EventKind = "tool_use"
	EventToolDone          EventKind = "tool_done"
	EventStop              EventKind = "agent_stop"
	EventStopFailed        EventKind = "agent_stop_failed"
	EventSubagentStart     EventKind = "subagent_start"
	EventSubagentStop      EventKind = "subagent_stop"
	EventPermissionRequest EventKind = "permission_request"
	EventInterrupt         EventKind = "interrupt"
	EventPreCompact        EventKind = "pre_compact"
	EventSessionEnd        EventKind = "session_end"
	EventNotification      EventKind = "notification"
)

// What began a session, or asked for a compaction, where Piton acts on it.
const (
	SourceStartup = "startup"
	SourceResume  = "resume"
	SourceClear   = "clear"
	SourceCompact = "compact" // the session goes on after a compaction
	SourceManual  = "manual"  // a person asked for the compaction
)

// Event is one thing a client's hook reported, in words that all clients
// share. Fields that the kind does not have are zero.
type Event struct {
	Kind          EventKind
	Agent         string
	ClientID      string // the client's id of the conversation
	Transcript    string // path
	Cwd           string // where the client is now
	ProjectDir    string // where it was started, if it says so
	ClientVersion string
	PID           int // the client's process, 0 if not known
	// Child: the client starts its hooks itself, so that the nearest process of
	// it above the hook is the one.
	Child bool
	At    time.Time

	Source     string        // session_start, pre_compact: one of the Source constants, or another word of the client's; session_end: the reason
	Prompt     string        // user_prompt_submit; agent_stop: what was asked, where the client says
	Tool       string        // tool_use, tool_done
	Call       CallKind      // tool_use, tool_done: what the tool does
	Command    string        // tool_use of a shell tool: the line
	Paths      []string      // tool_done of an edit that went well: the files, absolute where the client says so
	Took       time.Duration // tool_done
	LastOutput string        // agent_stop, subagent_stop
	Error      string        // agent_stop_failed
	Background []Background  // agent_stop: what still runs
	Subagent   string        // the subagent's id; set on every event inside one
	Role       string        // the subagent's type
	// Unheard: the client reads no answer to this event; what is to be said
	// becomes a letter.
	Unheard bool
}

// Background is a task that goes on behind a stopped agent.
type Background struct {
	ID      string
	Type    string // BackgroundSubagent, or another word of the client's
	Running bool
}

// BackgroundSubagent is the type of a subagent in the background.
const BackgroundSubagent = "subagent"
