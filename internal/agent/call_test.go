package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton/internal/agent"
)

func TestCarryTodos(t *testing.T) {
	todo := func(id, content, status string) agent.Todo {
		return agent.Todo{ID: id, Content: content, Status: status}
	}
	before := []agent.Todo{todo("1", "plan", "completed"), todo("2", "mend", "pending"), todo("", "old", "pending")}
	for _, c := range []struct {
		name string
		t    agent.Transcript
		want []agent.Todo
	}{
		{"not touched", agent.Transcript{}, before},
		{"written whole", agent.Transcript{TodosSeen: true, TodosWhole: true, Todos: []agent.Todo{todo("", "new", "pending")}}, []agent.Todo{todo("", "new", "pending")}},
		{"emptied", agent.Transcript{TodosSeen: true, TodosWhole: true}, nil},
		{"one more", agent.Transcript{TodosSeen: true, Todos: []agent.Todo{todo("3", "test", "pending")}}, append(append([]agent.Todo{}, before...), todo("3", "test", "pending"))},
		{"one again", agent.Transcript{TodosSeen: true, Todos: []agent.Todo{todo("2", "mend all", "pending")}}, []agent.Todo{before[0], todo("2", "mend all", "pending"), before[2]}},
		{"the first again", agent.Transcript{TodosSeen: true, Todos: []agent.Todo{todo("1", "plan all", "pending")}}, append([]agent.Todo{todo("1", "plan all", "pending")}, before[1:]...)},
		{"changed", agent.Transcript{TodosSeen: true, TodoUpdates: []agent.TodoUpdate{{ID: "2", Status: "completed"}, {ID: "2", Content: "mend it"}}},
			[]agent.Todo{before[0], todo("2", "mend it", "completed"), before[2]}},
		{"deleted", agent.Transcript{TodosSeen: true, TodoUpdates: []agent.TodoUpdate{{ID: "1", Status: agent.TodoDeleted}}}, before[1:]},
		{"a change of one that is not known", agent.Transcript{TodosSeen: true, TodoUpdates: []agent.TodoUpdate{{ID: "9", Status: "completed"}, {Status: "completed"}}}, before},
	} {
		got := c.t.CarryTodos(before)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (want -, got +):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.want, c.t.CarryTodos(got)); diff != "" {
			t.Errorf("%s, twice (want -, got +):\n%s", c.name, diff)
		}
	}
	for status, want := range map[string]bool{"pending": true, "in_progress": true, "": true, "completed": false, "cancelled": false, "deleted": false} {
		if got := (agent.Todo{Status: status}).Open(); got != want {
			t.Errorf("%q: got open %v, want %v", status, got, want)
		}
	}
}
