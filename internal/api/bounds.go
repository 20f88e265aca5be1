package api

import (
	"strings"
	"time"
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
