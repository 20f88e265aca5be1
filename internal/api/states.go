package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/piton-project/piton/internal/app"
)

// state is a state as it is kept, byte for byte, and of which checkpoint it is.
type state struct {
	Checkpoint string `header:"Piton-Checkpoint" doc:"the checkpoint whose state this is"`
	Recovered  string `header:"Piton-Recovered-From" doc:"the damaged checkpoint in whose place it was taken"`
	Type       string `header:"Content-Type" hidden:"true"`
	Body       []byte
}

// states adds what loads a state.
func (s *Server) states() {
	const says = "Load a state, byte for byte in compact form"
	get := func(path, id string) route {
		return route{method: http.MethodGet, path: path, id: id, tag: "checkpoints", says: says, more: "A damaged one is a problem; its hint names the nearest intact ancestor."}
	}
	addState(s, get("/v1/checkpoints/{id}/state", "load-checkpoint"), func(in *loadOne) (app.Choice, bool, error) {
		return in.choice(), in.Nearest, nil
	})
	addState(s, get("/v1/state", "load-newest"), func(in *loadNewest) (app.Choice, bool, error) {
		c, err := in.choice()
		return c, in.Nearest, err
	})
}

// addState adds a verb that answers with a state.
func addState[I any, P interface {
	*I
	request
}](s *Server, r route, choose func(P) (app.Choice, bool, error)) {
	op := r.operation()
	op.Responses["200"] = &huma.Response{Description: "the state", Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}}}
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*state, error) {
		var out state
		err := s.within(ctx, r, P(in).folder(), func(a *app.App) error {
			c, nearest, err := choose(P(in))
			if err != nil {
				return err
			}
			l, err := a.Load(ctx, c, nearest)
			out = state{Type: "application/json", Checkpoint: l.Checkpoint.ID, Recovered: l.RecoveredFrom, Body: l.State}
			return err
		})
		if err != nil {
			return nil, problemOf(err, r.id)
		}
		return &out, nil
	})
}
