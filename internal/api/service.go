package api

import (
	"context"
	"net/http"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/mcp"
)

// health is the answer about the server itself.
type health struct {
	Status  string `json:"status" doc:"ok"`
	Version string `json:"version"`
}

// service adds what tells of the server, and the door for models.
func (s *Server) service() {
	ok := health{"ok", piton.Version()}
	add(s, route{method: http.MethodGet, path: "/healthz", id: "healthz", tag: "service", says: "Whether the server answers", more: "It needs no token and opens no store.", bare: true},
		func(context.Context, *app.App, *nothing) (health, error) { return ok, nil })
	add(s, route{method: http.MethodGet, path: "/readyz", id: "readyz", tag: "service", says: "Whether the store can be read"},
		func(ctx context.Context, a *app.App, _ *nothing) (health, error) {
			var f app.Filter
			f.Limit = 1
			_, err := a.List(ctx, f)
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

// nothing is a request that asks for nothing more.
type nothing struct{}

func (nothing) folder() string { return "" }
