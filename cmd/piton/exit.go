package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
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
	{0, "", "it worked"},
	{1, piton.Internal, "something failed inside Piton"},
	{2, piton.Invalid, "the input or the command line is not acceptable; nothing of it was written"},
	{3, piton.NotFound, "what was asked for was not found"},
	{4, piton.Conflict, "the branch has moved on or a name is taken; nothing was written"},
	{5, piton.Corrupt, "stored bytes are damaged; no wrong state is ever printed"},
	{6, piton.Unavailable, "the store or a program cannot be reached right now; doctor: a link is broken"},
	{interrupted, "", "interrupted with Ctrl-C, or told to end"},
}

// fail shows an error and returns the exit status.
func (a *app) fail(ctx context.Context, err error) int {
	e := *wrap(err)
	status := statusOf(e.Code)
	if ctx.Err() != nil {
		e, status = piton.Error{Code: piton.Unavailable, Op: e.Op, Err: errors.New("interrupted")}, interrupted
	}
	if a.soFar != "" {
		e.Hint = strings.TrimPrefix(e.Hint+"; "+a.soFar, "; ")
	}
	a.show(&e)
	return status
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

// show writes an error to stderr: one JSON object, or lines for a person.
func (a *app) show(e *piton.Error) {
	hint := commandLine(e.Hint)
	if a.json {
		type body struct {
			Code    piton.Code `json:"code"`
			Op      string     `json:"op,omitempty"`
			Message string     `json:"message"`
			Hint    string     `json:"hint,omitempty"`
		}
		_ = writeJSON(a.err, map[string]body{"error": {e.Code, e.Op, message(e), hint}})
		return
	}
	text := e.Error()
	if !strings.HasPrefix(text, "piton") {
		text = "piton: " + text
	}
	fmt.Fprintln(a.err, clean(text))
	if hint != "" {
		fmt.Fprintf(a.err, "hint: %s\n", clean(hint))
	}
}

// wrap finds the typed error in err; what has been wrapped around it stays in
// the message. The hint names commands and flags.
func wrap(err error) *piton.Error {
	var e *piton.Error
	switch {
	case errors.As(err, &e):
	case strings.HasPrefix(err.Error(), "unknown command"): // cobra's word for an argument too many
		return &piton.Error{Code: piton.Invalid, Hint: "see 'piton --help'", Err: err}
	default:
		return &piton.Error{Code: piton.Internal, Err: err}
	}
	if error(e) == err {
		return &piton.Error{Code: e.Code, Op: e.Op, Hint: commandLine(e.Hint), Err: e.Err}
	}
	return &piton.Error{Code: e.Code, Hint: commandLine(e.Hint), Err: err}
}

func message(e *piton.Error) string {
	if e.Err == nil {
		return string(e.Code)
	}
	return e.Err.Error()
}

// exitTopic is 'piton help exit'.
func exitTopic(a *app) *cobra.Command {
	var b strings.Builder
	b.WriteString("Exit statuses of piton:\n\n")
	for _, s := range statuses {
		fmt.Fprintf(&b, "  %3d  %-12s %s\n", s.Status, s.Code, s.Meaning)
	}
	b.WriteString("\nWith --json a failure is one object on stderr, {\"error\":{\"code\",\"op\",\"message\",\"hint\"}},\nand stdout is empty, but for what prune, verify or purge had done before it stopped.\npiton-hook always exits 0. 'resume --exec' ends as the client does.\n")
	c := &cobra.Command{Use: "exit", Short: "Exit statuses (a help topic)", Long: b.String()}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if a.json {
			_ = a.printJSON(map[string]any{"statuses": statuses})
			return
		}
		fmt.Fprint(a.out, c.Long)
	})
	return c
}
