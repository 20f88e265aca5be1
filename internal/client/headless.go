package client

import (
	"bytes"
	"strings"

	"github.com/piton-project/piton"
)

// Headless runs the client without a terminal, on one prompt to its end.
type Headless interface {
	// HeadlessCommand is the command line of a client that reads its prompt from
	// standard input, works on it, and tells on standard output what it does, a
	// line of JSON for each thing. nil where the session's id can be none.
	HeadlessCommand(t Task) []string
	// Follow reads these lines: what it returns takes them one after the other and
	// answers with all that is known so far. Lines of unknown forms tell nothing.
	Follow() func(line []byte) Progress
	// RunsCommands reports whether the client then has a tool that runs commands, as
	// far as is known: true where its user's own settings decide.
	RunsCommands(t Task) bool
	// Refused says why a client that told nothing has not begun, from what it said
	// on standard error.
	Refused(stderr string) Refusal
	// TakesID reports whether a new session gets the id that the caller names.
	TakesID() bool
	// PricesItself reports whether the client tells what it costs.
	PricesItself() bool
	// LogOf is the pattern of the log of a session, in the client's folder, with
	// slashes; "" where the id can be none.
	LogOf(clientID string) string
	// Marks are the variables by which programs know that an agent's session is
	// around them. A client that is started on its own must not have them.
	Marks() []string
}

// Task is what a client without a terminal is to do.
type Task struct {
	Session string // the client's id: of the session to resume, or for a new one where it takes one
	Resume  bool
	Model   string   // in the client's words; "": as it is set up
	System  string   // more for its system prompt; see Task.Prompt
	Rights  Rights   // what it may do unasked
	Tools   []string // tools that it may use besides, in the client's words
	Args    []string // more of its own flags
	CostUSD float64  // it ends when it has cost this much, where it knows; 0: no bound
}

// Prompt puts the text for the system prompt before a prompt: for clients that take
// none beside it.
func (t Task) Prompt(prompt string) string {
	if t.System == "" {
		return prompt
	}
	return t.System + "\n\n" + prompt
}

// Rights say what an agent without a terminal may do: nobody is there to be asked.
type Rights string

// Read: look at files. Edit: change files in its folder too. Full: everything that
// the user may.
const (
	Read Rights = "read"
	Edit Rights = "edit"
	Full Rights = "full"
)

// Progress is what a client without a terminal has told so far.
type Progress struct {
	Session string
	Model   string
	Text    string // its newest message
	// Usage is what this process has used, or the whole session where Cumulative is
	// set. Subagents' is in it as far as the client tells.
	Usage      piton.TokenUsage
	Cumulative bool
	CostUSD    float64 // where the client tells it (PricesItself)
	Turns      int     // answers of the model
	Denied     []string
	Done       bool   // it has come to the end of its work
	Failure    string // why it has not
	Status     int    // the HTTP status that its model answered with, where it tells
	// News are what the newest line says, for people: a message, a call.
	News []News
}

// News is one thing that an agent has said or done.
type News struct {
	Call bool   // else a message
	Text string // the message, or the call in one line
}

// Refusal is why a client did not begin.
type Refusal int

// The refusals.
const (
	RefusedElse  Refusal = iota
	RefusedGone          // there is no such session to resume
	RefusedTaken         // there is a session of this id already
)

// Said takes a message of the agent.
func (p *Progress) Said(text string) {
	if strings.TrimSpace(text) != "" {
		p.Text, p.News = text, append(p.News, News{Text: text})
	}
}

// Called takes a call of the agent: the tool, and what it is about.
func (p *Progress) Called(tool, about string) {
	about = strings.Join(strings.Fields(about), " ")
	if about != "" {
		tool += ": " + about
	}
	p.News = append(p.News, News{Call: true, Text: CutPrompt(tool)})
}

// SafeID reports whether a program reads an id as what it is, and finds one file by
// it: it may come from outside.
func SafeID(id string) bool {
	short := id != "" && len(id) <= 128
	return short && id[0] != '-' && strings.Trim(id, Letters) == ""
}

// Letters are those of an id.
const Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// Following returns what reads a client's output line by line, by read, which adds to
// the progress; a line that can hold no object tells nothing.
func Following(p *Progress, read func(line []byte)) func(line []byte) Progress {
	return func(line []byte) Progress {
		p.News = nil
		if IsLine(line) {
			read(line)
		}
		return *p
	}
}

// IsLine reports whether a line can hold an object.
func IsLine(line []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) }
