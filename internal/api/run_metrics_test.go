package api

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/piton-project/piton/internal/app/planruns"
)

// TestRunMetrics: what happens in runs is counted as it happens, and how many are unfinished
// is read when it is asked.
func TestRunMetrics(t *testing.T) {
	url, s := serve(t, Socket)
	s.o.Runs = here{s}
	s.o.App.Getenv = func(name string) string { return map[string]string{"PATH": os.Getenv("PATH")}[name] }
	begin := func(plan string) {
		t.Helper()
		if status, text := call(t, "POST", url+"/v1/runs", fmt.Sprintf(`{"project":%q,"plan":%s}`, t.TempDir(), plan)); status != 202 {
			t.Fatalf("got %d, %s", status, text)
		}
	}
	begin(`{"name":"a","steps":[{"id":"one","run":"true"},{"id":"two","needs":"one","approval":"Go on?"}]}`)
	begin(`{"name":"b","steps":[{"id":"one","run":"true"},{"id":"two","needs":"one","run":"false","retry":{"attempts":2,"delay":"1ms"},"effect":"pure"}]}`)
	begin(`{"name":"c","steps":[{"id":"one","run":"true"}]}`)
	_, text := call(t, "GET", url+"/metrics", "")
	for _, want := range []string{
		`piton_runs{status="waiting"} 1`, `piton_runs{status="failed"} 1`, `piton_runs{status="running"} 0`, `piton_runs_ended_total{status="waiting"} 1`, `piton_runs_ended_total{status="failed"} 1`, `piton_runs_ended_total{status="completed"} 1`,
		`piton_run_steps_total{outcome="completed"} 3`, `piton_run_steps_total{outcome="retried"} 1`, `piton_run_steps_total{outcome="failed"} 1`, "piton_run_duration_seconds_count 3", "piton_run_step_duration_seconds_count 5",
		"# HELP piton_runs ", "# TYPE piton_run_steps_total counter", "# TYPE piton_run_duration_seconds histogram",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	problems, err := testutil.GatherAndLint(registered(s))
	if err != nil || len(problems) > 0 {
		t.Errorf("got %v, %v", problems, err)
	}
	for range 2 {
		s.tell(planruns.RunEvent{Kind: "run_started", Run: "run_1"})
		s.LeaveRun("run_1")
	}
	if n := len(s.ran.began); n != 0 {
		t.Errorf("got %d runs that are not forgotten", n)
	}
}
