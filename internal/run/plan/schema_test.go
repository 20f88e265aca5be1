package plan

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/piton-project/piton/internal/testkit/schematest"
)

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

// Golden holds lines against a file of testdata; -update writes it anew.
func Golden(t *testing.T, name string, lines []string) {
	t.Helper()
	path, want := "testdata/"+name, strings.Join(lines, "\n")+"\n"
	have, err := os.ReadFile(path)
	if *update {
		err = os.WriteFile(path, []byte(want), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if old := strings.Split(string(have), "\n"); !*update && string(have) != want {
		for i, line := range lines {
			if i >= len(old) || old[i] != line {
				t.Errorf("%s, line %d: got\n%s", path, i+1, line)
			}
		}
		t.Errorf("%s has %d lines, and the test %d", path, len(old)-1, len(lines))
	}
}
