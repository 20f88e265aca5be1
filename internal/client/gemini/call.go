package gemini

import (
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// toolKind says what the client's tools do.
func toolKind(name string) agent.CallKind {
	switch name {
	case "run_shell_command":
		return agent.CallShell
	case "write_file", "replace", "edit", "smart_edit":
		return agent.CallEdit
	case "read_file", "read_many_files":
		return agent.CallRead
	}
	return agent.CallOther
}

// toolCall is a tool call as it stands in the message that made it.
type toolCall struct {
	id, name string
	args     []byte
	result   []byte // what the model was told
	display  []byte // resultDisplay: what the person was shown
	status   string // success, error, cancelled
	at       time.Time
}

func (g *toolCall) read(raw []byte) {
	for key, value := range rawjson.Members(raw) {
		switch string(key) {
		case "id":
			g.id = rawjson.Text(value)
		case "name":
			g.name = rawjson.Text(value)
		case "args":
			g.args = value
		case "result":
			g.result = value
		case "resultDisplay":
			g.display = value
		case "status":
			g.status = rawjson.Text(value)
		case "timestamp":
			g.at = rawjson.Time(value)
		}
	}
}

// call takes one call of an answer. It began when the answer was whole; a wait
// for a person's permission is in it.
func (f *fold) call(l line, raw []byte) {
	var g toolCall
	if g.read(raw); g.id == "" || f.calls[g.id] {
		return
	}
	f.calls[g.id] = true
	c := agent.Call{ID: g.id, Tool: g.name, Kind: toolKind(g.name), Dir: f.dir, StartedAt: l.at, Subagent: f.subagent}
	said := g.said()
	switch g.status {
	case "success", "error", "cancelled":
		c.EndedAt = g.at
		if g.at.Before(l.at) {
			c.EndedAt = l.at
		}
		c.Failed, c.Interrupted = g.status == "error", g.status == "cancelled"
	}
	switch c.Kind {
	case agent.CallShell:
		f.shell(&c, g, said)
	case agent.CallEdit, agent.CallRead:
		f.files(&c, g, said)
		c.Output = client.Cut(unwrapped(said))
	default:
		c.Output = client.Cut(unwrapped(said))
	}
	if g.name == "write_todos" && g.status == "success" && f.subagent == "" {
		f.todos(rawjson.Member(g.args, "todos"))
	}
	f.t.Calls = append(f.t.Calls, c)
}

// said is the text the model was told. After some rewriting the answers of all
// calls of a message stand in each.
func (g *toolCall) said() string {
	var said []byte
	for part := range rawjson.Elements(g.result) {
		answer := rawjson.Member(part, "functionResponse")
		if answer == nil {
			continue
		}
		var id string
		var response []byte
		for key, value := range rawjson.Members(answer) {
			switch string(key) {
			case "id":
				id = rawjson.Text(value)
			case "response":
				response = value
			}
		}
		if id == g.id || id == "" {
			said = response
		}
		if id == g.id {
			break
		}
	}
	for key, value := range rawjson.Members(said) {
		if string(key) == "output" || string(key) == "error" {
			return rawjson.Text(value)
		}
	}
	return ""
}

// files names what an edit or a read was about. The client tells an edited
// file's whole path, and whether it was new, where it shows the change.
func (f *fold) files(c *agent.Call, g toolCall, said string) {
	for key, value := range rawjson.Members(g.args) {
		switch string(key) {
		case "file_path", "absolute_path":
			c.Paths = append(c.Paths, f.absolute(rawjson.Text(value)))
		case "include", "paths":
			for one := range rawjson.Elements(value) {
				c.Paths = append(c.Paths, f.absolute(rawjson.Text(one)))
			}
		}
	}
	if c.Kind != agent.CallEdit {
		return
	}
	fresh := strings.HasPrefix(said, "Successfully created") || strings.HasPrefix(said, "Created new file:")
	for key, value := range rawjson.Members(g.display) {
		switch string(key) {
		case "filePath":
			if p := rawjson.Text(value); p != "" && len(c.Paths) == 1 {
				c.Paths[0] = p
			}
		case "isNewFile":
			fresh = fresh || rawjson.IsTrue(value)
		}
	}
	c.Created = fresh && !c.Failed && !c.Interrupted
}

func (f *fold) absolute(p string) string {
	return client.Absolute(f.dir, p)
}

// todos takes the list, which each call hands over whole.
func (f *fold) todos(list []byte) {
	f.t.TodosSeen, f.t.TodosWhole, f.t.Todos = true, true, nil
	for raw := range rawjson.Elements(list) {
		var todo agent.Todo
		for key, value := range rawjson.Members(raw) {
			switch string(key) {
			case "description":
				todo.Content = rawjson.Text(value)
			case "status":
				todo.Status = rawjson.Text(value)
			}
		}
		if todo.Content != "" {
			f.t.Todos = append(f.t.Todos, todo)
		}
	}
}
