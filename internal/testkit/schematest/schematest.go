// Package schematest compiles a JSON Schema with a library that the product does not
// link, to hold the product's own answers against. Tests only.
package schematest

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Compile compiles a schema, or the part of it that a pointer such as "#/$defs/state"
// names; "" is the whole.
func Compile(t testing.TB, text []byte, part string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("schema.json" + part)
}
