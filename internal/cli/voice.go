// Package cli is what the programs for people share: how errors, warnings and hints
// are shown, which exit status an error has, and what of a text that others wrote may
// reach a terminal.
package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/verbs"
)

// Voice is how a program says what went wrong.
type Voice struct{ *screen.Screen }

// Fail shows an error of a command and returns the exit status. A request that was
// refused before anything was tried is named by its command. soFar is what the command
// had done; it may be empty.
func (v Voice) Fail(ctx context.Context, command, soFar string, err error) int {
	e := *app.AsError(err)
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
	if soFar != "" {
		e.Hint = strings.TrimPrefix(e.Hint+"; "+soFar, "; ")
	}
	v.show(&e)
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
func (v Voice) Warn(e *piton.Error) {
	hint := verbs.CommandLine(e.Hint)
	switch {
	case v.JSON && e.Code == piton.Corrupt:
		v.sayJSON("warning", errorJSON{Code: e.Code, Message: app.Message(e), Hint: hint})
	case v.JSON:
	case e.Code == piton.Corrupt:
		v.Say("piton: warning: %s\nhint: %s", screen.Clean(e.Error()), screen.Clean(hint))
	default:
		text := screen.Clean(e.Error())
		if !strings.HasSuffix(text, "?") {
			text += ";"
		}
		v.Say("piton: warning: %s %s", text, hint)
	}
}

// sayJSON writes an error as JSON, with secrets redacted.
func (v Voice) sayJSON(kind string, e errorJSON) {
	_ = screen.WriteJSON(v.Err, map[string]errorJSON{kind: redact.Value(e).Get()})
}

// show writes an error: one JSON object, or lines for a person.
func (v Voice) show(e *piton.Error) {
	if v.JSON {
		v.sayJSON("error", errorJSON{e.Code, e.Op, app.Message(e), e.Hint})
		return
	}
	text := e.Error()
	if !strings.HasPrefix(text, "piton") {
		text = "piton: " + text
	}
	v.Say("%s", screen.Clean(text))
	if e.Hint != "" {
		v.Say("hint: %s", screen.Clean(e.Hint))
	}
}
