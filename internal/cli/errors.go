package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/verbs"
)

// Fail shows an error of a command and returns the exit status. A request that was
// refused before anything was tried is named by its command.
func (con *Console) Fail(ctx context.Context, command string, err error) int {
	e := *caller.AsError(err)
	if e.Op == "" && e.Code != piton.Internal {
		e.Op = command
	}
	if strings.HasPrefix(err.Error(), "unknown command") { // cobra's word for an argument too many
		e = piton.Error{Code: piton.Invalid, Hint: "see 'piton --help'", Err: err}
	}
	status := StatusOf(e.Code)
	if ctx.Err() != nil { // what was at work at that moment tells a person nothing
		e, status = piton.Error{Code: piton.Unavailable, Op: command, Err: errors.New("interrupted")}, Interrupted
	}
	e.Hint = verbs.CommandLine(e.Hint)
	if con.SoFar != "" {
		e.Hint = strings.TrimPrefix(e.Hint+"; "+con.SoFar, "; ")
	}
	con.show(&e)
	return status
}

// errorJSON is an error as --json prints it.
type errorJSON struct {
	Code    piton.Code `json:"code"`
	Op      string     `json:"op,omitempty"`
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
}

// Warn says what stops nothing. Programs are told where the store is older than what
// was acknowledged.
func (con *Console) Warn(e *piton.Error) {
	hint := verbs.CommandLine(e.Hint)
	switch {
	case con.JSON && e.Code == piton.Corrupt:
		con.sayJSON("warning", errorJSON{Code: e.Code, Message: caller.Message(e), Hint: hint})
	case con.JSON:
	case e.Code == piton.Corrupt:
		con.Tell("piton: warning: %s\nhint: %s", screen.Clean(e.Error()), screen.Clean(hint))
	default:
		text := screen.Clean(e.Error())
		if !strings.HasSuffix(text, "?") {
			text += ";"
		}
		con.Tell("piton: warning: %s %s", text, hint)
	}
}

// sayJSON writes an error as JSON, with secrets redacted.
func (con *Console) sayJSON(kind string, e errorJSON) {
	_ = screen.WriteJSON(con.Err, map[string]errorJSON{kind: redact.Value(e).Get()})
}

// show writes an error: one JSON object, or lines for a person.
func (con *Console) show(e *piton.Error) {
	if con.JSON {
		con.sayJSON("error", errorJSON{e.Code, e.Op, caller.Message(e), e.Hint})
		return
	}
	text := e.Error()
	if !strings.HasPrefix(text, "piton") {
		text = "piton: " + text
	}
	con.Tell("%s", screen.Clean(text))
	if e.Hint != "" {
		con.Tell("hint: %s", screen.Clean(e.Hint))
	}
}

// SayHint says what to do next, if anything.
func (con *Console) SayHint(hint string) {
	if hint != "" {
		con.Say("hint: %s", screen.Clean(hint))
	}
}

// SayProblems says which settings were left out.
func (con *Console) SayProblems(list []error) {
	for _, err := range list {
		if !con.JSON {
			con.Tell("piton: warning: %s", screen.Clean(err.Error()))
		}
	}
}

// Interrupted is the exit status after Ctrl-C, as shells have it.
const Interrupted = 130

// Exit statuses of runs.
const (
	StepFailed = 7
	InDoubt    = 8
	Waits      = 9
)

// Behind is the exit status of --check: something is still to be done.
const Behind = 10

// Status is one row of the table of exit statuses.
type Status struct {
	Status  int        `json:"status"`
	Code    piton.Code `json:"code,omitempty"`
	Meaning string     `json:"meaning"`
}

// Statuses returns the one table of exit statuses; 'piton help exit' prints it.
func Statuses() []Status {
	return []Status{
		{0, "", "success"},
		{1, piton.Internal, "something failed inside Piton"},
		{2, piton.Invalid, "the input or the command line is not acceptable; nothing of it was written"},
		{3, piton.NotFound, "what was asked for was not found"},
		{4, piton.Conflict, "the branch has moved on or a name is taken; nothing was written; run: another process works on it, or it is queued"},
		{5, piton.Corrupt, "stored bytes are damaged; no wrong state is ever printed"},
		{6, piton.Unavailable, "the store or a program cannot be reached right now; doctor: something is broken"},
		{StepFailed, "", "run: a step failed or could not be done, or a budget is used up; it can be resumed"},
		{InDoubt, "", "run: a step may have taken effect, and a person must say so"},
		{Waits, "", "run: nothing but a person's approval or a signal is missing"},
		{Behind, "", "explain --check: the last stop was not let go as verified; version --check: the file has a newer version"},
		{Interrupted, "", "interrupted with Ctrl-C, or told to end; run: paused or cancelled"},
	}
}

// StatusOf is the exit status of a code.
func StatusOf(code piton.Code) int {
	for _, s := range Statuses() {
		if s.Code == code {
			return s.Status
		}
	}
	return 1
}
