// Package client says what Piton must know of one agent client: how it reports
// its events, where its log tells what happened in a turn, how a stop is
// answered, and which command resumes a conversation. Each client is a package
// of its own below this one; package clients lists them.
package client

import (
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// Client is one client.
type Client interface {
	// Name is how the client is called in configuration and in records.
	Name() string
	// Decode reads one hook payload. Single fields of a wrong type count as
	// missing. An event that means nothing to Piton gives an empty Kind and no
	// error; what is no payload at all is Invalid. getenv is asked for the
	// client's own variables, and where its files lie, and for nothing else;
	// Event.At is left to the door.
	Decode(payload []byte, getenv func(string) string) (agent.Event, error)
	// Transcript reads the current turn from the end of the client's log.
	// since is when the turn began; when it is zero, the newest real prompt
	// bounds the turn. NotFound (and fs.ErrNotExist) when there is no such
	// file, Invalid when it is no file of lines, Unavailable when it cannot be
	// read.
	Transcript(path string, since time.Time) (agent.Transcript, error)
	// Hold is the answer to a stop that is held. reply is the setting of that
	// name: auto, block or context.
	Hold(message, clientVersion, reply string) []byte
	// Notice is an answer that shows one line to the person and lets go.
	Notice(text string) []byte
	// Context is an answer that hands text to the model at this event (its kind,
	// and at a session's start its source, decide); nil where the client takes
	// none.
	Context(e agent.Event, text string) []byte
	// ResumeCommand takes up the client's conversation again; nil when the id
	// cannot be one.
	ResumeCommand(clientID string) []string
	// StartCommand starts the client on a prompt.
	StartCommand(prompt string) []string
	// QueueCommand hands a text to the client's conversation from outside,
	// running or not; nil where the client takes none, or the id can be none.
	QueueCommand(clientID, text string) []string
	// SessionEnv names the variable that holds the client's id of the session
	// in the commands that the agent runs.
	SessionEnv() string
	// Inside tells whether a program with these variables was started by an
	// agent of this client.
	Inside(getenv func(string) string) bool
}
