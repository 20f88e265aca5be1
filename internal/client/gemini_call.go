package client

import (
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// geminiTool says what the client's tools do.
func geminiTool(name string) agent.CallKind {
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

// geminiCall is a tool call as it stands in the message that made it.
type geminiCall struct {
	id, name string
	args     []byte
	result   []byte // what the model was told
	display  []byte // resultDisplay: what the person was shown
	status   string // success, error, cancelled
	at       time.Time
}

func (g *geminiCall) read(raw []byte) {
	for key, value := range members(raw) {
		switch string(key) {
		case "id":
			g.id = text(value)
		case "name":
			g.name = text(value)
		case "args":
			g.args = value
		case "result":
			g.result = value
		case "resultDisplay":
			g.display = value
		case "status":
			g.status = text(value)
		case "timestamp":
			g.at = moment(value)
		}
	}
}

// call takes one call of an answer. It began when the answer was whole; a wait
// for a person's permission is in it.
func (f *geminiFold) call(l geminiLine, raw []byte) {
	var g geminiCall
	if g.read(raw); g.id == "" || f.calls[g.id] {
		return
	}
	f.calls[g.id] = true
	c := agent.Call{ID: g.id, Tool: g.name, Kind: geminiTool(g.name), Dir: f.dir, StartedAt: l.at, Subagent: f.subagent}
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
		c.Output = cut(unwrapped(said))
	default:
		c.Output = cut(unwrapped(said))
	}
	if g.name == "write_todos" && g.status == "success" && f.subagent == "" {
		f.todos(member(g.args, "todos"))
	}
	f.t.Calls = append(f.t.Calls, c)
}

// said is the text the model was told. After some rewriting the answers of all
// calls of a message stand in each.
func (g *geminiCall) said() string {
	var said []byte
	for part := range elements(g.result) {
		answer := member(part, "functionResponse")
		if answer == nil {
			continue
		}
		var id string
		var response []byte
		for key, value := range members(answer) {
			switch string(key) {
			case "id":
				id = text(value)
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
	for key, value := range members(said) {
		if string(key) == "output" || string(key) == "error" {
			return text(value)
		}
	}
	return ""
}

// files names what an edit or a read was about. The client tells an edited
// file's whole path, and whether it was new, where it shows the change.
func (f *geminiFold) files(c *agent.Call, g geminiCall, said string) {
	for key, value := range members(g.args) {
		switch string(key) {
		case "file_path", "absolute_path":
			c.Paths = append(c.Paths, f.absolute(text(value)))
		case "include", "paths":
			for one := range elements(value) {
				c.Paths = append(c.Paths, f.absolute(text(one)))
			}
		}
	}
	if c.Kind != agent.CallEdit {
		return
	}
	fresh := strings.HasPrefix(said, "Successfully created") || strings.HasPrefix(said, "Created new file:")
	for key, value := range members(g.display) {
		switch string(key) {
		case "filePath":
			if p := text(value); p != "" && len(c.Paths) == 1 {
				c.Paths[0] = p
			}
		case "isNewFile":
			fresh = fresh || yes(value)
		}
	}
	c.Created = fresh && !c.Failed && !c.Interrupted
}

func (f *geminiFold) absolute(p string) string {
	return absolute(f.dir, p)
}

// todos takes the list, which each call hands over whole.
func (f *geminiFold) todos(list []byte) {
	f.t.TodosSeen, f.t.TodosWhole, f.t.Todos = true, true, nil
	for raw := range elements(list) {
		var todo agent.Todo
		for key, value := range members(raw) {
			switch string(key) {
			case "description":
				todo.Content = text(value)
			case "status":
				todo.Status = text(value)
			}
		}
		if todo.Content != "" {
			f.t.Todos = append(f.t.Todos, todo)
		}
	}
}
