package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/run/plan"
)

// TestExamples: the plans of examples/ are read, fit the schema, run offline, and
// say how they are run.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("got %v (%v), want the examples", files, err)
	}
	schema := plan.PlanSchema(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.Parse(filepath.Base(file), text, known)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if err := schema.Validate(plan.AsRead(t, file, text)); err != nil {
			t.Errorf("%s: the schema refuses it: %v", file, err)
		}
		if head, _, _ := strings.Cut(string(text), "\nname:"); !strings.HasPrefix(head, "# ") || !strings.Contains(head, "piton run examples/"+filepath.Base(file)) {
			t.Errorf("%s does not begin with how it is run", file)
		}
		for _, s := range p.Steps {
			if s.Action == "http" || s.Action == "mcp" || s.Action == "agent" {
				t.Errorf("%s: step %s does not run offline", file, s.ID)
			}
		}
	}
}
