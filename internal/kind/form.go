package kind

import (
	"encoding/json"
	"errors"
	"strings"
)

// schema is what the schemas of states use of JSON Schema; that they use nothing
// else is a test. A general validator compiles the meta-schemas of every draft at
// each start of each program: 5 ms of the 16 that 'piton mcp' took to begin.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       types              `json:"type"`
	Items      *schema            `json:"items"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	AnyOf      []*schema          `json:"anyOf"`
	Enum       []string           `json:"enum"`
	MinLength  int                `json:"minLength"`
	Minimum    *int64             `json:"minimum"`
}

// types are the types that a value may have; none: any.
type types []string

// UnmarshalJSON reads one type or a list of them.
func (t *types) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		*t = make(types, 1)
		return json.Unmarshal(b, &(*t)[0])
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// defs begins a reference to a part of the same schema.
const defs = "#/$defs/"

// parse reads a schema, or the part of it that a reference names, and puts what is
// referred to in the place of each reference.
func parse(text []byte, part string) (*schema, error) {
	var doc struct {
		Defs parts `json:"$defs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	s := &schema{Ref: part}
	if part == "" {
		if err := json.Unmarshal(text, s); err != nil {
			return nil, err
		}
	}
	return s, s.link(doc.Defs)
}

// parts are the definitions in a schema, by name.
type parts map[string]json.RawMessage

// link resolves the references in a schema. Beside one stand only words.
func (s *schema) link(known parts) error {
	if s.Ref != "" {
		text, ok := known[strings.TrimPrefix(s.Ref, defs)]
		if !ok {
			return errors.New("the schema has no " + s.Ref)
		}
		*s = schema{}
		if err := json.Unmarshal(text, s); err != nil {
			return err
		}
		return s.link(known)
	}
	inner := append([]*schema{}, s.AnyOf...)
	if s.Items != nil {
		inner = append(inner, s.Items)
	}
	for _, p := range s.Properties {
		inner = append(inner, p)
	}
	for _, p := range inner {
		if err := p.link(known); err != nil {
			return err
		}
	}
	return nil
}
