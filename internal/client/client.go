// Package client says what Piton must know of one agent client: how it reports
// its events, where its log tells what happened in a turn, how a stop is
// answered, which commands start and resume it, and how it is set up. Each
// client is a package of its own below this one; package clients lists them.
package client

import (
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// Client is one client. Adding one takes a package that implements this and a
// line in package clients.
type Client interface {
	// Name is what configuration and records call the client.
	Name() string
	Hooks
	Log
	Process
	Terminal
	Headless
	// Settings says how Piton is installed into the client.
	Settings() Settings
}

// Hooks reads what the client reports at an event, and words the answers.
type Hooks interface {
	// Decode reads one hook payload. Single fields of a wrong type count as
	// missing. An event that means nothing to Piton gives an empty Kind and no
	// error; what is not a payload at all is Invalid. getenv is asked for the
	// client's own variables, and where its files lie, and for nothing else;
	// Event.At is left to the door.
	Decode(payload []byte, getenv func(string) string) (agent.Event, error)
	// Hold is the answer to a stop that is held. reply is the setting of that
	// name: auto, block or context. person is shown to the person beside it, where
	// HoldTells; "" for nothing.
	Hold(message, person, clientVersion, reply string) []byte
	// HoldTells reports whether the answer to a held stop can tell the person
	// something.
	HoldTells() bool
	// Notice is an answer that shows one line to the person and lets go.
	Notice(text string) []byte
	// Context is an answer that hands text to the model at this event (its kind,
	// and at a session's start its source, decide); nil where the client takes
	// none.
	Context(e agent.Event, text string) []byte
}

// Log reads what the client wrote down of a session.
type Log interface {
	// Transcript reads the current turn from the end of the client's log.
	// since is when the turn began; when it is zero, the newest real prompt
	// bounds the turn. Where end is not 0, the turn ended long ago: it is read as if
	// the log was no longer than end bytes, and what subagents began later is left
	// out by the caller. NotFound (and fs.ErrNotExist) when there is no such
	// file, Invalid when it is not a file of lines, Unavailable when it cannot be
	// read.
	Transcript(path string, since time.Time, end int64) (agent.Transcript, error)
	// Prompts lists the real prompts of a log, in their order, reading forward
	// within bounds: whole is false where the log goes on behind them. The codes
	// of errors are those of Transcript.
	Prompts(path string) (list []Prompt, whole bool, err error)
	// Spending hands over what each request of a session and of its subagents has used,
	// reading forward within bounds: whole is false where not all could be read. The codes of
	// errors are those of Transcript.
	Spending(path string, take func(agent.Request)) (whole bool, err error)
	// About tells whose log it is, from its beginning. The codes of errors are those
	// of Transcript.
	About(path string) (About, error)
}

// Prompt is one real prompt in a log. What lies before Offset, kept as a file of
// its own, is read by Transcript as the log was when the person had not yet
// spoken: a log only grows, and what a later line says anew of an earlier one
// (Gemini CLI) was not known then.
type Prompt struct {
	Offset int64 // of the first byte of its line
	At     time.Time
	Text   string // cut to MaxPromptText
	// Within: it was said while the agent worked, and went into the running turn.
	// No stop stands before it.
	Within bool
}

// Process starts the client, and recognises its processes.
type Process interface {
	// Program says which processes are the client's.
	Program() Program
	// ResumeCommand resumes the client's conversation; nil when the id cannot be
	// one.
	ResumeCommand(clientID string) []string
	// StartCommand starts the client on a prompt.
	StartCommand(prompt string) []string
	// QueueCommand hands a text to the client's conversation from outside,
	// running or not; nil where the client takes none, or the id can be none.
	QueueCommand(clientID, text string) []string
	// SessionEnv names the variable that holds the client's id of the session
	// in the commands that the agent runs.
	SessionEnv() string
	// Inside reports whether a program with these variables was started by an
	// agent of this client.
	Inside(getenv func(string) string) bool
}

// Program is a client's program.
type Program struct {
	Name    string   // what people type
	Package string   // its npm package: scope, slash, name
	Homes   []string // the variables that say where it keeps its conversations
	// PayloadArgument: the client may hand a hook its payload as the last
	// argument (Codex's notify), and not on standard input.
	PayloadArgument bool
	// Server is the subcommand with which the program serves conversations of many
	// terminals and goes on without them (Codex's daemon): such a process says
	// nothing of a conversation's life. Empty for none.
	Server string
	// OwnHooks are arguments with which hooks run below the client's own process, and
	// not below such a server.
	OwnHooks []string
	// Confined: the agent's commands usually write in the work tree and in the
	// temporary folder only, while hooks may write elsewhere.
	Confined bool
}
