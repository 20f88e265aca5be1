package api

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// routes makes the document and the handlers. It takes some milliseconds, so nobody
// but a server that starts does it.
func (s *Server) routes() {
	document := newDocument()
	c := huma.Config{OpenAPI: document, OpenAPIPath: "/openapi", DefaultFormat: "application/json", NoFormatFallback: false, RejectUnknownQueryParameters: true}
	c.Formats = map[string]huma.Format{"application/json": format(), "json": format()}
	c.AllowAdditionalPropertiesByDefault = true // answers grow
	s.api = humago.New(s.mux, c)
	s.verbs(map[string]do{"start-run": s.begin, "preview-run": preview, "continue-run": s.goOn, "approve-run": refuseApproval})
	s.watchRuns()
	s.states()
	s.transfer()
	s.events()
	s.service()
	s.metrics()
	tidy(document)
	exemplify(document)
}

// tidy takes out of the document what huma supposes and is not so: lists are never
// null, and failures are problems of ours.
func tidy(d *huma.OpenAPI) {
	d.Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "")
	all := d.Components.Schemas.Map()
	delete(all, "ErrorModel")
	delete(all, "ErrorDetail")
	for _, x := range all {
		noNulls(x)
		if state := x.Properties["state"]; state != nil && state.Type == "" && state.Ref == "" {
			state.Type, state.AdditionalProperties = huma.TypeObject, true // a state is an object
		}
	}
	for op := range operations(d) {
		for _, p := range op.Parameters {
			noNulls(p.Schema)
		}
	}
}

func noNulls(x *huma.Schema) {
	if x == nil {
		return
	}
	if x.Type == huma.TypeArray {
		x.Nullable = false
		noNulls(x.Items)
	}
	for _, p := range x.Properties {
		noNulls(p)
	}
}
