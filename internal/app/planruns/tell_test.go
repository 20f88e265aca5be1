package planruns

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/run/runner"
)

func TestNewsOfRun(t *testing.T) {
	for _, x := range []struct {
		e    runner.Event
		want agent.EventKind
		text string
	}{
		{runner.Event{Kind: runner.RunStarted}, agent.EventRunStarted, "The run release has started."},
		{runner.Event{Kind: runner.RunResumed}, agent.EventRunStarted, "The run release goes on."},
		{runner.Event{Kind: runner.StepWaiting, Step: "ask\x1b"}, agent.EventRunWaiting, `The run release waits for you at the step ask\x1b.`},
		{runner.Event{Kind: runner.StepInDoubt, Step: "pay"}, agent.EventRunWaiting, "The run release waits for you at the step pay."},
		{runner.Event{Kind: runner.RunEnded, Message: string(piton.RunCompleted)}, agent.EventRunEnded, "The run release has completed."},
		{runner.Event{Kind: runner.RunEnded, Message: string(piton.RunFailed)}, agent.EventRunEnded, "The run release has failed."},
		{runner.Event{Kind: runner.RunEnded, Message: string(piton.RunCancelled)}, agent.EventRunEnded, "The run release was cancelled."},
		{runner.Event{Kind: runner.RunEnded, Message: string(piton.RunPaused)}, agent.EventRunEnded, "The run release was paused."},
		{runner.Event{Kind: runner.RunEnded, Message: string(piton.RunWaiting)}, agent.EventRunEnded, "The run release has stopped and waits for a person."},
		{runner.Event{Kind: runner.RunEnded, Message: string(piton.RunInDoubt)}, agent.EventRunEnded, "The run release has stopped: a step is in doubt."},
		{runner.Event{Kind: runner.RunEnded, Message: string(piton.RunStopped)}, agent.EventRunEnded, "The run release has stopped."},
		{runner.Event{Kind: runner.StepCompleted}, "", ""},
	} {
		if got := newsOfRun(x.e, "release"); got.Event != x.want || got.Text != x.text {
			t.Errorf("%s: got %+v, want %s: %s", x.e.Kind, got, x.want, x.text)
		}
	}
	if got := newsOfRun(runner.Event{Kind: runner.RunStarted, Run: "run_1"}, ""); got.Text != "The run run_1 has started." {
		t.Errorf("without a workflow's name: got %q", got.Text)
	}
}
