// Package diff is the change from one state to another, as JSON Patch (RFC 6902).
package diff

import (
	"bytes"
	"encoding/json"

	"github.com/wI2L/jsondiff"

	"github.com/piton-project/piton"
)

// States is the change from one state to another, as text. Numbers are compared as they
// are spelled.
func States(from, to []byte) ([]byte, error) {
	patch, err := Operations(from, to)
	if err != nil {
		return nil, err
	}
	if patch == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(patch)
}

// Operations are that change as a list, each with the value it replaces.
func Operations(from, to []byte) (jsondiff.Patch, error) {
	exact := jsondiff.UnmarshalFunc(func(b []byte, v any) error {
		dec := json.NewDecoder(bytes.NewReader(b))
		dec.UseNumber()
		return dec.Decode(v)
	})
	patch, err := jsondiff.CompareJSON(from, to, exact)
	if err != nil {
		return nil, &piton.Error{Code: piton.Internal, Op: "compare two states", Err: err}
	}
	return patch, nil
}
