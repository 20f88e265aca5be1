package states_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
)

func TestSearchText(t *testing.T) {
	step := 3
	c := piton.Checkpoint{ID: "chk_0000000000000000", Described: piton.Described{Name: "n1", TaskSummary: "n4", Description: "n5", Tags: []string{"n6", "n7"}}, AtStep: piton.AtStep{StepNumber: &step, StepName: "n2"}, InWorkflow: piton.InWorkflow{Workflow: "n3"}}
	if got, want := states.SearchText(c, nil), "n1\nn2\nn3\nn4\nn5\nn6\nn7\n"; got != want {
		t.Errorf("without a state: got %q, want %q", got, want)
	}
	for _, x := range []struct{ name, state, want string }{
		{"decisions", `{"decisions":["a",{"phase":"p","decision":"d","rationale":"r","at":"no"}]}`, "a\np\nd\nr\n"},
		{"todos", `{"todos":[{"content":"c","status":"no"},{"subject":"s"},null,[1]]}`, "c\ns\n"},
		{"files", `{"files_modified":["a/b.go",{"path":"p"}]}`, "a/b.go\np\n"},
		{"phases", `{"phase":"P","current_phase":2,"completed_phases":["0",1],"pending_phases":["3"]}`, "P\n2\n0\n1\n3\n"},
		{"a plan", `{"query":"q","plan":[{"id":"i","description":"d","parameters":{"x":"no"}}],"lastError":{"message":"m"}}`, "q\ni\nd\nm\n"},
		{"other keys", `{"notes":"no","results":[{"output":"no"}],"agent_outputs":{"a":"no"}}`, ""},
		{"wrong kinds", `{"decisions":"x","todos":{"content":"x"},"files_modified":7,"plan":null,"context":[],"last_error":"x"}`, ""},
		{"no object", `[1]`, ""}, {"no JSON", `{`, ""},
	} {
		if got := states.SearchText(piton.Checkpoint{}, []byte(x.state)); got != x.want {
			t.Errorf("%s: got %q, want %q", x.name, got, x.want)
		}
	}
	long := states.SearchText(c, []byte(`{"decisions":["`+strings.Repeat("ä", 200_000)+`","last"]}`))
	if len(long) > 64<<10 || !strings.HasPrefix(long, "n1\n") || strings.ContainsRune(long, '\uFFFD') {
		t.Errorf("a long state: got %d bytes, want at most 64 KiB of whole letters, the record first", len(long))
	}
}
