package api

import (
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/request"
	"github.com/piton-project/piton/internal/verbs"
)

// exchange is a route with what it is asked. The parameters and the members of the body
// are the fields of the request (package request).
type exchange struct {
	route
	asked reflect.Type
	// said is what its answer is; nil: the operation says it.
	said reflect.Type
	// alter changes the operation before it is added. Where it takes a body, that is a file.
	alter func(*huma.Operation)
	// serve answers. What it returns is a problem.
	serve func(w http.ResponseWriter, r *http.Request, req any) error
}

// do does what a request asks for: a pointer to a struct of package piton.
type do func(ctx context.Context, a *app.App, req any) (any, error)

// verbs adds the routes of the verbs, in the order of their table. Own are those that
// this door does with more than a call, by the names of their operations.
func (s *Server) verbs(own map[string]do) {
	for _, v := range verbs.All {
		for _, r := range v.Routes {
			does, ok := own[r.ID]
			if !ok {
				does = v.Do
			}
			s.verb(v, r, does)
		}
	}
}

// verb adds a route of a verb that answers with JSON. Each request has an application of
// its own: one caller at a time uses one, and settings and store are those of the moment.
func (s *Server) verb(v verbs.Verb, at verbs.Route, does do) {
	at.Says = cmp.Or(at.Says, v.Says)
	r := route{at, v.Group}
	s.exchange(exchange{route: r, asked: v.Request, said: v.Answer, serve: func(w http.ResponseWriter, hr *http.Request, req any) error {
		var answer any
		err := s.within(hr.Context(), r, folderOf(req), func(a *app.App) (err error) {
			answer, err = does(hr.Context(), a, req)
			if x, ok := answer.(interface{ Partly() bool }); ok && err != nil && x.Partly() {
				err = partly(answer, err)
			}
			return err
		})
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", jsonType)
		if r.Tagged {
			return answerTagged(w, hr, answer)
		}
		w.WriteHeader(cmp.Or(r.Status, http.StatusOK))
		return format().Marshal(w, answer)
	}})
}

// folderOf is the folder that the caller of a request works in; "" where it names none.
func folderOf(req any) string {
	if f := reflect.ValueOf(req).Elem().FieldByName("Project"); f.IsValid() {
		return f.String()
	}
	return ""
}

// exchange adds a route.
func (s *Server) exchange(x exchange) {
	op := x.route.operation()
	if x.Method != http.MethodGet || x.tag == "files" {
		fail(&op, http.StatusConflict)
	}
	for _, f := range x.fields() {
		if f.Has("complete", request.HTTP) { // it names something
			fail(&op, http.StatusNotFound)
		}
		if in := x.place(f); in != "body" {
			for _, name := range x.names(f) {
				op.Parameters = append(op.Parameters, &huma.Param{In: in, Name: name, Description: f.Help(request.HTTP, name), Required: in == "path" || f.Required(request.HTTP), Explode: new(bool), Schema: schemaOf(f.Schema(request.HTTP))})
			}
		}
	}
	if x.Method == http.MethodPost {
		members := slices.DeleteFunc(x.fields(), func(f request.Field) bool { return x.place(f) != "body" })
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{jsonType: {Schema: schemaOf(request.Object(request.HTTP, members))}}}
	}
	if x.said != nil {
		said := s.api.OpenAPI().Components.Schemas.Schema(x.said, true, "")
		status := cmp.Or(x.Status, http.StatusOK)
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: map[string]*huma.MediaType{jsonType: {Schema: said}}}
	}
	if x.alter != nil {
		x.alter(&op)
	}
	if x.Tagged {
		describeTag(&op)
	}
	if !x.Hidden {
		s.api.OpenAPI().AddOperation(&op)
	}
	s.api.Adapter().Handle(&op, func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		req, err := x.read(r)
		if err == nil {
			err = x.serve(w, r, req)
		}
		if err != nil {
			writeProblem(w, problemOf(err, x.ID))
		}
	})
}

