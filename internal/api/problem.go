package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/redact"
)

// Problem is a failure as RFC 9457 has it, with the members that the command line
// prints (docs/json.md, "error").
type Problem struct {
	Type    string     `json:"type" doc:"always about:blank: the code says what it is"`
	Title   string     `json:"title" doc:"the status in words"`
	Status  int        `json:"status"`
	Detail  string     `json:"detail" doc:"what was tried, and what went wrong"`
	Code    piton.Code `json:"code" enum:"invalid,not_found,conflict,corrupt,unavailable,internal"`
	Op      string     `json:"op,omitempty" doc:"what was tried"`
	Message string     `json:"message" doc:"what went wrong"`
	Hint    string     `json:"hint,omitempty" doc:"what to do next"`
	Done    any        `json:"done,omitempty" doc:"the answer so far, where something was done before it failed"`
}

// Error implements error.
func (p *Problem) Error() string { return p.Detail }

const problemType = "application/problem+json"

// statuses are the one table of codes and statuses. Damage is the server's own
// trouble, as a defect is: the caller can do nothing about it by asking otherwise.
var statuses = map[piton.Code]int{
	piton.Invalid: http.StatusUnprocessableEntity, piton.NotFound: http.StatusNotFound, piton.Conflict: http.StatusConflict,
	piton.Corrupt: http.StatusInternalServerError, piton.Internal: http.StatusInternalServerError, piton.Unavailable: http.StatusServiceUnavailable,
}

// codeOf is the code of a failure that has only a status.
func codeOf(status int) piton.Code {
	switch status {
	case http.StatusNotFound:
		return piton.NotFound
	case http.StatusRequestTimeout, http.StatusServiceUnavailable:
		return piton.Unavailable
	case http.StatusInternalServerError:
		return piton.Internal
	}
	return piton.Invalid
}

// refusal is an error with a status of its own.
type refusal struct {
	status int
	err    *piton.Error
}

func (r refusal) Error() string { return r.err.Error() }
func (r refusal) Unwrap() error { return r.err }

// refuse makes an error of the protocol's, not of a verb's.
func refuse(status int, hint, format string, args ...any) error {
	return refusal{status, piton.Errorf(codeOf(status), "", hint, format, args...)}
}

// problemOf is the problem that an error is, without secrets. op names a request that
// was refused before anything was tried.
func problemOf(err error, op string) *Problem {
	var known *Problem
	if errors.As(err, &known) {
		return known
	}
	e := *caller.AsError(err)
	e.Op = cmp.Or(e.Op, op)
	status := statuses[e.Code]
	var r refusal
	if errors.As(err, &r) {
		status = r.status
	}
	p := Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: e.Error(), Code: e.Code, Op: e.Op, Message: caller.Message(&e), Hint: e.Hint}
	p = redact.Value(p).Get()
	return &p
}

// problemResponse is how the document names a failure.
func problemResponse(when string) *huma.Response {
	return &huma.Response{Description: when, Content: map[string]*huma.MediaType{problemType: {Schema: &huma.Schema{Ref: "#/components/schemas/Problem"}}}}
}

// writeProblem answers a request that reaches no verb.
func writeProblem(w http.ResponseWriter, err error) {
	p := problemOf(err, "")
	text, _ := json.Marshal(p)
	h := w.Header()
	h.Set("Content-Type", problemType)
	h.Set("Content-Length", strconv.Itoa(len(text)))
	if p.Status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(text)
}
