package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSameRuns: a run that a request began is shown and steered alike by both doors.
func TestSameRuns(t *testing.T) {
	d, work := openDoors(t)
	plan := "name: {w}\nsteps:\n- {id: one, action: shell, parameters: {command: echo hello}}\n- {id: two, action: shell, dependencies: [one], parameters: {command: exit 3}}\n"
	file := filepath.Join(d.dir, "plan.yaml")
	if err := os.WriteFile(file, []byte(d.fill("cli", plan)), 0o600); err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	start := `{"project":"{dir}","plan":` + string(quoted) + `}`
	shown, failed := d.cli("", "run", file, "--dry-run")
	preview, problem := d.api("POST", "/v1/plan", start)
	d.compare(false, shown, failed, preview, problem)
	if _, failed = d.cli("", "run", file); failed != nil {
		t.Fatalf("the run on the command line: %v", failed)
	}
	begun, problem := d.api("POST", "/v1/runs", start)
	if problem != nil {
		t.Fatalf("the run by a request: %v", problem)
	}
	<-work.done
	d.ids["api"]["run"] = begun.(map[string]any)["run"].(map[string]any)["id"].(string)
	d.ids["cli"]["run"] = d.ids["api"]["run"]
	for _, c := range []struct {
		name         string
		cli          []string
		method, path string
		body         string
	}{
		{"list", []string{"runs", "list", "--open"}, "GET", "/v1/runs?open=true", ""},
		{"list of a workflow", []string{"runs", "list", "--workflow", "bbbb", "--limit", "1"}, "GET", "/v1/runs?workflow=bbbb&limit=1&project={dir}", ""},
		{"list of a status", []string{"runs", "list", "--status", "failed", "--since", "1d"}, "GET", "/v1/runs?status=failed&since=1d", ""},
		{"list of another status", []string{"runs", "list", "--status", "completed"}, "GET", "/v1/runs?status=completed", ""},
		{"list of an unknown status", []string{"runs", "list", "--status", "x"}, "GET", "/v1/runs?status=x", ""},
		{"list of what is over and open", []string{"runs", "list", "--status", "cancelled", "--open"}, "GET", "/v1/runs?status=cancelled&open=true", ""},
		{"list since a time that is none", []string{"runs", "list", "--since", "soon"}, "GET", "/v1/runs?since=soon", ""},
		{"show", []string{"runs", "show", "{run}"}, "GET", "/v1/runs/{run}", ""},
		{"show by the workflow", []string{"runs", "show", "bbbb"}, "GET", "/v1/runs/bbbb?project={dir}", ""},
		{"logs", []string{"runs", "logs", "{run}"}, "GET", "/v1/runs/{run}/logs", ""},
		{"logs of a step", []string{"runs", "logs", "{run}", "one"}, "GET", "/v1/runs/{run}/logs?step=one", ""},
		{"logs of an unknown step", []string{"runs", "logs", "{run}", "three"}, "GET", "/v1/runs/{run}/logs?step=three", ""},
		{"pause what nobody works on", []string{"runs", "pause", "{run}"}, "POST", "/v1/runs/{run}/pause", ""},
		{"begin it again", []string{"run", file}, "POST", "/v1/plan", `{"project":"{dir}","workflow":"aaaa","plan":` + strings.ReplaceAll(string(quoted), "{w}", "aaaa") + `}`},
		{"fewer steps at once than none", []string{"run", file, "--dry-run", "--parallel", "-1"}, "POST", "/v1/plan", `{"project":"{dir}","parallel":-1,"plan":` + string(quoted) + `}`},
		{"more steps at once than there may be", []string{"run", file, "--dry-run", "--parallel", "1001"}, "POST", "/v1/plan", `{"project":"{dir}","parallel":1001,"plan":` + string(quoted) + `}`},
		{"fewer tokens than none", []string{"run", file, "--dry-run", "--max-tokens", "-1"}, "POST", "/v1/plan", `{"project":"{dir}","max_tokens":-1,"plan":` + string(quoted) + `}`},
		{"continue with fewer steps at once than none", []string{"run", "--resume", "{run}", "--parallel", "-1"}, "POST", "/v1/runs/{run}/continue", `{"parallel":-1}`},
		{"checkpoints of the run", []string{"list", "--workflow", "bbbb"}, "GET", "/v1/checkpoints?workflow=bbbb&project={dir}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.t = t
			answer, failed := d.cli("", c.cli...)
			got, problem := d.api(c.method, c.path, c.body)
			if c.name == "begin it again" { // the plan's name in the hint is how each was given
				failed["hint"], problem["hint"] = "", ""
			}
			d.compare(true, answer, failed, got, problem)
		})
	}
	d.t = t
	_, problem = d.api("POST", "/v1/runs/{run}/approve", "")
	if problem["status"] != 403.0 || problem["message"] != "approvals are given on terminals only" {
		t.Errorf("an approval: got %v, want it to be refused", problem)
	}
	d.ids["cli"]["run"] = "aaaa"
	cancelled, failed := d.cli("", "runs", "cancel", "aaaa")
	got, problem := d.api("POST", "/v1/runs/{run}/cancel", "")
	for _, x := range []any{cancelled, got} {
		run := x.(map[string]any)["run"].(map[string]any)
		delete(run, "plan_file")
		delete(run, "plan_path")
		delete(run, "plan_sum")
	}
	d.compare(false, cancelled, failed, got, problem)
	answer, failed := d.cli("", "runs", "continue", "aaaa")
	got, problem = d.api("POST", "/v1/runs/{run}/continue", "{}")
	d.compare(false, answer, failed, got, problem)
}
