package api

import (
	"encoding/json"
	"io"

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
