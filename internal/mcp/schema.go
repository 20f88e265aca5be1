package mcp

import (
	_ "embed" // the schemas
	"encoding/json"
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
	Output json.RawMessage `json:"output,omitempty"`
}

// fill gives the tools their schemas.
func (d *door) fill() {
	var known map[string]schemas
	if err := json.Unmarshal(schemasText, &known); err != nil {
		panic(err) // they are ours
	}
	for _, t := range d.tools {
		s := known[t.Name]
		t.InputSchema = s.Input
		if len(s.Output) > 0 {
			t.OutputSchema = s.Output
		}
	}
}
