// Package kind holds the forms of the states that Piton knows, as JSON
// Schemas, and holds states against them (docs/spec.md, "Kinds").
package kind

import (
	_ "embed" // the schemas
	"slices"
	"strings"
	"sync"

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
	compiled func() (*schema, error)
}

var forms = []form{
	{piton.TypePhases, phases, compile(phases, "")},
	{piton.TypeConductor, conductor, compile(conductor, "")},
	{piton.TypePlan, plan, compile(plan, defs+"state")}, // the other part is for files of plans
	{piton.TypeSession, session, compile(session, "")},
}

// compile reads a schema, or the part of it that is for states.
func compile(text []byte, part string) func() (*schema, error) {
	return sync.OnceValues(func() (*schema, error) { return parse(text, part) })
}

// Names lists the kinds that have a schema.
func Names() []string {
	var names []string
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

// Schema returns the JSON Schema of a kind, draft 2020-12. That of plan is for
// plan files too. NotFound for any other name.
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
