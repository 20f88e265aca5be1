package api

import (
	"context"
	"log/slog"
	"net/http"

	"golang.org/x/sync/semaphore"
)

// New returns a server. It opens no store before the first request.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Changed == nil {
		o.Changed = func() <-chan struct{} { return nil }
	}
	o.App.Remote, o.App.Dir = true, ""
	s := &Server{
		o: o, mux: http.NewServeMux(),
		bodies: semaphore.NewWeighted(maxBodies), slots: semaphore.NewWeighted(maxAtOnce), bounds: boundsOf,
		ran: newRunMeter(),
	}
	s.ending, s.end = context.WithCancel(context.Background())
	s.routes()
	return s
}
