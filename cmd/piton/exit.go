package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

// statuses is the one table of exit statuses; 'piton help exit' prints it.
var statuses = []struct {
	status  int
	code    piton.Code
	meaning string
}{
	{0, "", "it worked"},
	{1, piton.Internal, "something failed inside Piton"},
	{2, piton.Invalid, "the input or the command line is not acceptable; nothing was written"},
	{3, piton.NotFound, "there is no such thing"},
	{4, piton.Conflict, "somebody else was first; nothing was written"},
	{5, piton.Corrupt, "stored bytes are damaged; no wrong state is ever printed"},
	{6, piton.Unavailable, "the store or a program cannot be reached right now"},
}

// fail shows an error and returns the exit status.
func (a *app) fail(err error) int {
	e := wrap(err)
	if a.json {
		type body struct {
			Code    piton.Code `json:"code"`
			Op      string     `json:"op,omitempty"`
			Message string     `json:"message"`
			Hint    string     `json:"hint,omitempty"`
		}
		b, _ := json.Marshal(map[string]body{"error": {e.Code, e.Op, message(e), e.Hint}})
		fmt.Fprintf(a.err, "%s\n", b)
	} else {
		fmt.Fprintf(a.err, "piton: %v\n", err)
		if e.Hint != "" {
			fmt.Fprintf(a.err, "hint: %s\n", e.Hint)
		}
	}
	for _, s := range statuses {
		if s.code == e.Code {
			return s.status
		}
	}
	return 1
}

// wrap finds the typed error in err. Cobra's own are about the command line.
func wrap(err error) *piton.Error {
	var e *piton.Error
	if errors.As(err, &e) {
		return e
	}
	for _, begin := range []string{"unknown command", "unknown flag", "accepts ", "requires ", "required flag", "if any flags", "at least one", "invalid argument"} {
		if strings.HasPrefix(err.Error(), begin) {
			return &piton.Error{Code: piton.Invalid, Hint: "see 'piton --help'", Err: err}
		}
	}
	return &piton.Error{Code: piton.Internal, Err: err}
}

func message(e *piton.Error) string {
	if e.Err == nil {
		return string(e.Code)
	}
	return e.Err.Error()
}

// exitTopic is 'piton help exit'.
func exitTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("Exit statuses of piton:\n\n")
	for _, s := range statuses {
		fmt.Fprintf(&b, "  %d  %-12s %s\n", s.status, s.code, s.meaning)
	}
	b.WriteString("\nWith --json a failure is one object on stderr, {\"error\":{\"code\",\"op\",\"message\",\"hint\"}},\nand stdout is empty. piton-hook always exits 0.")
	return &cobra.Command{Use: "exit", Short: "Exit statuses (a help topic)", Long: b.String()}
}
