package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/checkpoints"
)

// given are checkpoints and states as other programs write them, with what every door
// must make of them.
var given = []struct {
	name, text string
	kind, step string
	number     int // of the step; -1: none
	progress   int // -1: none
	tokens     int64
}{
	{"a conductor's whole record", `{"checkpoint_id":"chk_abc123","workflow_id":"wf_xyz789","workflow_type":"conductor","created_at":"2026-01-11T20:30:00Z",
		"step_number":5,"step_name":"Phase 2.5: CISO Security Review","state":{"current_phase":"2.5","completed_phases":["0","1","2"],"pending_phases":["3","3.5","4","5"],
		"context":{"project_name":"TaskManager","project_path":"/path/to/project"},"decisions":[{"phase":"1","decision":"Use PostgreSQL","rationale":"..."}],
		"files_modified":["/src/auth/login.ts"],"todos":[{"content":"Write tests","status":"pending"}],"agent_outputs":{"architect":{"spec_created":true}}},
		"metadata":{"parent_checkpoint":"chk_def456","branch":"main","trigger":"phase_complete","estimated_completion":"60%"}}`,
		piton.TypeConductor, "Phase 2.5: CISO Security Review", 5, 60, 0},
	{"a conductor's state alone", `{"current_phase":"3","completed_phases":["0","1","2"],"todos":[{"content":"Implement auth","status":"completed"}]}`, piton.TypeConductor, "Phase 3", -1, 75, 0},
	{"a plan's whole checkpoint", `{"id":"ckpt1","sessionId":"s1","projectId":"p1","stepNumber":1,"createdAt":"2026-01-11T20:30:00Z",
		"state":{"query":"q","plan":[{"id":"1","description":"Identify","action":"test","parameters":{},"status":"completed"},{"id":"2","description":"Fetch","action":"test","parameters":{},"status":"pending"}],
		"currentStepIndex":1,"results":[{"stepId":"1","output":["A","B"],"completedAt":"2026-01-11T20:30:00Z","durationMs":100,"tokenUsage":700}],"context":{}},
		"metadata":{"triggerType":"auto","durationMs":1000,"tokenUsage":1200}}`, piton.TypePlan, "Fetch", 1, 50, 1200},
	{"a plan's state", `{"query":"test query","plan":[{"id":"1","description":"Step 1","action":"test","parameters":{},"status":"completed"}],"currentStepIndex":1,
		"results":[{"stepId":"1","output":"result","completedAt":"2026-01-11T20:30:00Z","durationMs":100}],"context":{}}`, piton.TypePlan, "", 1, 100, 0},
	{"a part of a plan's state", `{"currentStepIndex":1,"results":[{"stepId":"1","output":["CompanyA","CompanyB","CompanyC"]}]}`, piton.TypePlan, "", 1, -1, 0},
	{"a failure of a plan", `{"currentStepIndex":1,"lastError":{"message":"API timeout","stepIndex":1}}`, piton.TypePlan, "", 1, -1, 0},
	{"the index of a plan alone", `{"currentStepIndex":7}`, piton.TypePlan, "", 7, -1, 0},
	{"a phase", `{"id":"a","sessionId":"s2","phase":"BUILD","phaseNumber":4,"createdAt":"2026-02-01T12:00:00Z","completed":false,"taskSummary":"t",
		"iscCriteria":[{"id":"c1","subject":"it builds","status":"PENDING"}],"metadata":{}}`, piton.TypePhases, "BUILD", -1, 57, 0},
}

// TestOtherProgramsForms: the checkpoints that other programs write are the same
// checkpoint at every door.
func TestOtherProgramsForms(t *testing.T) {
	for _, g := range given {
		t.Run(g.name, func(t *testing.T) {
			d, _ := openDoors(t)
			file := filepath.Join(d.dir, "given.json")
			if err := os.WriteFile(file, []byte(g.text), 0o600); err != nil {
				t.Fatal(err)
			}
			at := map[string]any{}
			saved, failed := d.cli("", "save", "--workflow", "cli", "--state", file)
			if failed != nil {
				t.Fatal(failed)
			}
			at["piton save"] = saved
			posted, failed := d.api("POST", "/v1/checkpoints", fmt.Sprintf(`{"project":"{dir}","workflow":"http","state":%s}`, g.text))
			if failed != nil {
				t.Fatal(failed)
			}
			at["HTTP"] = posted
			st, err := checkpoints.Open(t.Context(), checkpoints.Options{Home: d.home, Dir: d.dir})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			byGo, err := st.Save(t.Context(), piton.SaveRequest{Workflow: "go"}, json.RawMessage(g.text))
			if err != nil {
				t.Fatal(err)
			}
			at["the library"] = asAny(t, byGo.Checkpoint)
			if g.name != "a conductor's state alone" { // an import takes checkpoints
				if _, failed := d.cli("", "import", file, "--project", d.dir); failed != nil {
					t.Fatal(failed)
				}
				list, failed := d.cli("", "list", "--limit", "1")
				if failed != nil {
					t.Fatal(failed)
				}
				at["piton import"] = list.(map[string]any)["checkpoints"].([]any)[0]
			}
			want := asAny(t, piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: g.kind}, AtStep: piton.AtStep{StepName: g.step}})
			for door, x := range at {
				got := x.(map[string]any)
				tokens := 0.0
				if u, ok := got["token_usage"].(map[string]any); ok {
					tokens = u["input"].(float64)
				}
				for key, want := range map[string]any{"workflow_type": want["workflow_type"], "step_name": want["step_name"], "step_number": number(g.number), "progress": number(g.progress)} {
					if got[key] != want {
						t.Errorf("%s: got the %s %v, want %v", door, key, got[key], want)
					}
				}
				if int64(tokens) != g.tokens {
					t.Errorf("%s: got %v tokens, want %d", door, tokens, g.tokens)
				}
			}
		})
	}
}

// number is how JSON has a number that may be missing, as -1.
func number(n int) any {
	if n < 0 {
		return nil
	}
	return float64(n)
}

func asAny(t *testing.T, v any) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var x map[string]any
	if err := json.Unmarshal(b, &x); err != nil {
		t.Fatal(err)
	}
	return x
}
