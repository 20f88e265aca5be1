package runner

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStateIsRead reads states as other programs write them; what they say is
// written again in the runner's spelling.
func TestStateIsRead(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"of another program, in camelCase", `{"query":"q","currentStepIndex":1,
			"plan":[{"id":"1","description":"Find","action":"search","parameters":{"n":12345678901234567890},"status":"completed"},{"id":"2","status":"failed","dependencies":["1"]}],
			"results":[{"stepId":"1","output":{"n":12345678901234567890},"completedAt":"2026-01-02T03:04:05Z","durationMs":100.7,"tokenUsage":250}],
			"context":{"large":12345678901234567890},"lastError":{"stepIndex":1,"message":"API timeout","timestamp":"2026-01-02T03:04:06.5Z"}}`,
			`{"query":"q","context":{"large":12345678901234567890},
			"plan":[{"id":"1","description":"Find","action":"search","parameters":{"n":12345678901234567890},"status":"completed"},{"id":"2","dependencies":["1"],"status":"failed"}],
			"current_step_index":1,"results":[{"step_id":"1","completed_at":"2026-01-02T03:04:05.000Z","duration_ms":100,"token_usage":{"input":250,"output":0,"cache_read":0,"cache_write":0},"output":{"n":12345678901234567890}}],
			"last_error":{"step_index":1,"message":"API timeout","timestamp":"2026-01-02T03:04:06.500Z"}}`},
		{"numbers as ids, one text as error", `{"current_step_index":1,"plan":[{"id":1},{"id":2,"dependencies":[1],"status":"in_progress"}],"results":[{"step_id":1,"output":null}],"last_error":"it broke"}`,
			`{"plan":[{"id":"1","status":"completed"},{"id":"2","dependencies":["1"],"status":"running"}],"current_step_index":1,
			"results":[{"step_id":"1","duration_ms":0,"output":null}],"last_error":{"step_index":1,"message":"it broke"}}`},
		{"members that nobody knows", `{"current_step_index":0,"plan":[{"id":"a","status":"pending","tool":{"x":1}}],"results":[{"step_id":"a","output":1,"score":0.50}],"memo":[1,2],"last_error":{"message":"m","step_index":0,"stack":"s"}}`,
			`{"plan":[{"id":"a","status":"pending","tool":{"x":1}}],"current_step_index":0,"results":[{"step_id":"a","duration_ms":0,"output":1,"score":0.50}],"last_error":{"step_index":0,"message":"m","stack":"s"},"memo":[1,2]}`},
		{"no steps at all", `{"current_step_index":0,"plan":null,"results":null,"context":null}`, `{"plan":[],"current_step_index":0,"results":[]}`},
		{"a time in milliseconds", `{"currentStepIndex":1,"plan":[{"id":"a"}],"results":[{"stepId":"a","output":"x","completedAt":1767323045000}]}`,
			`{"plan":[{"id":"a","status":"completed"}],"current_step_index":1,"results":[{"step_id":"a","completed_at":"2026-01-02T03:04:05.000Z","duration_ms":0,"output":"x"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s State
			if err := json.Unmarshal([]byte(c.in), &s); err != nil {
				t.Fatal(err)
			}
			got, err := encode(s)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(compacted(t, c.want), string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			var again State
			if err := json.Unmarshal(got, &again); err != nil {
				t.Fatal(err)
			}
			twice, err := encode(again)
			if diff := cmp.Diff(string(got), string(twice)); err != nil || diff != "" {
				t.Errorf("read and written again (-want +got)\n%s %v", diff, err)
			}
		})
	}
	for _, in := range []string{`{"plan":3,"current_step_index":0}`, `{"plan":[3],"current_step_index":0}`, `{"results":{},"current_step_index":0}`, `[]`} {
		if json.Unmarshal([]byte(in), new(State)) == nil {
			t.Errorf("%s: got a state, want an error", in)
		}
	}
}

func compacted(t *testing.T, doc string) string {
	var v json.RawMessage
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	b, err := encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDone(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []string
		want  int
	}{
		{name: "nothing", steps: nil, want: 0},
		{name: "completed steps", steps: []string{"a completed", "b running", "c pending"}, want: 1},
		{name: "skipped by its condition, and what is skipped for that", steps: []string{"a completed", "b skipped <- a", "c skipped <- b"}, want: 3},
		{name: "skipped for a failure", steps: []string{"a completed", "b failed <- a", "c skipped <- b"}, want: 1},
		{name: "skipped for a step that was skipped for one, in any order", steps: []string{"c skipped <- b", "b skipped <- a", "a could_not", "d completed"}, want: 1},
		{name: "an independent branch", steps: []string{"a failed", "b skipped <- a", "c completed", "d skipped <- c"}, want: 2},
		{name: "what ran after a failure all the same", steps: []string{"a failed", "b completed <- a", "c skipped <- b"}, want: 2},
	} {
		p, s := of(c.steps...)
		for i := range s.Plan {
			s.Plan[i].Dependencies = p.Steps[i].Dependencies
		}
		if got := s.Done(); got != c.want {
			t.Errorf("%s: got %d steps done, want %d", c.name, got, c.want)
		}
	}
}

// Whose daemon works on a run is kept with it.
func TestStateKeepsItsDaemon(t *testing.T) {
	text, err := json.Marshal(State{Run: "run_1", Daemon: "7f"})
	if err != nil {
		t.Fatal(err)
	}
	var s State
	if err := json.Unmarshal(text, &s); err != nil || s.Daemon != "7f" || len(s.Other) > 0 {
		t.Errorf("got %q, %v, %v from %s, want the daemon 7f", s.Daemon, s.Other, err, text)
	}
}
