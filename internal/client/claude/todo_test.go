package claude

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

// call is a call to a tool with its result.
func call(id, tool, input, result string) []string {
	return []string{"1 " + used(id, tool, input), "1 " + answered(id, `"content":"done"`, `,"toolUseResult":`+result)}
}

func failedCall(id, tool, input string) []string {
	return []string{"1 " + used(id, tool, input), "1 " + answered(id, `"content":"<tool_use_error>no","is_error":true`, `,"toolUseResult":"Error: no"`)}
}

func TestTodos(t *testing.T) {
	const (
		made2   = `{"task":{"id":"2","subject":"Fix","description":"Mend it"}}`
		told    = `{"success":true,"taskId":"2","updatedFields":["status"],"statusChange":{"from":"pending","to":"completed"}}`
		missing = `{"success":false,"taskId":"9","updatedFields":[],"error":"Task not found"}`
	)
	create := call("c", "TaskCreate", `{"subject":"Fix","description":"Mend it"}`, made2)
	finish := call("u", "TaskUpdate", `{"taskId":"2","status":"completed"}`, told)
	for _, tt := range []struct {
		name  string
		lines [][]string
		want  agent.Transcript
	}{
		{"not touched", nil, agent.Transcript{}},
		{"written whole", [][]string{
			call("a", "TodoWrite", `{"todos":[]}`, `{"oldTodos":[],"newTodos":[{"content":"Old","status":"pending"}]}`),
			call("b", "TodoWrite", `{"todos":[]}`, `{"newTodos":[{"content":"Test","status":"completed"},{"content":"Fix","status":"pending"}]}`),
		}, agent.Transcript{TodosSeen: true, TodosWhole: true, Todos: []agent.Todo{{Content: "Test", Status: "completed"}, {Content: "Fix", Status: "pending"}}}},
		{"written whole, by what was asked", [][]string{call("a", "TodoWrite", `{"todos":[{"content":"Test","status":"pending"}]}`, `null`)},
			agent.Transcript{TodosSeen: true, TodosWhole: true, Todos: []agent.Todo{{Content: "Test", Status: "pending"}}}},
		{"emptied", [][]string{call("a", "TodoWrite", `{"todos":[]}`, `{"newTodos":[]}`)}, agent.Transcript{TodosSeen: true, TodosWhole: true}},
		{"a write that failed", [][]string{failedCall("a", "TodoWrite", `{"todos":[{"content":"Test","status":"blocked"}]}`)}, agent.Transcript{}},
		{"a write without result", [][]string{{"1 " + used("a", "TodoWrite", `{"todos":[{"content":"Test","status":"pending"}]}`)}}, agent.Transcript{}},
		{"created", [][]string{create}, agent.Transcript{TodosSeen: true, Todos: []agent.Todo{{ID: "2", Content: "Fix", Status: "pending"}}}},
		{"created and changed", [][]string{create, finish}, agent.Transcript{TodosSeen: true, Todos: []agent.Todo{{ID: "2", Content: "Fix", Status: "completed"}}}},
		{"created and deleted", [][]string{create, call("d", "TaskUpdate", `{"taskId":"2","status":"deleted"}`, told)},
			agent.Transcript{TodosSeen: true, TodoUpdates: []agent.TodoUpdate{{ID: "2", Status: "deleted"}}}},
		{"an older one changed", [][]string{finish, call("s", "TaskUpdate", `{"taskId":"2","subject":"Fix all"}`, `{"success":true,"taskId":"2"}`)},
			agent.Transcript{TodosSeen: true, TodoUpdates: []agent.TodoUpdate{{ID: "2", Status: "completed"}, {ID: "2", Content: "Fix all"}}}},
		{"named in other words", [][]string{call("u", "TaskUpdate", `{"task_id":"2","status":"completed"}`, told)},
			agent.Transcript{TodosSeen: true, TodoUpdates: []agent.TodoUpdate{{ID: "2", Status: "completed"}}}},
		{"one that is not there", [][]string{call("u", "TaskUpdate", `{"taskId":"9","status":"completed"}`, missing)}, agent.Transcript{}},
		{"only its owner changed", [][]string{call("u", "TaskUpdate", `{"taskId":"2","owner":"me"}`, `{"success":true,"taskId":"2"}`)}, agent.Transcript{}},
		{"listed", [][]string{finish, call("l", "TaskList", `{}`, `{"tasks":[{"id":"1","subject":"Test","status":"completed"},{"id":"3","subject":"Docs","status":"pending"}]}`),
			call("v", "TaskUpdate", `{"taskId":"3","status":"in_progress"}`, `{"success":true,"taskId":"3"}`)},
			agent.Transcript{TodosSeen: true, TodosWhole: true, Todos: []agent.Todo{{ID: "1", Content: "Test", Status: "completed"}, {ID: "3", Content: "Docs", Status: "in_progress"}}}},
		{"results of wrong types", [][]string{call("a", "TodoWrite", `{}`, `{"newTodos":"none"}`), call("c", "TaskCreate", `{}`, `{"task":[1]}`), call("u", "TaskUpdate", `{}`, `[]`)},
			agent.Transcript{TodosSeen: true, TodosWhole: true}},
	} {
		got := transcript(t, session(t, slices.Concat([]string{"0 " + asked("go")}, slices.Concat(tt.lines...))...), time.Time{})
		got = agent.Transcript{TodosSeen: got.TodosSeen, TodosWhole: got.TodosWhole, Todos: got.Todos, TodoUpdates: got.TodoUpdates}
		if len(got.Todos) == 0 {
			got.Todos = nil
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
}

// TestTodosAcrossTurns carries the list of a recording from its first turn into
// its second, and takes the second twice, as two checkpoints of a turn do.
func TestTodosAcrossTurns(t *testing.T) {
	dir := recordings(t)
	path := filepath.Join(dir, "tasks.jsonl")
	all := transcript(t, path, clienttest.LongAgo)
	second := transcript(t, path, time.Time{})
	if !second.TodosWhole {
		t.Fatal("got a part of the list, want all: the turn lists it")
	}
	// The same turn without its listing.
	second.TodosWhole = false
	second.Todos = []agent.Todo{{ID: "4", Content: "No description", Status: "pending"}}
	second.TodoUpdates = []agent.TodoUpdate{{ID: "2", Status: "in_progress"}, {ID: "3", Status: agent.TodoDeleted}, {ID: "99", Status: "completed"}}
	before := []agent.Todo{{ID: "1", Content: "Write tests", Status: "completed"}, {ID: "2", Content: "Fix the lexer", Status: "pending"}, {ID: "3", Content: "Write docs", Status: "pending"}}
	once := second.CarryTodos(before)
	twice := second.CarryTodos(once)
	if !reflect.DeepEqual(once, all.Todos) || !reflect.DeepEqual(twice, all.Todos) {
		t.Errorf("got %v, again %v; want %v", once, twice, all.Todos)
	}
	if before[1].Status != "pending" || len(before) != 3 {
		t.Errorf("the list before: got %v, want it untouched", before)
	}
	if got := (agent.Transcript{}).CarryTodos(before); !reflect.DeepEqual(got, before) {
		t.Errorf("a turn without todos: got %v, want %v", got, before)
	}
}
