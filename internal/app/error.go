package app

import (
	"errors"

	"github.com/piton-project/piton"
)

// AsError finds the typed error in err; what has been wrapped around it stays in
// the message. Any other error is Internal.
func AsError(err error) *piton.Error {
	var e *piton.Error
	switch {
	case !errors.As(err, &e):
		return &piton.Error{Code: piton.Internal, Err: err}
	case error(e) == err:
		return e
	}
	return &piton.Error{Code: e.Code, Hint: e.Hint, Err: err}
}

// Message is what an error says, without what was tried.
func Message(err error) string {
	e := AsError(err)
	if e.Err == nil {
		return string(e.Code)
	}
	return e.Err.Error()
}

// missing tells whether err says that there is nothing yet.
func missing(err error) bool {
	var e *piton.Error
	return errors.As(err, &e) && e.Code == piton.NotFound
}
