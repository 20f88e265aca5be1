package history_test

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// TestFinished saves states of work that is finished or not: only what is left
// open is offered.
func TestFinished(t *testing.T) {
	for _, c := range []struct {
		name, state string
		done        bool
		progress    int
	}{
		{"all completed", `{"currentStepIndex":2,"plan":[{"id":"1","status":"completed"},{"id":"2","status":"completed"}]}`, true, 100},
		{"completed and skipped", `{"current_step_index":2,"plan":[{"id":"1","status":"completed"},{"id":"2","status":"skipped"}]}`, true, 100},
		{"with an old error", `{"currentStepIndex":1,"plan":[{"id":"1","status":"completed"}],"lastError":{"message":"x"}}`, true, 100},
		{"without words, the index behind the last", `{"current_step_index":2,"plan":[{"id":"1"},{"id":"2"}]}`, true, 100},
		{"without words, the last at work", `{"current_step_index":1,"plan":[{"id":"1"},{"id":"2"}]}`, false, 50},
		{"one pending", `{"currentStepIndex":2,"plan":[{"id":"1","status":"completed"},{"id":"2","status":"pending"}]}`, false, 50},
		{"one failed", `{"currentStepIndex":1,"plan":[{"id":"1","status":"completed"},{"id":"2","status":"failed"}]}`, false, 50},
		{"one running", `{"currentStepIndex":1,"plan":[{"id":"1","status":"completed"},{"id":"2","status":"running"}]}`, false, 50},
		{"a status nobody knows", `{"currentStepIndex":1,"plan":[{"id":"1","status":"blocked"}]}`, false, 0},
		{"no steps", `{"currentStepIndex":0,"plan":[],"query":"x"}`, false, -1},
		{"all done but a todo", `{"currentStepIndex":1,"plan":[{"id":"1","status":"completed"}],"todos":[{"content":"tell","status":"pending"}]}`, false, 100},
		{"all phases", `{"current_phase":"2","completed_phases":["1","2"],"pending_phases":[]}`, true, 100},
		{"phases, what is left is not known", `{"current_phase":"2","completed_phases":["1","2"]}`, false, 100},
		{"the last phase at work", `{"current_phase":"2","completed_phases":["1"],"pending_phases":[]}`, false, 50},
		{"a phase pending", `{"current_phase":"1","completed_phases":["1"],"pending_phases":["2"]}`, false, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			saved := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(c.state)}})
			if saved.Completed != c.done || saved.Completed != (saved.CompletedAt == saved.CreatedAt) {
				t.Errorf("got completed %v at %v, want %v", saved.Completed, saved.CompletedAt, c.done)
			}
			progress := -1
			if saved.Progress != nil {
				progress = *saved.Progress
			}
			if progress != c.progress {
				t.Errorf("got progress %d, want %d", progress, c.progress)
			}
			page, err := s.Store.List(t.Context(), piton.Query{Open: true})
			if err != nil || len(page.Checkpoints) == 1 == c.done {
				t.Errorf("got %d open heads, %v; want one unless it is done", len(page.Checkpoints), err)
			}
			if !c.done {
				return
			}
			// Going on opens it again, and so does a fork of it.
			next := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{"currentStepIndex":0,"plan":[{"id":"1","status":"pending"}],"current_phase":"9","completed_phases":[]}`)}})
			if next.Completed {
				t.Error("got the next one completed")
			}
			f, err := s.Fork(t.Context(), history.ForkDraft{ForkRequest: piton.ForkRequest{From: saved.ID}})
			if err != nil || f.Completed {
				t.Errorf("got a fork that is completed: %v, %v", f.Completed, err)
			}
		})
	}
}
