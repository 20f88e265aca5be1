package history_test

import (
	"math"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

// TestImportRefuses: what no export has would stand in the way of the saves
// that come behind it.
func TestImportRefuses(t *testing.T) {
	for name, alter := range map[string]func(*store.Entry){
		"a number with none behind it":           func(e *store.Entry) { e.Checkpoint.Seq = math.MaxInt64 },
		"a number below 1":                       func(e *store.Entry) { e.Checkpoint.Seq = -5 },
		"a workflow's number with none behind":   func(e *store.Entry) { e.Workflow.Seq = math.MaxInt64 },
		"the beginning of a workflow's id":       func(e *store.Entry) { e.Workflow.ID = "wf_0" },
		"the beginning of a checkpoint's id":     func(e *store.Entry) { e.Checkpoint.ID = "chk_0" },
		"a parent that is not an id":             func(e *store.Entry) { e.Checkpoint.ParentID = "chk_0" },
		"a control character in a workflow name": func(e *store.Entry) { e.Workflow.Name = "a\x1b]0;b\a" },
		"a workflow's name that is an id":        func(e *store.Entry) { e.Workflow.Name = "wf_0000000000000002" },
		"a long workflow's name":                 func(e *store.Entry) { e.Workflow.Name = strings.Repeat("x", 1000) },
		"less than no tokens":                    func(e *store.Entry) { e.Checkpoint.TokenUsage = &piton.TokenUsage{Output: -1} },
	} {
		s := open(t)
		w := piton.Workflow{ID: "wf_0000000000000001", Name: "import", Type: piton.TypeCustom}
		e := store.Entry{Workflow: w, State: []byte(`{"n":1}`),
			Checkpoint: piton.Checkpoint{ID: "chk_0000000000000001", InWorkflow: piton.InWorkflow{WorkflowID: w.ID, Seq: 1}, CreatedAt: piton.At(s.time)}}
		alter(&e)
		before := s.rows()
		r, err := s.Import(t.Context(), func(yield func(store.Entry, error) bool) { yield(e, nil) }, history.ImportOptions{Project: func(store.Entry) (string, error) { return project, nil }})
		if piton.CodeOf(err) != piton.Invalid || r.Added > 0 {
			t.Errorf("%s: got %+v, %v; want it refused as invalid", name, r, err)
		}
		if after := s.rows(); after != before {
			t.Errorf("%s: got %d rows after %d, want nothing written", name, after, before)
		}
	}
}
