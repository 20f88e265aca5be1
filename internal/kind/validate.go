package kind

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

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
	if wrong := s.check(v, nil); len(wrong) > 0 {
		return piton.Errorf(piton.Invalid, op, "'piton schema "+name+"' shows the form", "%s", findings(wrong))
	}
	return nil
}

// read decodes a state as far as the schema speaks of it. What lies beside may
// be large and is free anyway: it is passed over. Numbers keep their spelling.
func read(state []byte, s *schema) (any, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(state),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // both were looked at before
	v, err := value(dec, s)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, errors.New("there is something behind its end")
	}
	return v, nil
}

func value(dec *jsontext.Decoder, s *schema) (any, error) {
	t, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case '{':
		return object(dec, s)
	case '[':
		return array(dec, s)
	case '"':
		return t.String(), nil
	case '0':
		return json.Number(t.String()), nil
	case 't', 'f':
		return t.Bool(), nil
	}
	return nil, nil
}

func object(dec *jsontext.Decoder, s *schema) (any, error) {
	known := map[string]any{}
	for {
		t, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		if t.Kind() == '}' {
			return known, nil
		}
		name := t.String()
		if s.Properties[name] == nil {
			err = dec.SkipValue()
		} else {
			known[name], err = value(dec, s.Properties[name])
		}
		if err != nil {
			return nil, err
		}
	}
}

func array(dec *jsontext.Decoder, s *schema) (any, error) {
	list := []any{}
	for dec.PeekKind() != ']' {
		var x any
		var err error
		if s.Items == nil {
			err = dec.SkipValue()
		} else {
			x, err = value(dec, s.Items)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	_, err := dec.ReadToken() // the closing bracket
	return list, err
}
