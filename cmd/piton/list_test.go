package main

import (
	"slices"
	"testing"

	"github.com/piton-project/piton"
)

// The automatic checkpoints of one turn are told apart, and nothing else is said.
func TestCheckpointsOfOneTurn(t *testing.T) {
	saved := func(workflow string, turn int, why piton.Trigger, description string) piton.Checkpoint {
		return piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowID: workflow, WorkflowType: piton.TypeSession}, AtStep: piton.AtStep{StepNumber: &turn}, Trigger: why, Described: piton.Described{Description: description}}
	}
	first, second := saved("wf_a", 4, "file_change", "1 file changed: a.go"), saved("wf_a", 4, "file_change", "2 files changed since the last checkpoint: b.go, c.go")
	phase := first
	phase.WorkflowType = piton.TypePhases
	unnumbered := first
	unnumbered.StepNumber = nil
	for _, c := range []struct {
		name string
		list []piton.Checkpoint
		want []string
	}{
		{"two of one turn", []piton.Checkpoint{second, first}, []string{"4: 2 files changed: b.go, c.go", "4: 1 file changed: a.go"}},
		{"one of another turn between", []piton.Checkpoint{second, saved("wf_a", 3, "turn_end", "no file changed"), first}, []string{"4: 2 files changed: b.go, c.go", "", "4: 1 file changed: a.go"}},
		{"its end, after a change", []piton.Checkpoint{saved("wf_a", 4, "turn_end", "no file changed since the last checkpoint"), first}, []string{"4: no further change", "4: 1 file changed: a.go"}},
		{"the only one of its turn", []piton.Checkpoint{first}, []string{""}},
		{"the same turn of another workflow", []piton.Checkpoint{first, saved("wf_b", 4, "file_change", "x")}, []string{"", ""}},
		{"saved by hand", []piton.Checkpoint{first, saved("wf_a", 4, piton.TriggerManual, "x")}, []string{"", ""}},
		{"no session", []piton.Checkpoint{phase, phase}, []string{"", ""}},
		{"without a turn", []piton.Checkpoint{unnumbered, unnumbered}, []string{"", ""}},
		{"what steers a terminal", []piton.Checkpoint{first, saved("wf_a", 4, "error", "it\n\x1b[2Jfailed")}, []string{"4: 1 file changed: a.go", "4: it [2Jfailed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := turnTexts(c.list); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
