package claude

import (
	"cmp"
	"slices"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// The client has had two todo tools. TodoWrite hands over the whole list.
// TaskCreate, TaskUpdate and TaskList, which came after it, change and show a
// list that the client keeps. Which of them the model sees depends on the
// version and on settings.
func isTodoTool(name string) bool {
	switch name {
	case "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList":
		return true
	}
	return false
}

// todoList is what a turn tells of the list. Tasks of earlier turns are known
// by their changes only, until a call shows the whole list.
type todoList struct {
	seen    bool
	whole   bool
	list    []agent.Todo
	updates []agent.TodoUpdate
}

// done takes a call that did not fail: what was asked, and what the tool told
// the client.
func (d *todoList) done(tool string, input, result []byte) {
	v := rawjson.Values(result, "newTodos", "tasks", "task", "success", "taskId")
	switch tool {
	case "TodoWrite":
		list := v[0]
		if list == nil {
			list = rawjson.Member(input, "todos")
		}
		d.replace(list)
	case "TaskList":
		if list := v[1]; list != nil {
			d.replace(list)
		}
	case "TaskCreate":
		if todo := parseTodo(v[2]); todo.ID != "" {
			d.seen = true
			d.put(todo)
		}
	case "TaskUpdate":
		if !rawjson.IsTrue(v[3]) {
			return // there is no such task
		}
		asked := parseTodo(input)
		d.change(agent.TodoUpdate{ID: rawjson.Text(v[4]), Content: asked.Content, Status: asked.Status})
	}
}

func (d *todoList) replace(list []byte) {
	d.seen, d.whole = true, true
	d.list, d.updates = nil, nil
	for raw := range rawjson.Elements(list) {
		if todo := parseTodo(raw); todo.Content != "" {
			d.list = append(d.list, todo)
		}
	}
}

func (d *todoList) put(todo agent.Todo) {
	todo.Status = cmp.Or(todo.Status, "pending")
	if i := d.index(todo.ID); i >= 0 {
		d.list[i] = todo
		return
	}
	d.list = append(d.list, todo)
}

func (d *todoList) change(u agent.TodoUpdate) {
	if u.Content == "" && u.Status == "" {
		return // its owner, say
	}
	d.seen = true
	i := d.index(u.ID)
	if i >= 0 && u.Status != agent.TodoDeleted {
		d.list[i] = u.Apply(d.list[i])
		return
	}
	if i >= 0 {
		d.list = slices.Delete(d.list, i, i+1)
	}
	if !d.whole {
		d.updates = append(d.updates, u)
	}
}

func (d *todoList) index(id string) int {
	return slices.IndexFunc(d.list, func(t agent.Todo) bool { return t.ID == id })
}

// tell writes what is known into the transcript.
func (d *todoList) tell(t *agent.Transcript) {
	t.TodosSeen, t.TodosWhole = d.seen, d.whole
	t.Todos, t.TodoUpdates = d.list, d.updates
}

// parseTodo reads one todo, in either tool's words.
func parseTodo(raw []byte) agent.Todo {
	v := rawjson.Values(raw, "id", "content", "subject", "status")
	if v[2] != nil {
		v[1] = v[2]
	}
	return agent.Todo{ID: rawjson.Text(v[0]), Content: rawjson.Text(v[1]), Status: rawjson.Text(v[3])}
}
