package kind

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/piton-project/piton"
)

// Validate holds a state against the schema of its kind. Invalid when it does
// not fit; the error names the places as JSON pointers, and what belongs
// there. A kind without a schema takes any state.
func Validate(name string, state []byte) error {
	f, ok := find(name)
	if !ok {
		return nil
	}
	op := "save a " + name + " checkpoint"
	s, err := f.compiled()
	if err != nil {
		return &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	v, err := read(state, s)
	if err != nil {
		return &piton.Error{Code: piton.Invalid, Op: op, Hint: "a state is one JSON object", Err: err}
	}
	err = s.Validate(v)
	var misfit *jsonschema.ValidationError
	switch {
	case errors.As(err, &misfit):
		return piton.Errorf(piton.Invalid, op, "'piton schema "+name+"' shows the form", "%s", findings(misfit))
	case err != nil:
		return &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	return nil
}

// read decodes what the schema speaks of and passes over the rest, which may
// be large and is free anyway. Numbers keep their spelling. What is no object
// is decoded whole, for the schema to refuse.
func read(state []byte, s *jsonschema.Schema) (any, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(state),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // both were looked at before
	if dec.PeekKind() != '{' {
		return jsonschema.UnmarshalJSON(bytes.NewReader(state))
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	known := map[string]any{}
	for dec.PeekKind() != '}' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		if s.Properties[name] == nil {
			if err := dec.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		raw, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		if known[name], err = jsonschema.UnmarshalJSON(bytes.NewReader(raw)); err != nil {
			return nil, err
		}
	}
	if _, err := dec.ReadToken(); err != nil { // the closing brace
		return nil, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, errors.New("there is something behind the object")
	}
	return known, nil
}
