// Package api is the door for programs: the verbs, the sessions, the runs and the
// event stream over HTTP (docs/http.md). It translates requests into calls of package
// app and its answers into responses, and decides nothing.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
)

// Options say for whom a server answers.
type Options struct {
	// App is how each request opens the application. Its folder, its environment of a
	// caller and its Warn are not used: a request names its project.
	App caller.Options
	// Runs work on the runs that requests begin; nil: none can be begun.
	Runs Runs
	// Token is what callers over TCP show. Where it is empty nobody is let in there.
	Token string
	// Page opens the page for people, where none is open, and gives an address that holds
	// once; nil: there is none.
	Page func() (string, error)
	// Tools add to the server at /mcp before it serves: the protocol's own test suite
	// asks every server for tools of certain names. Nothing else sets them.
	Tools []func(*mcp.Server)
	Log   *slog.Logger // dropped when nil
	// Changed is closed when what is open is to be opened anew, by the settings as they
	// are; nil: that never happens.
	Changed func() <-chan struct{}
}

// Runs work on runs after the request that has begun them has ended.
type Runs interface {
	// Start begins a run, or goes on with one, for a caller that works in dir. It
	// returns the run's id as soon as the store has the run, and works on it until
	// nothing more can be done. The context is that of the request alone.
	Start(ctx context.Context, dir string, r planruns.RunRequest) (id string, err error)
}

// Via is what a request has come over.
type Via int

// The ways to a server. Whoever can open the socket is its user; over TCP anybody on
// the machine can call, and shows the token.
const (
	Socket Via = iota
	TCP
)

// Server serves the API. Make it with New.
type Server struct {
	o      Options
	mux    *http.ServeMux
	api    huma.API
	bodies *semaphore.Weighted // memory for bodies
	slots  *semaphore.Weighted // verbs at work
	bounds func(pattern string) bounds
	// ending is over where the server ends: streams do too, and what a request waits
	// for has a short time.
	ending context.Context
	end    func()

	reading atomic.Int64            // streams that are read
	tell    func(planruns.RunEvent) // hears what happens in a run that works in this process
	left    func(run string)        // hears that nobody here works on a run any more
	ran     *runMeter

	mu      sync.Mutex
	servers []*http.Server
}

type viaKey struct{}
