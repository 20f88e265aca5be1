package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/mcp"
	"github.com/piton-project/piton/internal/verbs"
)

// health is the answer about the server itself.
type health struct {
	Status  string `json:"status" doc:"ok"`
	Version string `json:"version"`
}

// service adds what tells of the server, and the door for models.
func (s *Server) service() {
	ok := health{"ok", piton.Version()}
	own := func(at verbs.Route, says string, does do) {
		at.Method = http.MethodGet
		s.verb(verbs.Verb{Group: "service", Says: says, Request: reflect.TypeFor[struct{}](), Answer: reflect.TypeFor[health]()}, at, does)
	}
	own(verbs.Route{Path: "/healthz", ID: "healthz", More: "It needs no token and opens no store.", Bare: true}, "Whether the server answers",
		func(context.Context, *app.App, any) (any, error) { return ok, nil })
	own(verbs.Route{Path: "/readyz", ID: "readyz"}, "Whether the store can be read",
		func(ctx context.Context, a *app.App, _ any) (any, error) {
			_, err := a.List(ctx, piton.ListRequest{Limit: 1})
			return ok, err
		})
	h := mcp.HTTP(mcp.Options{App: s.o.App, Log: s.o.Log}, s.o.Tools...)
	s.mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if err := typed(r, jsonType); err != nil {
				writeProblem(w, err)
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}
