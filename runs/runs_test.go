package runs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/checkpoints"
	"github.com/piton-project/piton/internal/testkit/hometest"
	"github.com/piton-project/piton/runs"
)

// home is where the example puts its store.
var home string

func TestMain(m *testing.M) { hometest.Main(m, func(dir string) { home = dir }) }

func opened(t *testing.T, o checkpoints.Options, actions runs.Actions) *runs.Store {
	t.Helper()
	s, err := runs.Open(t.Context(), o, actions)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestRunIsRefused(t *testing.T) {
	fails := runs.Func(runs.Once, func(context.Context, map[string]any) (any, error) { return nil, errors.New("no") })
	one := runs.Plan{Name: "one", Steps: []runs.Step{{ID: "a", Action: "fails"}}}
	changed := runs.Plan{Name: "one", Steps: []runs.Step{{ID: "a", Action: "fails", Description: "another"}}}
	dir := t.TempDir()
	s := opened(t, checkpoints.Options{Home: dir, Dir: dir}, runs.Actions{"fails": fails})
	if out, err := s.Run(t.Context(), one, runs.Options{}); err != nil || out.Success || out.Status != piton.RunFailed || out.Cause != piton.CauseStepFailed {
		t.Fatalf("got %+v and %v, want a failed run", out, err)
	}
	files := opened(t, checkpoints.Options{Home: dir, Dir: dir, Store: "file:" + dir + "/files"}, runs.Actions{"fails": fails})
	for _, c := range []struct {
		name string
		do   func() error
		want piton.Code
		text string
	}{
		{"a second run beside an unfinished one", func() error { _, err := s.Run(t.Context(), one, runs.Options{}); return err }, piton.Conflict, "Options.New"},
		{"a changed plan", func() error { _, err := s.Resume(t.Context(), changed, runs.Options{}); return err }, piton.Conflict, "Options.AcceptPlan"},
		{"an unknown action", func() error {
			_, err := s.Run(t.Context(), runs.Plan{Name: "x", Steps: []runs.Step{{ID: "a", Action: "nope"}}}, runs.Options{})
			return err
		}, piton.Invalid, ""},
		{"a store of files", func() error { _, err := files.Run(t.Context(), one, runs.Options{}); return err }, piton.Invalid, ""},
		{"a store that was not opened", func() error { _, err := (*runs.Store)(nil).Run(t.Context(), one, runs.Options{}); return err }, piton.Invalid, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.do()
			if piton.CodeOf(err) != c.want {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if hint := hintOf(err); !strings.Contains(hint, c.text) || strings.Contains(hint, "--new") {
				t.Errorf("got the hint %q, want %q in it", hint, c.text)
			}
		})
	}
	if _, err := runs.Open(t.Context(), checkpoints.Options{}, runs.Actions{"x": {}}); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("got %v for an action without a function, want invalid", err)
	}
}

func hintOf(err error) string {
	if e, ok := err.(*piton.Error); ok {
		return e.Hint
	}
	return ""
}

// A run is resumed by its id, without its plan, by another program, and steered.
func TestResumeRun(t *testing.T) {
	dir, up := t.TempDir(), false
	actions := runs.Actions{"maybe": runs.Func(runs.Idempotent, func(context.Context, map[string]any) (string, error) {
		if !up {
			return "", os.ErrNotExist
		}
		return "up", nil
	})}
	plan := runs.Plan{Name: "maybe", Steps: []runs.Step{{ID: "a", Action: "maybe"}}}
	first := opened(t, checkpoints.Options{Home: dir, Dir: dir}, actions)
	failed, err := first.Run(t.Context(), plan, runs.Options{})
	if err != nil || failed.Status != piton.RunFailed {
		t.Fatalf("got %+v, %v, want a failed run", failed, err)
	}
	up = true
	second := opened(t, checkpoints.Options{Home: dir, Dir: dir}, actions)
	if list, err := second.List(t.Context(), true); err != nil || len(list) != 1 || list[0].ID != failed.RunID {
		t.Errorf("got the open runs %v, %v, want the failed one", list, err)
	}
	out, err := second.ResumeRun(t.Context(), failed.RunID, runs.Options{})
	if err != nil || !out.Success || out.RunID != failed.RunID {
		t.Errorf("got %+v, %v, want it completed", out, err)
	}
	if _, err := second.ResumeRun(t.Context(), failed.RunID, runs.Options{}); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("got %v for a run that has ended, want a conflict", err)
	}
	up = false
	failed, err = second.Run(t.Context(), plan, runs.Options{})
	if err != nil || failed.Status != piton.RunFailed {
		t.Fatalf("got %+v, %v, want a failed run", failed, err)
	}
	if err := first.Pause(t.Context(), failed.RunID); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("got %v for a pause of a run that nobody works on, want a conflict", err)
	}
	if err := first.Cancel(t.Context(), failed.RunID); err != nil {
		t.Error(err)
	}
	if list, err := first.List(t.Context(), true); err != nil || len(list) != 0 {
		t.Errorf("got the open runs %v, %v, want none", list, err)
	}
	if _, err := (*runs.Store)(nil).List(t.Context(), true); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("got %v, want invalid", err)
	}
}

