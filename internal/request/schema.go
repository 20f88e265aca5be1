package request

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Schema is a JSON Schema, as OpenAPI 3.1 and MCP have it.
type Schema struct {
	Type        string             `json:"type,omitempty"`
	Description string             `json:"description,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Minimum     *float64           `json:"minimum,omitempty"`
	Maximum     *float64           `json:"maximum,omitempty"`
	Default     json.RawMessage    `json:"default,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	MinItems    *int               `json:"minItems,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	// Additional is false, a schema, or left out where other names may stand there.
	Additional any `json:"additionalProperties,omitempty"`
}

// Schema is that of the request at a door.
func (f *Form) Schema(d Door) *Schema { return Object(d, f.At(d)) }

// Object is the schema of an object that has these fields at a door, and no others.
func Object(d Door, fields []Field) *Schema {
	s := &Schema{Type: "object", Properties: map[string]*Schema{}, Additional: false}
	for _, f := range fields {
		s.Properties[f.Name(d)] = f.Schema(d)
		if f.Required(d) {
			s.Required = append(s.Required, f.Name(d))
		}
	}
	return s
}

// Schema is that of a field at a door.
func (f Field) Schema(d Door) *Schema {
	s := schemaOf(f.base())
	if f.tag.Get("schema") == "any" {
		s = &Schema{}
	}
	s.Description = f.Tag("help", d)
	s.Enum = f.Enum()
	if n, ok := f.bound("min", d); ok && f.Many() {
		s.MinItems = new(int(n))
		return s
	}
	for key, at := range map[string]**float64{"min": &s.Minimum, "max": &s.Maximum} {
		if n, ok := f.bound(key, d); ok {
			*at = &n
		}
	}
	if text := f.Tag("default", d); text != "" {
		s.Default = json.RawMessage(text)
		if s.Type == "string" {
			s.Default, _ = json.Marshal(text)
		}
	}
	return s
}

func schemaOf(t reflect.Type) *Schema {
	switch t.Kind() {
	case reflect.String:
		return &Schema{Type: "string"}
	case reflect.Bool:
		return &Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &Schema{Type: "integer"}
	case reflect.Float64:
		return &Schema{Type: "number"}
	case reflect.Slice:
		if t == rawType {
			return &Schema{Type: "object", Additional: true}
		}
		return &Schema{Type: "array", Items: schemaOf(t.Elem())}
	case reflect.Map:
		return &Schema{Type: "object", Additional: schemaOf(t.Elem())}
	case reflect.Struct:
		s := &Schema{Type: "object", Properties: map[string]*Schema{}}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			s.Properties[name] = schemaOf(f.Type)
		}
		return s
	}
	return &Schema{}
}

// Required tells whether a field cannot be left out at a door.
func (f Field) Required(d Door) bool { return f.Tag("required", d) == "yes" && f.Name(d) != "" }
