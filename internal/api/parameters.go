package api

import (
	"io"
	"maps"
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
// given again, in the query or as a header, and a body that nobody would read.
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
	case ctx.Operation().RequestBody != nil && r.ContentLength != 0:
		if err := typed(r, slices.Sorted(maps.Keys(ctx.Operation().RequestBody.Content))[0]); err != nil {
			writeProblem(w, problemOf(err, ctx.Operation().OperationID))
			return
		}
	}
	for name, values := range parameters {
		list := slices.ContainsFunc(ctx.Operation().Parameters, func(p *huma.Param) bool { return p.Name == name && p.Schema.Type == huma.TypeArray })
		if err := given(name, values, list); err != nil {
			writeProblem(w, err)
			return
		}
	}
	for _, p := range ctx.Operation().Parameters {
		if p.In != "header" {
			continue
		}
		if err := given(p.Name, r.Header.Values(p.Name), false); err != nil {
			writeProblem(w, err)
			return
		}
	}
	next(ctx)
}

// typed refuses a body whose type is not named, is named twice, or is not the one that
// is taken, and spells the type as huma does. JSON is UTF-8, whatever else is said.
func typed(r *http.Request, want string) error {
	named := r.Header.Values("Content-Type")
	kind, more, err := mime.ParseMediaType(strings.Join(named, ", "))
	hint := "send the header 'Content-Type: " + want + "'"
	if want == jsonType {
		hint += " (curl: --json)"
	}
	set, charset := more["charset"]
	switch {
	case len(named) == 0:
		return refuse(http.StatusUnsupportedMediaType, hint, "the type of the body is not named")
	case err != nil || len(named) > 1:
		return refuse(http.StatusUnsupportedMediaType, hint, "the type of the body cannot be read")
	case kind != want && !strings.HasSuffix(kind, "+"+strings.TrimPrefix(want, "application/")):
		return refuse(http.StatusUnsupportedMediaType, hint, "the body is of the type %q: %s is taken here", kind, want)
	case charset && !strings.EqualFold(set, "utf-8"):
		return refuse(http.StatusUnsupportedMediaType, hint, "the body is said to be in %q: UTF-8 is taken here", set)
	}
	r.Header.Set("Content-Type", want)
	return nil
}

// jsonType is the type of every body but that of an import.
const jsonType = "application/json"

// hasBody tells whether anything came with a request that takes no body.
func hasBody(r *http.Request) bool {
	if r.ContentLength >= 0 {
		return r.ContentLength > 0
	}
	n, _ := io.ReadFull(r.Body, make([]byte, 1))
	return n > 0
}
