package plan

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/piton-project/piton/internal/testkit/schematest"
)

// schemaFile is what 'piton schema plan' prints.
const schemaFile = "../../kind/schema/plan.json"

// PlanSchema compiles the schema of plans.
func PlanSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return schematest.Compile(t, text, "")
}

// AsRead is a plan's file as a schema sees it.
func AsRead(t testing.TB, file string, text []byte) any {
	t.Helper()
	s := &slips{file: file}
	n := source(file, text, s)
	if err := s.err(); n == nil || err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return n.json()
}

// TestSchemaHasEveryKey: the schema and the parser know the same keys, and neither
// takes others.
func TestSchemaHasEveryKey(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Defs map[string]struct {
			Properties map[string]struct {
				Description string
				Ref         string `json:"$ref"`
			}
			AdditionalProperties any
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	for def, k := range map[string]keys{"file": planKeys, "file_step": stepKeys, "file_input": inputKeys, "file_result": resultKeys, "file_retry": retryKeys, "file_budget": budgetKeys, "file_check": checkKeys} {
		d := s.Defs[def]
		if d.AdditionalProperties != false {
			t.Errorf("%s takes keys that it does not know", def)
		}
		for name, p := range d.Properties {
			if !slices.Contains(k.all(), name) {
				t.Errorf("%s has %s, which is not read", def, name)
			}
			if p.Description == "" && p.Ref == "" {
				t.Errorf("%s: %s has no description", def, name)
			}
		}
		for _, name := range k.all() {
			if _, ok := d.Properties[name]; !ok {
				t.Errorf("%s lacks %s", def, name)
			}
			if _, refused := k.refused[name]; refused {
				t.Errorf("%s is read and refused", name)
			}
		}
		all := k.all()
		slices.Sort(all)
		if len(slices.Compact(all)) != len(k.all()) {
			t.Errorf("%s: a name stands for two keys", def)
		}
	}
}

// TestSchemaTakesSavedPlans: a plan that was saved as a state is one too.
func TestSchemaTakesSavedPlans(t *testing.T) {
	schema := PlanSchema(t)
	for _, state := range []string{`{"currentStepIndex":0,"plan":[{"id":"1","status":"completed","more":1}]}`, `{"current_step_index":0,"anything":1}`} {
		if err := schema.Validate(AsRead(t, "p.json", []byte(state))); err != nil {
			t.Errorf("%s: %v, want a state of any keys", state, err)
		}
	}
	for _, bad := range []string{`{}`, `{"steps":[]}`, `{"steps":[{"id":"a","run":"x","rnu":1}]}`, `{"steps":[{"id":"a","run":"x"}],"colour":1}`, `{"steps":[{"id":"a b","run":"x"}]}`, `{"steps":[{"id":"a","uses":"x"}]}`, `"x"`, `{"current_step_index":"0"}`} {
		if err := schema.Validate(AsRead(t, "p.json", []byte(bad))); err == nil {
			t.Errorf("%s: the schema takes it", bad)
		}
	}
}