// TestFunctions: what a function is given, what its errors mean, and what its steps bring.
func TestFunctions(t *testing.T) {
	dir := t.TempDir()
	type sum struct {
		A int `json:"a"`
	}
	tries := 0
	actions := runs.Actions{
		"double": runs.Func(runs.Pure, func(_ context.Context, p sum) (sum, error) { return sum{2 * p.A}, nil }),
		"given": runs.Func(runs.Pure, func(ctx context.Context, p map[string]any) (string, error) {
			i := runs.InfoOf(ctx)
			_, err := io.WriteString(i.Log, "said\n")
			return fmt.Sprint(p != nil, len(p), i.Step, i.Attempt, i.Run != "", i.Key != "", i.Words == ""), err
		}),
		"flaky": runs.Func(runs.Idempotent, func(context.Context, map[string]any) (int, error) {
			if tries++; tries < 3 {
				return 0, errors.New("for a moment")
			}
			return tries, nil
		}),
		"never": runs.Func(runs.Idempotent, func(context.Context, map[string]any) (int, error) {
			tries++
			return 0, runs.Permanent(errors.New("for good"))
		}),
	}
	s := opened(t, checkpoints.Options{Home: dir, Dir: dir}, actions)
	var events []string
	run := func(step runs.Step) runs.Outcome {
		t.Helper()
		tries, events = 0, nil
		step.ID = "a"
		out, err := s.Run(t.Context(), runs.Plan{Name: step.Action, Steps: []runs.Step{step}}, runs.Options{New: true, Events: func(e runs.Event) { events = append(events, e.Kind+" "+e.Step) }})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := run(runs.Step{Action: "double", Parameters: sum{4}})
	if got, err := runs.Output[sum](out, "a"); err != nil || got.A != 8 {
		t.Errorf("got %+v, %v, want twice as much", got, err)
	}
	if got, err := runs.Output[string](out, "a"); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("as a text: got %q, %v", got, err)
	}
	if got, err := runs.Output[sum](out, "b"); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("no such step: got %+v, %v", got, err)
	}
	if got := strings.Join(events, ", "); got != "run_started , step_started a, step_completed a, run_ended " {
		t.Errorf("got the events %s", got)
	}
	if out := run(runs.Step{Action: "double", Parameters: map[string]any{"b": 4}}); out.Status != piton.RunFailed {
		t.Errorf("a parameter that it does not have: got %+v", out)
	}
	if got, err := runs.Output[string](run(runs.Step{Action: "given"}), "a"); err != nil || got != "true 0a1 true true true" {
		t.Errorf("got %q, %v", got, err)
	}
	if out := run(runs.Step{Action: "flaky", Attempts: 3, Timeout: time.Minute}); !out.Success || tries != 3 {
		t.Errorf("flaky: got %+v after %d tries", out.Status, tries)
	}
	if out := run(runs.Step{Action: "flaky", Attempts: 1}); out.Success || tries != 1 {
		t.Errorf("flaky, once: got %+v after %d tries", out.Status, tries)
	}
	if out := run(runs.Step{Action: "never", Attempts: 3}); out.Success || tries != 1 {
		t.Errorf("for good: got %+v after %d tries", out.Status, tries)
	}
	if out, err := s.Run(t.Context(), runs.Plan{Text: "name: text\nsteps: [{id: a, action: double, parameters: {a: 1}}]"}, runs.Options{}); err != nil || !out.Success {
		t.Errorf("a plan as text: got %+v, %v", out, err)
	}
	if _, err := s.Run(t.Context(), runs.Plan{Name: "odd", Steps: []runs.Step{{ID: "a", Action: "double", Parameters: func() {}}}}, runs.Options{}); piton.CodeOf(err) != piton.Invalid || hintOf(err) == "" {
		t.Errorf("parameters that are no JSON: got %v", err)
	}
	if n, err := runs.InfoOf(t.Context()).Log.Write([]byte("nobody")); n != 6 || err != nil {
		t.Errorf("a log outside of a step: got %d, %v", n, err)
	}
}
