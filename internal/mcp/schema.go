package mcp

import (
	_ "embed" // the schemas
	"encoding/json"
	"fmt"
)

// schemasText has the schemas of the tools by name, as they are made from the types of
// their arguments and answers: making them at each start would take 3 ms. A test says
// when they are no longer those of the types, and writes them anew with -update.
//
//go:embed schemas.json
var schemasText []byte

// schemas are those of one tool.
type schemas struct {
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

// form is what is looked at in the schema of a tool's arguments.
type form struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

// fill gives the tools their schemas.
func (d *door) fill() {
	var known map[string]schemas
	if err := json.Unmarshal(schemasText, &known); err != nil {
		panic(err) // they are ours
	}
	for _, t := range d.tools {
		s, ok := known[t.Name]
		if !ok {
			panic(fmt.Sprintf("the tool %s has no schemas", t.Name))
		}
		t.InputSchema, t.OutputSchema = s.Input, s.Output
	}
}

// formOf reads the schema of a tool's arguments.
func formOf(schema any) (f form) {
	text, _ := schema.(json.RawMessage)
	_ = json.Unmarshal(text, &f)
	return f
}

// state is a state as a model gives it: a JSON object, or a string that holds one,
// as some models write it.
type state json.RawMessage

// UnmarshalJSON keeps the bytes as they are.
func (s *state) UnmarshalJSON(b []byte) error {
	*s = append((*s)[:0], stateOf(b)...)
	return nil
}

// stateOf reads a state as a model gives it.
func stateOf(given []byte) state {
	var text string
	if len(given) > 0 && given[0] == '"' && json.Unmarshal(given, &text) == nil {
		return state(text)
	}
	return given
}

// MarshalJSON writes the bytes as they are.
func (s state) MarshalJSON() ([]byte, error) { return json.RawMessage(s).MarshalJSON() }

// patch is the change of a state, RFC 6902.
type patch json.RawMessage

// MarshalJSON writes the bytes as they are.
func (p patch) MarshalJSON() ([]byte, error) { return json.RawMessage(p).MarshalJSON() }
