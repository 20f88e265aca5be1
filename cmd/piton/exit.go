package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/redact"
)

// interrupted is the exit status after Ctrl-C, as shells have it.
const interrupted = 130

// exitStatus is one row of the table.
type exitStatus struct {
	Status  int        `json:"status"`
	Code    piton.Code `json:"code,omitempty"`
	Meaning string     `json:"meaning"`
}

// statuses is the one table of exit statuses; 'piton help exit' prints it.
var statuses = []exitStatus{
	{0, "", "success"},
	{1, piton.Internal, "something failed inside Piton"},
	{2, piton.Invalid, "the input or the command line is not acceptable; nothing of it was written"},
	{3, piton.NotFound, "what was asked for was not found"},
	{4, piton.Conflict, "the branch has moved on or a name is taken; nothing was written"},
	{5, piton.Corrupt, "stored bytes are damaged; no wrong state is ever printed"},
	{6, piton.Unavailable, "the store or a program cannot be reached right now; doctor: something is broken"},
	{interrupted, "", "interrupted with Ctrl-C, or told to end"},
}

// statusOf is the exit status of a code.
func statusOf(code piton.Code) int {
	for _, s := range statuses {
		if s.Code == code {
			return s.Status
		}
	}
	return 1
}

// ofCommand are operations that are named by their command here, as those are that
// the command line itself refuses.
var ofCommand = []string{"read the filter", "list sessions", "explain", "flush", "resume", "repair the store"}

// fail shows an error of a command and returns the exit status.
func (con *console) fail(ctx context.Context, command string, err error) int {
	e := *app.AsError(err)
	if slices.Contains(ofCommand, e.Op) && (e.Code == piton.Invalid || e.Op == "repair the store") {
		e.Op = command
	}
	if strings.HasPrefix(err.Error(), "unknown command") { // cobra's word for an argument too many
		e = piton.Error{Code: piton.Invalid, Hint: "see 'piton --help'", Err: err}
	}
	status := statusOf(e.Code)
	if ctx.Err() != nil {
		e, status = piton.Error{Code: piton.Unavailable, Op: e.Op, Err: errors.New("interrupted")}, interrupted
	}
	e.Hint = commandLine(e.Hint)
	if con.soFar != "" {
		e.Hint = strings.TrimPrefix(e.Hint+"; "+con.soFar, "; ")
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

// warn says on stderr what stops nothing. Programs are told where the store is
// older than what was acknowledged.
func (con *console) warn(e *piton.Error) {
	hint := commandLine(e.Hint)
	switch {
	case con.json && e.Code == piton.Corrupt:
		con.sayJSON("warning", errorJSON{Code: e.Code, Message: app.Message(e), Hint: hint})
	case con.json:
	case e.Code == piton.Corrupt:
		con.say("piton: warning: %s\nhint: %s", clean(e.Error()), clean(hint))
	default:
		con.say("piton: warning: %s; %s", clean(e.Error()), hint)
	}
}

// sayJSON writes an error to stderr as JSON, with secrets redacted.
func (con *console) sayJSON(kind string, e errorJSON) {
	_ = writeJSON(con.err, map[string]errorJSON{kind: redact.Value(e).Get()})
}

// show writes an error to stderr: one JSON object, or lines for a person.
func (con *console) show(e *piton.Error) {
	if con.json {
		con.sayJSON("error", errorJSON{e.Code, e.Op, app.Message(e), e.Hint})
		return
	}
	text := e.Error()
	if !strings.HasPrefix(text, "piton") {
		text = "piton: " + text
	}
	con.say("%s", clean(text))
	if e.Hint != "" {
		con.say("hint: %s", clean(e.Hint))
	}
}

// sayProblems says which settings were left out.
func (con *console) sayProblems(list []error) {
	for _, err := range list {
		if !con.json {
			con.say("piton: warning: %s", clean(err.Error()))
		}
	}
}

// exitTopic is 'piton help exit'.
func exitTopic(con *console) *cobra.Command {
	var b strings.Builder
	b.WriteString("Exit statuses of piton:\n\n")
	for _, s := range statuses {
		fmt.Fprintf(&b, "  %3d  %-12s %s\n", s.Status, s.Code, s.Meaning)
	}
	b.WriteString("\nWith --json a failure is one object on stderr, {\"error\":{\"code\",\"op\",\"message\",\"hint\"}},\nand stdout is empty, but for what prune, verify or purge had done before it stopped.\npiton-hook always exits 0. 'resume --exec' ends as the client does.\n")
	c := &cobra.Command{Use: "exit", Short: "Exit statuses (a help topic)", Long: b.String()}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if con.json {
			_ = con.printJSON(map[string]any{"statuses": statuses})
			return
		}
		_ = con.print(c.Long)
	})
	return c
}
