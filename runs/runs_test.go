package runs_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

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
