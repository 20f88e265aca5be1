package runs

import (
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/testkit/screentest"
)

func TestScreens(t *testing.T) {
	ago := screentest.Ago
	runs := []planruns.RunRow{
		{Run: piton.Run{ID: "run_2c4e6g8j0m1p3r5t", Workflow: "nightly", Status: piton.RunFailed, Done: 2, Total: 3, CreatedAt: ago(8 * time.Hour), Error: "step publish failed: exit status 1", Dir: "/home/ann/src/site", WorkMS: 95_000}},
		{Run: piton.Run{ID: "run_5v7x9z1b3d5f7h9k", Workflow: "research", Status: piton.RunWaiting, Done: 1, Total: 4, CreatedAt: ago(26 * time.Hour), Now: "waits for a person to approve the outline"}},
	}
	steps := []planruns.RunStep{
		{ID: "fetch", Status: runner.Completed, DurationMS: 1200}, {ID: "build", Stage: 1, Status: runner.Completed, DurationMS: 93_000, Dependencies: []string{"fetch"}},
		{ID: "publish", Stage: 2, Status: runner.Failed, Attempt: 2, DurationMS: 800, Reason: "exit status 1", Dependencies: []string{"build"}},
	}
	screentest.Compare(t, []screentest.Screen{
		{Name: "runs-list", Print: func(of *cli.Console) error {
			return console{of}.printRuns(planruns.RunList{Runs: runs, More: true}, "piton runs list --limit 0")
		}},
		{Name: "runs-show", Print: func(of *cli.Console) error {
			return console{of}.printRun(planruns.RunView{Run: runs[0], Checkpoint: "chk_7m2k9x4q0v8r3t5w", Steps: steps, Error: "step publish failed: exit status 1", Hint: "piton run --resume run_2c4e6g8j0m1p3r5t"})
		}},
	}...)
}
