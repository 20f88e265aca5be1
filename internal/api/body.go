package api

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// format writes answers as the command line does. Requests are read by package request.
func format() huma.Format {
	return huma.Format{Marshal: func(w io.Writer, v any) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	}}
}

// fileType is the type of exports and of what is imported.
const fileType = "application/octet-stream"

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
