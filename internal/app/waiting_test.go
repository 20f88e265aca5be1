package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/runner"
)

// TestWhatARunWaitsFor: each way in which a run stands still says what answers it, and
// one that goes on by itself says nothing.
func TestWhatARunWaitsFor(t *testing.T) {
	asks, answered := Question{StepID: "ok", Text: "Ship it?\nmore"}, Question{StepID: "ok", Text: "Ship it?", Answer: &piton.Answer{}}
	doubt := RunStep{ID: "pay", Status: runner.InDoubt}
	const approve, took, resume = "piton runs approve run_1 ok", "piton run --resume run_1 --took pay", "piton run --resume run_1"
	for _, c := range []struct {
		name string
		v    RunView
		want []string // kinds and commands
	}{
		{"a step asks", RunView{Questions: []Question{asks}}, []string{"approval", approve}},
		{"a step asks, and somebody waits for the answer", RunView{Questions: []Question{asks}, goesOn: true, Run: RunRow{Alive: OwnerAlive}}, []string{"approval", approve}},
		{"two steps ask", RunView{Questions: []Question{asks, {StepID: "two", Text: "?"}}}, []string{"approval", approve, "approval", "piton runs approve run_1 two"}},
		{"one of two is answered", RunView{Questions: []Question{answered, {StepID: "two", Text: "?"}}}, []string{"approval", "piton runs approve run_1 two"}},
		{"all is answered", RunView{Questions: []Question{answered}, Run: RunRow{Answered: true}}, []string{"answered", resume}},
		{"all is answered, and the daemon continues it", RunView{Questions: []Question{answered}, Run: RunRow{Answered: true}, goesOn: true}, nil},
		{"all is answered in a terminal that waits", RunView{Questions: []Question{answered}, Run: RunRow{Alive: OwnerAlive}, goesOn: true}, nil},
		{"a step is in doubt", RunView{Steps: []RunStep{doubt}}, []string{"in_doubt", took}},
		{"two steps are in doubt", RunView{Steps: []RunStep{doubt, doubt}}, []string{"in_doubt", took, "in_doubt", took}},
		{"in doubt, and its other steps are at work", RunView{Steps: []RunStep{doubt}, goesOn: true, Run: RunRow{Alive: OwnerAlive}}, nil},
		{"in doubt, and a step asks", RunView{Steps: []RunStep{doubt}, Questions: []Question{asks}}, []string{"approval", approve, "in_doubt", took}},
		{"its process has died", RunView{Run: RunRow{Alive: OwnerDead}}, []string{"interrupted", resume}},
		{"its process has died, and the daemon takes it over", RunView{Run: RunRow{Alive: OwnerDead}, goesOn: true}, nil},
		{"it is at work", RunView{Run: RunRow{Alive: OwnerAlive}, goesOn: true}, nil},
		{"it may be at work elsewhere", RunView{Run: RunRow{Alive: OwnerUnknown}, goesOn: true}, nil},
		{"it has steps that did not begin", RunView{Steps: []RunStep{{ID: "a", Status: runner.Pending}}, goesOn: true}, nil},
	} {
		c.v.Run.ID = "run_1"
		var got []string
		for _, w := range c.v.waits() {
			got = append(got, string(w.Kind), w.Command)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
