package states

import (
	"reflect"
	"strings"
	"testing"

	"github.com/piton-project/piton"
)

// TestOutlineSaysTheSame: what a record takes from a state does not depend on how much
// of the state is decoded.
func TestOutlineSaysTheSame(t *testing.T) {
	filling := `"filling":"` + strings.Repeat("words ", minOutlined/5) + `"`
	for name, state := range map[string]string{
		"phases":          `{"phase":"BUILD","phase_number":3,"phase_total":7,` + filling + `}`,
		"conductor":       `{` + filling + `,"current_phase":"a","completed_phases":["b"],"pending_phases":["c","d"],"query":"q"}`,
		"plan":            `{"plan":[{"id":"1"},{"id":"2"}],"current_step_index":1,"results":[{"a":1}],` + filling + `}`,
		"plan, camel":     `{"plan":[{"id":"1"}],"currentStepIndex":1,"results":[],` + filling + `}`,
		"an escaped key":  `{"\u0070hase":"BUILD","phaseNumber":2,` + filling + `}`,
		"todos":           `{"todos":[{"status":"completed"},{"status":"pending"}],` + filling + `}`,
		"nothing is said": `{` + filling + `,"deep":{"phase":"no"}}`,
	} {
		clean, err := (*Recent)(nil).Clean(Line{}, []byte(state), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		outline, err := clean.Said()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if clean.scanned == nil || outline["filling"] != nil {
			t.Errorf("%s: got all of it decoded, want the outline", name)
		}
		whole, err := Read([]byte(state))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, kind := range []string{"", piton.TypePhases, piton.TypeSession} {
			got, want := piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: kind}, AtStep: piton.AtStep{StepName: "A", PhaseNumber: 1}}, piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: kind}, AtStep: piton.AtStep{StepName: "A", PhaseNumber: 1}}
			gotErr, wantErr := Describe(&got, outline), Describe(&want, whole)
			if !reflect.DeepEqual(got, want) || (gotErr == nil) != (wantErr == nil) {
				t.Errorf("%s as %q: got %+v, %v, want %+v, %v", name, kind, got, gotErr, want, wantErr)
			}
			if gotErr != nil {
				continue
			}
			if got, want := string(Form(got, outline, []byte(state))), string(Form(want, whole, []byte(state))); got != want {
				t.Errorf("%s as %q: got the form %.80s, want %.80s", name, kind, got, want)
			}
		}
	}
}