// fields are those of the request that this route has: a thing that its path names is
// named in no other way.
func (x exchange) fields() []request.Field {
	form := request.FormOf(x.asked)
	var named []string // the groups of what the path names
	for _, f := range form.At(request.HTTP) {
		if x.place(f) == "path" {
			named = append(named, f.Groups(request.HTTP)...)
		}
	}
	return slices.DeleteFunc(form.At(request.HTTP), func(f request.Field) bool {
		excluded := slices.ContainsFunc(f.Groups(request.HTTP), func(g string) bool { return slices.Contains(named, g) })
		return x.place(f) == "" || x.place(f) != "path" && excluded
	})
}

// place is where a field stands in a request of this route; "" where it has none.
func (x exchange) place(f request.Field) string {
	switch {
	case f.Has("path", request.HTTP):
		if strings.Contains(x.Path, "{"+f.Tag("path", request.HTTP)+"}") {
			return "path"
		}
		return ""
	case f.Has("header", request.HTTP):
		return "header"
	case x.body() == jsonType:
		return "body"
	}
	return "query"
}

// body is the type of the body that is taken; "" where none is.
func (x exchange) body() string {
	switch {
	case x.Method != http.MethodPost:
		return ""
	case x.alter != nil:
		return fileType
	}
	return jsonType
}

// names are what a field is called in its place: a switch can have an opposite.
func (x exchange) names(f request.Field) []string {
	if one := cmp.Or(f.Tag("path", request.HTTP), f.Tag("header", request.HTTP)); one != "" {
		return []string{one}
	}
	return f.Names(request.HTTP)
}

// read reads a request. What cannot be read, and what nobody would read, is refused: to
// leave it out could mean all.
func (x exchange) read(r *http.Request) (any, error) {
	req := reflect.New(x.asked).Interface()
	in := request.Read(request.HTTP, req)
	in.Fields = x.fields()
	parameters, err := url.ParseQuery(r.URL.RawQuery)
	switch {
	case err != nil:
		return nil, refuse(http.StatusUnprocessableEntity, "encode them as a URL has it", "the parameters cannot be read: %v", err)
	case x.body() == "" && hasBody(r):
		return nil, refuse(http.StatusUnprocessableEntity, "give what it says as parameters of the query", "%s takes no body here", r.Method)
	case x.body() != "" && r.ContentLength != 0:
		if err := typed(r, x.body()); err != nil {
			return nil, err
		}
	}
	for _, f := range in.Fields {
		for _, name := range x.names(f) {
			var values []string
			switch x.place(f) {
			case "path":
				values = []string{r.PathValue(name)}
			case "header":
				values = r.Header.Values(name)
			case "query":
				values = parameters[name]
				delete(parameters, name)
			}
			for _, value := range values {
				if strings.TrimSpace(value) == "" { // most often it is a variable that was never set
					return nil, refuse(http.StatusUnprocessableEntity, "give it a value, or leave it out", "the parameter %s is empty", name)
				}
				if err := in.Text(f, name, value); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		return nil, refuse(http.StatusUnprocessableEntity, "openapi.json describes the requests", "there is no parameter %q", name)
	}
	if x.body() == jsonType {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			in.Fields = slices.DeleteFunc(slices.Clone(in.Fields), func(f request.Field) bool { return x.place(f) != "body" })
			err = in.JSON(body)
			in.Fields = x.fields()
		}
		if err != nil {
			return nil, err
		}
	}
	return req, in.Check()
}

// schemaOf is a schema as the document has it.
func schemaOf(s *request.Schema) *huma.Schema {
	if s == nil {
		return nil
	}
	out := &huma.Schema{Type: s.Type, Description: s.Description, Minimum: s.Minimum, Maximum: s.Maximum, Items: schemaOf(s.Items), MinItems: s.MinItems, Required: s.Required, AdditionalProperties: s.Additional}
	if s.Type == huma.TypeInteger {
		out.Format = "int64"
	}
	if s.Default != nil {
		out.Default = s.Default
	}
	if more, ok := s.Additional.(*request.Schema); ok {
		out.AdditionalProperties = schemaOf(more)
	}
	for _, word := range s.Enum {
		out.Enum = append(out.Enum, word)
	}
	for name, p := range s.Properties {
		if out.Properties == nil {
			out.Properties = map[string]*huma.Schema{}
		}
		out.Properties[name] = schemaOf(p)
	}
	return out
}
