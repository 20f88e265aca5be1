package action

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"syscall"

	"github.com/piton-project/piton/internal/proc"
)

// KnownOf is what an attempt's error tells of its effect.
func KnownOf(err error) Knowledge {
	var f *Failed
	var could *CouldNot
	switch {
	case errors.As(err, &f):
		return f.Known
	case errors.As(err, &could):
		return Answered
	}
	return Unknown
}

// Told is the error that a function has returned, with what it tells of the effect: an
// error of a connection says how far it came, a time that ran out is not an answer, and any
// other error is the function's answer.
func Told(err error) error {
	if err == nil || KnownOf(err) != Unknown {
		return err
	}
	known := Answered
	var timeout net.Error
	switch {
	case unmade(err):
		known = Before
	case errors.As(err, &timeout) && timeout.Timeout():
		return err
	case slices.ContainsFunc(broke, func(e error) bool { return errors.Is(err, e) }):
		return err
	}
	f := Failed{Err: err}
	if inner := (*Failed)(nil); errors.As(err, &inner) {
		f = *inner
	}
	f.Known = known
	return &f
}

// broke are the errors of what was ended before there was an answer.
var broke = []error{context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE}

// unmade tells whether an error is of a program that did not start, or of a connection
// that was never made: nothing was sent.
func unmade(err error) bool {
	var dial *net.OpError
	var name *net.DNSError
	var cert *tls.CertificateVerificationError
	var form tls.RecordHeaderError
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, proc.ErrNotStarted):
		return true
	case errors.As(err, &name), errors.As(err, &cert), errors.As(err, &form):
		return true
	}
	return errors.As(err, &dial) && dial.Op == "dial"
}

// notDone are the statuses of a server that has not carried a request out; of all others
// from 500 on nobody knows how far it came.
var notDone = []int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusNotImplemented, http.StatusHTTPVersionNotSupported}

// statusKnown is what a status that is not a success tells.
func statusKnown(resp *http.Response) Knowledge {
	waits := resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != ""
	switch {
	case slices.Contains(notDone, resp.StatusCode), waits:
		return Before
	case resp.StatusCode < http.StatusInternalServerError:
		return Answered
	}
	return Unknown
}

// exitKnown is what a status other than 0 tells: the program's own word is an answer;
// that of a signal, as shells count it, and that of timeout(1) are none.
func exitKnown(code int) Knowledge {
	if killed := code > 128 && code <= 128+64; killed || code == 124 {
		return Unknown
	}
	return Answered
}
