package api

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Bounds of bodies: of one, of all that are held at the same time, and of how long
// reading one may take.
const (
	maxBody        = 1 << 20
	maxState       = 65 << 20 // a state of 64 MiB, and what is said about it
	maxImport      = 1 << 30
	maxBodies      = 256 << 20
	bodyPatience   = 2 * time.Minute
	importPatience = 15 * time.Minute
	importPause    = 30 * time.Second // an import holds one of the few places of verbs at work
)

// pathHealth is where it is asked whether the server answers: without a token, and without
// waiting for anything.
const pathHealth = "/healthz"

// bounds are those of a route's body.
type bounds struct {
	limit    int64
	patience time.Duration // for all of it
	pause    time.Duration // for its next piece; 0: patience alone
	streamed bool          // it is not held in memory
}

func boundsOf(pattern string) bounds {
	switch _, path, _ := strings.Cut(pattern, " "); path {
	case "/v1/checkpoints", "/v1/checkpoints/{id}/fork", "/v1/runs", "/v1/runs/{id}/continue", "/mcp":
		return bounds{limit: maxState, patience: bodyPatience}
	case "/v1/import":
		return bounds{limit: maxImport, patience: importPatience, pause: importPause, streamed: true}
	}
	return bounds{limit: maxBody, patience: bodyPatience}
}

// weight is how much of the memory for bodies one of this length may take; below 0 the
// length is not known.
func (x bounds) weight(length int64) int64 {
	switch {
	case x.streamed:
		return maxBody
	case length < 0:
		return x.limit
	}
	return length
}

// format writes answers as the command line does. Requests are read by package request.
func format() huma.Format {
	return huma.Format{Marshal: func(w io.Writer, v any) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	}}
}

// fileType is the type of exports and of what is imported.
const fileType = "application/octet-stream"

// typed refuses a body whose type is not named, is named twice, or is not the one that
// is taken, and spells the type as huma does. JSON is UTF-8, whatever else is said.
func typed(r *http.Request, want string) error {
	named := r.Header.Values("Content-Type")
	kind, more, err := mime.ParseMediaType(strings.Join(named, ", "))
	hint := "send the header 'Content-Type: " + want + "'"
	if want == jsonType {
		hint += " (curl: --json)"
	}
	set, charset := more["charset"]
	switch {
	case len(named) == 0:
		return refuse(http.StatusUnsupportedMediaType, hint, "the type of the body is not named")
	case err != nil || len(named) > 1:
		return refuse(http.StatusUnsupportedMediaType, hint, "the type of the body cannot be read")
	case kind != want && !strings.HasSuffix(kind, "+"+strings.TrimPrefix(want, "application/")):
		return refuse(http.StatusUnsupportedMediaType, hint, "the body is of the type %q: %s is taken here", kind, want)
	case charset && !strings.EqualFold(set, "utf-8"):
		return refuse(http.StatusUnsupportedMediaType, hint, "the body is said to be in %q: UTF-8 is taken here", set)
	}
	r.Header.Set("Content-Type", want)
	return nil
}

// jsonType is the type of every body but that of an import.
const jsonType = "application/json"

// hasBody tells whether anything came with a request that takes no body.
func hasBody(r *http.Request) bool {
	if r.ContentLength >= 0 {
		return r.ContentLength > 0
	}
	n, _ := io.ReadFull(r.Body, make([]byte, 1))
	return n > 0
}
