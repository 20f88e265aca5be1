package states_test

import (
	"slices"
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
		{"decisions", `{"decisions":["a",{"phase":"p","decision":"d","rationale":"r","at":"no"}]}`, "a\nd\np\nr\n"},
		{"todos", `{"todos":[{"content":"c","status":"st"},{"subject":"s"},null,[1]]}`, "c\ns\n"},
		{"files", `{"files_modified":["a/b.go",{"path":"p"}]}`, "a/b.go\nᚠa/b.go ᚠb.go ᚠᚠgo\np\nᚠp \n"},
		{"phases", `{"phase":"P","current_phase":2,"completed_phases":["0",1],"pending_phases":["3"]}`, "P\n2\n0\n3\n"},
		{"a plan", `{"query":"q","plan":[{"id":"i","description":"d","parameters":{"x":"no"}}],"lastError":{"message":"m"}}`, "q\nd\ni\nno\nm\n"},
		{"any other key", `{"notes":"n","results":[{"output":"o","n":7}],"agent_outputs":{"a":"w"}}`, "w\nn\no\n"},
		{"other kinds", `{"decisions":"x","todos":{"content":"y"},"files_modified":7,"plan":null,"context":[],"last_error":"z"}`, "x\ny\nz\n"},
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

func TestMatches(t *testing.T) {
	c := piton.Checkpoint{Described: piton.Described{TaskSummary: "mend the cart"}}
	c.Origin.By = "Ada Lovelace"
	state := []byte(`{"files_modified":["internal/shop/fooBar.go"],"commands":[{"command":"go test ./... -run ` + strings.Repeat("Long ", 60) + `Needle ` + strings.Repeat("tail ", 60) + `"}],"last_answer":"It holds."}`)
	for _, x := range []struct {
		name, words, file, by string
		want                  []states.Found
	}{
		{"the record", "cart", "", "", []states.Found{{Place: "task_summary", Text: "mend the cart"}}},
		{"the answer", "hold", "", "", []states.Found{{Place: "state/last_answer", Text: "It holds."}}},
		{"a part of a path", "foobar", "", "", []states.Found{{Place: "state/files_modified/0", Text: "internal/shop/fooBar.go"}}},
		{"a file", "", "shop/foobar.go", "", []states.Found{{Place: "state/files_modified/0", Text: "internal/shop/fooBar.go"}}},
		{"a folder and a kind", "", "internal/*.go", "", []states.Found{{Place: "state/files_modified/0", Text: "internal/shop/fooBar.go"}}},
		{"a person", "", "", "lovelace", []states.Found{{Place: "origin/by", Text: "Ada Lovelace"}}},
		{"a long text", "needle", "", "", []states.Found{{Place: "state/commands/0/command", Text: "…Long Long Long Long Long Long Needle tail tail tail tail tail tail tail tail tail tail tail tail tai…"}}},
	} {
		question, err := states.SearchQuery(x.words, x.file, x.by)
		if got := states.Matches(c, state, question); err != nil || !slices.Equal(got, x.want) {
			t.Errorf("%s: got %+v (%v), want %+v", x.name, got, err, x.want)
		}
	}
	if _, err := states.SearchQuery("", "a*b", ""); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("a pattern that cannot be looked for: got %v", err)
	}
}
