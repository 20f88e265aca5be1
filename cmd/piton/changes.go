package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wI2L/jsondiff"

	"github.com/piton-project/piton"
)

// diff is the change from one state to another, RFC 6902. Numbers are compared
// as they are spelled.
func diff(from, to []byte) ([]byte, error) {
	patch, err := operations(from, to)
	if err != nil {
		return nil, err
	}
	if patch == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(patch)
}

// operations are that change, each with the value it replaces.
func operations(from, to []byte) (jsondiff.Patch, error) {
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

// changesShown bounds the changes a person is shown.
const changesShown = 40

// changes writes a patch for people, a line an operation.
func changes(patch []byte) string {
	var ops []struct {
		Op, Path string
		Value    json.RawMessage
	}
	if json.Unmarshal(patch, &ops) != nil {
		return ""
	}
	var b strings.Builder
	for i, o := range ops {
		if i == changesShown {
			fmt.Fprintf(&b, "- and %d more\n", len(ops)-i)
			break
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("- %s %s %s", o.Op, short(o.Path, 120), short(string(o.Value), 80)), " ") + "\n")
	}
	return b.String()
}
