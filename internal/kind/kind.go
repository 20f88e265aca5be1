// Package kind holds the forms of the states that Piton knows, as JSON
// Schemas, and holds states against them (docs/spec.md, "Kinds").
package kind

import (
	"bytes"
	_ "embed" // the schemas
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/piton-project/piton"
)

//go:embed schema/phases.json
var phases []byte

//go:embed schema/conductor.json
var conductor []byte

//go:embed schema/plan.json
var plan []byte

//go:embed schema/session.json
var session []byte

// form is a kind with its schema. It is compiled when it is first needed.
type form struct {
	name     string
	text     []byte
	compiled func() (*jsonschema.Schema, error)
}

var forms = []form{
	{piton.TypePhases, phases, compile(phases)},
	{piton.TypeConductor, conductor, compile(conductor)},
	{piton.TypePlan, plan, compile(plan)},
	{piton.TypeSession, session, compile(session)},
}

func compile(text []byte) func() (*jsonschema.Schema, error) {
	return sync.OnceValues(func() (*jsonschema.Schema, error) {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		c.UseLoader(jsonschema.SchemeURLLoader{}) // nothing is fetched from anywhere
		if err := c.AddResource("kind.json", doc); err != nil {
			return nil, err
		}
		return c.Compile("kind.json")
	})
}

// Names lists the kinds that have a schema.
func Names() []string {
	var names []string
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

// Schema returns the JSON Schema of a kind, draft 2020-12. NotFound for any
// other name.
func Schema(name string) ([]byte, error) {
	f, ok := find(name)
	if !ok {
		return nil, piton.Errorf(piton.NotFound, "show a schema", "the kinds are "+strings.Join(Names(), ", ")+"; a state of any other type is any JSON object", "there is no kind %q", name)
	}
	return slices.Clone(f.text), nil
}

func find(name string) (form, bool) {
	i := slices.IndexFunc(forms, func(f form) bool { return f.name == name })
	if i < 0 {
		return form{}, false
	}
	return forms[i], true
}
