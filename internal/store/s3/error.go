package s3

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"slices"
)

// Error is what a server has answered instead of what was asked for.
type Error struct {
	Code   string // the server's, as NoSuchKey
	Status int    // of HTTP
	Region string // that of the bucket, where the request was for another
}

func (e *Error) Error() string { return "the server says " + e.Code }

// maxAnswer bounds what is read of an answer that is no object, in bytes.
const maxAnswer = 16 << 20

// answerOf reads an answer that is an error, and closes it.
func answerOf(res *http.Response) error {
	defer res.Body.Close()
	e := &Error{}
	_ = xml.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(e) // what is no XML leaves it as it is
	e.Status = res.StatusCode
	if region := res.Header.Get("X-Amz-Bucket-Region"); region != "" {
		e.Region = region
	}
	switch {
	case e.Code != "":
	case e.Status == http.StatusNotFound:
		e.Code = "NotFound"
	case e.Status == http.StatusForbidden:
		e.Code = "AccessDenied"
	default:
		e.Code = http.StatusText(e.Status)
	}
	return e
}

// passing are the codes of what may go well a moment later.
var passing = []string{"RequestTimeout", "Throttling", "ThrottlingException", "RequestLimitExceeded", "RequestThrottled", "InternalError", "SlowDown", "SlowDownWrite", "SlowDownRead"}

// again tells whether a request that has failed is worth another try.
func again(err error) bool {
	var said *Error
	if !errors.As(err, &said) {
		return !errors.Is(err, ErrKeys) // the connection's
	}
	return said.Status >= 500 && said.Status != http.StatusNotImplemented || said.Status == http.StatusTooManyRequests || slices.Contains(passing, said.Code)
}
