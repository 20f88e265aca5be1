package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/verbs"
)

// states adds what answers with a state as it is kept, byte for byte.
func (s *Server) states() {
	for path, id := range map[string]string{"/v1/checkpoints/{id}/state": "load-checkpoint", "/v1/state": "load-newest"} {
		r := route{verbs.Route{Method: http.MethodGet, Path: path, ID: id, Tagged: true, Says: "Load a state, byte for byte in compact form", More: "A damaged one is a problem; its hint names the nearest intact ancestor."}, "checkpoints"}
		s.exchange(exchange{route: r, asked: reflect.TypeFor[piton.LoadRequest](), alter: stateResponse, serve: func(w http.ResponseWriter, hr *http.Request, req any) error {
			var l history.Loaded
			err := s.within(hr.Context(), r, folderOf(req), func(a *app.App) (err error) {
				asked := *req.(*piton.LoadRequest)
				if hr.Header.Get("If-None-Match") != "" && asked.Path == "" {
					l.Checkpoint, err = a.Record(hr.Context(), asked)
					if err != nil || hasTag(hr, tagOfSum(l.Checkpoint.SHA256)) {
						return err // what the client has is right, so it is not read
					}
				}
				l, err = a.Load(hr.Context(), asked)
				return err
			})
			if err != nil {
				return err
			}
			w.Header().Set(headerCheckpoint, l.Checkpoint.ID)
			if l.RecoveredFrom != "" {
				w.Header().Set(headerRecovered, l.RecoveredFrom)
			}
			tag := tagOfSum(l.Checkpoint.SHA256)
			if req.(*piton.LoadRequest).Path != "" {
				tag = tagOf(l.State)
			}
			if !tagged(w, hr, tag) {
				w.Header().Set("Content-Type", jsonType)
				_, _ = w.Write(l.State)
			}
			return nil
		}})
	}
}

// Headers of a state.
const (
	headerCheckpoint = "Piton-Checkpoint"
	headerRecovered  = "Piton-Recovered-From"
)

func stateResponse(op *huma.Operation) {
	header := func(about string) *huma.Param {
		return &huma.Param{Description: about, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	op.Responses["200"] = &huma.Response{
		Description: "the state",
		Content:     map[string]*huma.MediaType{jsonType: {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}},
		Headers: map[string]*huma.Param{
			headerCheckpoint: header("the checkpoint whose state this is"),
			headerRecovered:  header("the damaged checkpoint in whose place it was taken"),
		},
	}
}
