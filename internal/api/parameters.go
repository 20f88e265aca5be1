package api

import (
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/piton-project/piton"
)

// parametersOf are the parameters of a request. What cannot be read is refused: to leave
// it out could mean all.
func parametersOf(r *http.Request) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refuse(http.StatusUnprocessableEntity, "encode them as a URL has it", "the parameters cannot be read: %v", err)
	}
	return q, nil
}

// given refuses a parameter that is empty or given again: most often it is a variable
// that was never set.
func given(name string, values []string, list bool) error {
	switch {
	case slices.ContainsFunc(values, func(v string) bool { return strings.TrimSpace(v) == "" }):
		return refuse(http.StatusUnprocessableEntity, "give it a value, or leave it out", "the parameter %s is empty", name)
	case len(values) > 1 && !list:
		return refuse(http.StatusUnprocessableEntity, "give it once", "the parameter %s is given %d times", name, len(values))
	}
	return nil
}

func noBody(r *http.Request) error {
	return refuse(http.StatusUnprocessableEntity, "give what it says as parameters of the query", "%s takes no body here", r.Method)
}

// only are the parameters of a request that huma does not read: those of these names,
// each at most once, and no body.
func only(r *http.Request, names ...string) (url.Values, error) {
	q, err := parametersOf(r)
	if hasBody(r) {
		err = noBody(r)
	}
	for name, values := range q {
		if err == nil {
			err = given(name, values, false)
		}
		if !slices.Contains(names, name) {
			err = piton.Errorf(piton.Invalid, "", "openapi.json describes the requests", "there is no parameter %q", name)
		}
	}
	return q, err
}

// oneOfEach refuses what huma would take: a parameter that cannot be read, is empty or
// given again, and a body that nobody would read.
func oneOfEach(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	parameters, err := parametersOf(r)
	switch {
	case err != nil:
		writeProblem(w, err)
		return
	case ctx.Operation().RequestBody == nil && hasBody(r):
		writeProblem(w, noBody(r))
		return
	case !readsType(ctx.Operation(), r):
		p := problemOf(refuse(http.StatusUnsupportedMediaType, "send JSON, with the header 'Content-Type: application/json' (curl: --json)", "the body is of another type than JSON"), ctx.Operation().OperationID)
		writeProblem(w, p)
		return
	}
	for name, values := range parameters {
		list := slices.ContainsFunc(ctx.Operation().Parameters, func(p *huma.Param) bool { return p.Name == name && p.Schema.Type == huma.TypeArray })
		if err := given(name, values, list); err != nil {
			writeProblem(w, err)
			return
		}
	}
	next(ctx)
}

// readsType tells whether an operation takes a body of the type that a request names,
// and spells it as huma does. One without a type is read as what the operation takes.
func readsType(op *huma.Operation, r *http.Request) bool {
	named := r.Header.Get("Content-Type")
	if named == "" || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil || !hasBody(r) {
		return true
	}
	kind, _, err := mime.ParseMediaType(named)
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return false
	}
	r.Header.Set("Content-Type", "application/json")
	return true
}

// hasBody tells whether anything came with a request that takes no body.
func hasBody(r *http.Request) bool {
	if r.ContentLength >= 0 {
		return r.ContentLength > 0
	}
	n, _ := io.ReadFull(r.Body, make([]byte, 1))
	return n > 0
}
