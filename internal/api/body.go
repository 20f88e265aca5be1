package api

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton/internal/states"
)

// format writes answers as the command line does and reads bodies strictly: what is
// not known, given twice or no UTF-8 is refused, because to leave it out could mean
// something else.
func format() huma.Format {
	return huma.Format{
		Marshal: func(w io.Writer, v any) error {
			enc := stdjson.NewEncoder(w)
			enc.SetEscapeHTML(false)
			return enc.Encode(v)
		},
		Unmarshal: func(data []byte, v any) error {
			return readable(data, json.Unmarshal(data, v, json.RejectUnknownMembers(true)))
		},
	}
}

// readable says what is wrong with a body without the names of Go's types.
func readable(body []byte, err error) error {
	var wrong *json.SemanticError
	if err == nil {
		return nil
	}
	if !errors.As(err, &wrong) {
		hint, cause := states.Fault(body, err)
		return fmt.Errorf("the body cannot be read: %w; %s", cause, hint)
	}
	at := string(wrong.JSONPointer)
	if at == "" {
		at = "the body"
	}
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return errors.New(at + ": there is no such member")
	case errors.Is(err, errEmpty):
		return errors.New(at + " is empty: give it a value, or leave it out")
	case wrong.Err != nil && wrong.GoType == nil:
		return wrong.Err
	}
	return errors.New(at + ": this is not what the member takes (a JSON " + kindOf(wrong.JSONKind) + ")")
}

// kindOf names a kind of JSON value.
func kindOf(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "boolean"
	case '"':
		return "string"
	case '0':
		return "number"
	case '{':
		return "object"
	case '[':
		return "array"
	}
	return "value"
}

var errEmpty = errors.New("is empty")

// chosen is a text that chooses something. An empty one is refused: most often it is a
// variable that was never set, and "all" is not what was meant.
type chosen string

// UnmarshalJSON implements json.Unmarshaler.
func (c *chosen) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if strings.TrimSpace(s) == "" {
		return errEmpty
	}
	*c = chosen(s)
	return nil
}
