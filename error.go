package piton

import (
	"errors"
	"fmt"
)

// Code says what kind of failure an Error is. Each door maps it once: the CLI
// to an exit status, HTTP to a status, a hook to silence and a log line.
type Code string

// The codes (docs/spec.md, "Failures").
const (
	Internal    Code = "internal"
	Invalid     Code = "invalid"
	NotFound    Code = "not_found"
	Conflict    Code = "conflict"
	Corrupt     Code = "corrupt"
	Unavailable Code = "unavailable"
)

// Error is the one error type of Piton: what kind, what was tried, what to do
// now, and the cause.
//
// A hint may name verbs and options, in single quotes and under the names they
// have in JSON: "'verify' shows what is damaged", "give 'nearest'". It names no
// flags and no commands: each door words a hint for its own callers.
type Error struct {
	Code Code
	Op   string // what was tried: "load checkpoint chk_…"
	Hint string // what to do next, a sentence; may be empty
	Err  error  // the cause
}

// Error returns "op: cause"; the hint is for the door to show.
func (e *Error) Error() string {
	switch {
	case e.Err == nil:
		return e.Op + ": " + string(e.Code)
	case e.Op == "":
		return e.Err.Error()
	}
	return e.Op + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error whose cause is formatted as fmt.Errorf does.
func Errorf(code Code, op, hint, format string, args ...any) *Error {
	return &Error{Code: code, Op: op, Hint: hint, Err: fmt.Errorf(format, args...)}
}

// CodeOf returns the code of the first Error in err's chain, Internal for any
// other error and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}
