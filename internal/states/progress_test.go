package states

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
)

// TestProgressOfARun: a brief tells a step that stands still from one that has not begun.
func TestProgressOfARun(t *testing.T) {
	s, err := Read([]byte(`{"current_step_index":1,"plan":[
		{"id":"a","status":"completed"},{"id":"b","status":"in_doubt"},{"id":"c","status":"could_not"},
		{"id":"d","status":"waiting"},{"id":"e","status":"failed"},{"id":"f","status":"pending"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	done, doing, pending := progressOf(piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: piton.TypePlan}}, s)
	want := [][]string{{"a"}, {"b (in doubt: nobody knows whether it took effect)", "c (could not be done)", "d (waits for a person's approval)", "e (failed)"}, {"f"}}
	if diff := cmp.Diff(want, [][]string{done, doing, pending}); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
