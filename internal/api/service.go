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

// PageAddress is where the page for people is.
type PageAddress struct {
	Address string `json:"address"` // holds for one browser, and for minutes
	Daemon  bool   `json:"daemon"`  // the daemon serves it; else the command does, until it ends
}

// service adds what tells of the server, and the door for models.
func (s *Server) service() {
	ok := health{"ok", piton.Version()}
	own := func(at verbs.Route, says string, does do) {
		at.Method = http.MethodGet
		s.verb(verbs.Verb{Group: "service", Says: says, Request: reflect.TypeFor[struct{}](), Answer: reflect.TypeFor[health]()}, at, does)
	}
	own(verbs.Route{Path: pathHealth, ID: "healthz", More: "It needs no token and opens no store.", Bare: true}, "Whether the server answers",
		func(context.Context, *app.App, any) (any, error) { return ok, nil })
	own(verbs.Route{Path: "/readyz", ID: "readyz"}, "Whether the store can be read",
		func(ctx context.Context, a *app.App, _ any) (any, error) {
			_, err := a.List(ctx, piton.ListRequest{Limit: 1})
			return ok, err
		})
	s.verb(verbs.Verb{Group: "service", Says: "Open the page for people, and get an address for one browser", Request: reflect.TypeFor[struct{}](), Answer: reflect.TypeFor[PageAddress]()},
		verbs.Route{Method: http.MethodPost, Path: "/v1/page", ID: "open-page", More: "The address lets in who opens it first, so it is given on the socket only.", Bare: true, Local: true},
		func(context.Context, *app.App, any) (any, error) {
			if s.o.Page == nil {
				return nil, piton.Errorf(piton.Unavailable, "", "'ui' on a terminal opens one", "this server has no page")
			}
			address, err := s.o.Page()
			return PageAddress{address, true}, err
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
