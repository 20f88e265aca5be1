package runs

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/screen"
)

// newConsole is a console that prints there.
func newConsole(out io.Writer, getenv func(string) string) console {
	return console{cli.New(nil, out, nil, getenv)}
}

func TestDrawSteps(t *testing.T) {
	con := newConsole(&strings.Builder{}, func(string) string { return "" })
	for _, c := range []struct {
		name  string
		steps []planruns.RunStep
		want  string
	}{
		{"no steps", nil, ""},
		{"a line of steps", []planruns.RunStep{
			{ID: "a", Status: runner.Completed, DurationMS: 1200, Description: "first"},
			{ID: "b", Stage: 1, Dependencies: []string{"a"}, Status: runner.Failed, Reason: "API timeout", Attempt: 3},
			{ID: "c", Stage: 2, Dependencies: []string{"b"}, Status: runner.Pending},
		}, "  + a     1.2s  first\n  x b     failed  attempt 3  API timeout\n  . c\n"},
		{"steps that can run at once, and one that waits for some of them", []planruns.RunStep{
			{ID: "a", Status: runner.Completed}, {ID: "join", Stage: 1, Dependencies: []string{"a", "b"}, Status: runner.Pending},
			{ID: "b", Status: runner.Running}, {ID: "c", Status: runner.Waiting},
		}, ", + a\n| > b     running\n` ? c     waiting\n  . join  after a, b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := con.drawSteps(c.steps); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// No line is wider than the terminal, whatever the texts are.
func TestStepLineFits(t *testing.T) {
	con := newConsole(&strings.Builder{}, func(string) string { return "" })
	s := planruns.RunStep{ID: strings.Repeat("id", 40), Description: strings.Repeat("日本語 ", 40), Reason: strings.Repeat("why\n", 30), Status: runner.Failed, DurationMS: 61_000, Attempt: 2}
	for width := 60; width <= 160; width += 20 {
		text := con.stepLine(s, 28, width-4, "after x, y")
		if got := screen.Columns(text) + 4; got > width || strings.Contains(text, "\n") {
			t.Errorf("got %d columns, want at most %d: %q", got, width, text)
		}
		if !strings.Contains(text, "failed  1m01s") {
			t.Errorf("%d columns: got %q, want the state and the duration in it", width, text)
		}
	}
}

func TestRunStatus(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		status piton.RunStatus
		want   int
	}{
		{"completed", t.Context(), piton.RunCompleted, 0},
		{"a step failed", t.Context(), piton.RunFailed, 7},
		{"a budget is used up", t.Context(), piton.RunStopped, 7},
		{"Ctrl-C", ended, piton.RunStopped, 130},
		{"completed just before Ctrl-C", ended, piton.RunCompleted, 0},
		{"in doubt", t.Context(), piton.RunInDoubt, 8},
		{"waits for a person", t.Context(), piton.RunWaiting, 9},
		{"paused from another terminal", t.Context(), piton.RunPaused, 130},
		{"cancelled", t.Context(), piton.RunCancelled, 130},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := runStatus(c.ctx, c.status); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

// A line of a step at work is as wide as the terminal at most, and says where it is cut.
func TestLiveLineIsCut(t *testing.T) {
	w := &watcher{con: newConsole(nil, func(string) string { return "" })}
	for _, c := range []struct {
		says  string
		width int
		want  string
	}{
		{"reads", 40, "- a  2562047h47m  reads"},
		{"reads all of it", 30, "- a  2562047h47m  reads all …"},
		{"界界界界界", 26, "- a  2562047h47m  界界界…"},
	} {
		if got := w.liveLine(&liveStep{id: "a", says: c.says}, c.width); got != c.want { // since for ever
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// What is drawn of events where no terminal is.
func TestWatchPlain(t *testing.T) {
	var out strings.Builder
	con := newConsole(&out, func(string) string { return "" })
	w := con.watch(t.Context())
	for _, e := range []runner.Event{
		{Kind: runner.RunResumed, Run: "run_1", Done: 1, Total: 3},
		{Kind: runner.StepStarted, Step: "b", Attempt: 1},
		{Kind: runner.StepSays, Step: "b", Message: "reads\x1b[2J"},
		{Kind: runner.StepRetrying, Step: "b", Attempt: 1, Message: "API timeout"},
		{Kind: runner.StepStarted, Step: "b", Attempt: 2},
		{Kind: runner.StepCompleted, Step: "b", DurationMS: 40, Usage: piton.TokenUsage{Input: 12_000}, CostUSD: 0.12},
		{Kind: runner.StepSkipped, Step: "c", Message: "step x failed"},
		{Kind: runner.StepWaiting, Run: "run_1", Step: "d"},
		{Kind: runner.RunEnded, Run: "run_1"},
	} {
		w.event(e)
	}
	w.end()
	want := `run_1 resumed, 1 of 3 steps done
> b
  b: reads [2J
~ b  attempt 1 failed, trying again: API timeout
> b  attempt 2
+ b  40ms  12k tokens, $0.12
- c  skipped: step x failed
? d  waiting
  answer from another terminal: piton runs approve run_1 d
`
	if got := out.String(); strings.ReplaceAll(got, "�", " ") != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
