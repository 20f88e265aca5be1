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

// ResumesEnv names the variable by which 'piton resume --exec' tells the hooks of the
// client that it starts which checkpoint the client gets the brief of.
const ResumesEnv = "PITON_RESUMES"

// RunEnv and StepEnv name the variables by which what a run starts knows of which
// step it is a part.
const (
	RunEnv  = "PITON_RUN_ID"
	StepEnv = "PITON_STEP_ID"
)

// OpenedEnv names the variable by which 'piton open' tells the hooks of the client that
// it starts that the client's pane is the one that it was started in.
const OpenedEnv = "PITON_OPENED"

// GateEnv names the variable by which a run tells the hooks of the agent that a step
// starts what the gate has to know of the step: GateChecked, GateNoShell, or both with
// a blank between.
const (
	GateEnv     = "PITON_STEP_GATE"
	GateChecked = "checked"  // the step's own checks follow the stop
	GateNoShell = "no-shell" // the agent has no tool that runs commands
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

	Resumes    string        // the checkpoint that a person started this client to resume (ResumesEnv)
	Run, Step  string        // the step of a run in which the client works (RunEnv, StepEnv)
	Gate       []string      // agent_stop: what a step says of its agent (GateEnv)
	Source     string        // session_start, pre_compact: one of the Source constants, or another word of the client's; session_end: the reason
	Prompt     string        // user_prompt_submit; agent_stop: what was asked, where the client says
	Tool       string        // tool_use, tool_done
	Call       CallKind      // tool_use, tool_done: what the tool does
	CallID     string        // tool_use, tool_done: the client's id of the call, the same in both; empty where it gives none
	MCP        bool          // tool_use, tool_done: the tool is one of an MCP server
	Command    string        // tool_use, tool_done of a shell tool: the line
	Paths      []string      // tool_use, tool_done of an edit: the files that it names, absolute where the client says so
	Failed     bool          // tool_done: the client says that the call failed; an edit may have written some of its files
	Took       time.Duration // tool_done
	GoesOn     bool          // tool_done: the command goes on in the background
	LastOutput string        // agent_stop, subagent_stop
	SaidAll    bool          // agent_stop: LastOutput is all that was said since the prompt, before a hold too
	Error      string        // agent_stop_failed
	Limit      bool          // agent_stop_failed: the API takes no requests for a time
	Resets     time.Time     // of a limit: its end, where the client says so
	Message    string        // notification: what the client shows the person
	Asks       bool          // notification, request for permission: the client waits for a person's answer
	Background []Background  // agent_stop: what still runs
	Subagent   string        // the subagent's id; set on every event inside one
	Role       string        // the subagent's type
	// Unheard: the client reads no answer to this event; what is to be said becomes a letter.
	Unheard bool
	// MarksOnly: a tool_done that is reported for the marks. It counts for the session
	// with the timer "activity" only, which counts every tool.
	MarksOnly bool
}

// Background is a task that goes on behind a stopped agent.
type Background struct {
	ID      string   // the client's; Call.Task of the call that started it
	Type    string   // BackgroundSubagent, BackgroundShell, or another word of the client's
	Kind    CallKind // CallShell for a command, CallOther for anything else
	Command string   // of a command: the line, where the client tells
	Running bool
}

// The types of tasks in the background that Piton knows.
const (
	BackgroundSubagent = "subagent"
	BackgroundShell    = "shell"
)
