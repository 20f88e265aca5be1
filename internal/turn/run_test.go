package turn_test

import (
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

func TestASessionKnowsItsRun(t *testing.T) {
	tell(t, []story{
		{"in a step", func(w *world) {
			w.env[agent.RunEnv], w.env[agent.StepEnv] = "run_0123456789abcdef", "build"
			w.starts("startup")
			if s := w.session(); s.Run != "run_0123456789abcdef" || s.Step != "build" {
				t.Errorf("got the run %q and the step %q", s.Run, s.Step)
			}
		}},
		{"in none, whatever the variables are", func(w *world) {
			w.env[agent.RunEnv], w.env[agent.StepEnv] = "17", "build"
			w.starts("startup")
			if s := w.session(); s.Run != "" || s.Step != "" {
				t.Errorf("got the run %q and the step %q, want none", s.Run, s.Step)
			}
		}},
	})
}
