package codex

import (
	"cmp"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// fromModel takes a call as the model made it, and its answer as the model got it.
// Older versions tell of nothing else; newer ones tell of a command's end in
// words of their own, so that what is left here are commands whose end is not
// known. What the model runs as JavaScript is read for the commands in it, where
// the client does not tell of them one by one.
func (f *fold) fromModel(l line) {
	v := rawjson.Values(l.body, "call_id", "name", "namespace", "arguments", "input", "action", "output")
	id, name, namespace, output := rawjson.Text(v[0]), rawjson.Text(v[1]), rawjson.Text(v[2]), v[6]
	input := slices.Concat(v[3], v[4], v[5]) // a call has one of them
	switch {
	case id == "":
	case output != nil && f.cells[id] != nil:
		f.cellSaid(l, id, output)
	case output != nil && f.cells[f.waits[id]] != nil:
		f.cellSaid(l, f.waits[id], output)
	case output != nil:
		f.callEnded(l, id, output)
	case l.what == "local_shell_call":
		f.callBegan(l, id, "local_shell", input)
	case l.what == "custom_tool_call":
		switch name {
		case "apply_patch":
			f.patchBegan(l, id, rawjson.Text(input))
		case "exec":
			f.cellBegan(l, id, rawjson.Text(input))
		}
	case l.what == "function_call":
		if namespace != "" {
			name = namespace + "__" + name
		}
		f.callBegan(l, id, name, []byte(rawjson.Text(input)))
	}
}

// asksPerson is the tool by which the agent asks a person something. No hook tells of it.
const asksPerson = "request_user_input"

// callBegan begins a call.
func (f *fold) callBegan(l line, id, name string, arguments []byte) {
	var command, patch, dir, process, number string
	var line, shell []byte
	for key, value := range rawjson.Members(arguments) {
		switch string(key) {
		case "cmd", "command":
			command, line = commandLine(value), value
		case "shell":
			shell = value
		case "workdir", "working_directory":
			dir = rawjson.Text(value)
		case "input":
			patch = rawjson.Text(value)
		case "session_id":
			process = string(value)
		case "cell_id":
			number = strings.Trim(string(value), `"`)
		}
	}
	kind := toolKind(name)
	switch {
	case kind == agent.CallEdit:
		f.patchBegan(l, id, patch)
		return
	case kind == agent.CallShell && handsPatch(command):
		f.patchBegan(l, id, command)
		return
	case name == asksPerson && f.subagent == "":
		f.t.Broke = agent.Break{At: piton.At(l.at), Wait: agent.WaitAnswer}
	case name == "update_plan" && f.subagent == "":
		f.plans[id] = arguments
	case name == "write_stdin":
		f.polls[id] = process
	case name == "wait" && number != "":
		f.waits[id] = f.goingOn[number]
	}
	c := agent.Call{ID: id, Tool: name, Kind: kind, Dir: f.dir, Subagent: f.subagent, StartedAt: l.at}
	if dir != "" {
		c.Dir = f.absolute(dir, "")
	}
	switch {
	case kind == agent.CallShell:
		c.Tool, c.Command = shellTool(line, shell, c.Dir), command
	case strings.HasPrefix(name, "mcp__"):
		c.Kind, c.Command, c.Paths = client.MCP(name, arguments)
	}
	f.begin(c)
}

// patchBegan begins a call that writes files. Its names are the only thing that
// is read of the patch.
func (f *fold) patchBegan(l line, id, patch string) {
	c := agent.Call{ID: id, Tool: "apply_patch", Kind: agent.CallEdit, Dir: f.dir, Subagent: f.subagent, StartedAt: l.at}
	var adds bool
	c.Paths, adds = patchedFiles(patch, f.dir)
	c.Created = adds && len(c.Paths) == 1
	f.begin(c)
}

// callEnded ends a call, unless the client itself has told of its end.
func (f *fold) callEnded(l line, id string, output []byte) {
	i, ok := f.calls[id]
	if !ok || f.items[id] || !f.t.Calls[i].EndedAt.IsZero() {
		return
	}
	c := &f.t.Calls[i]
	if c.Tool == asksPerson {
		f.t.Broke = agent.Break{}
	}
	a := readAnswer(output)
	poll := f.polls[id]
	if poll != "" {
		f.polled(l, poll, a)
	}
	switch {
	case a.process == "" || a.exit != nil:
		a.end(c, l)
	case poll != "": // the command goes on; what was asked has been answered
		c.EndedAt = l.at
		client.Said(c, a.said)
	default:
		f.running[a.process] = id
		c.Background, c.Task = true, a.process
		client.Said(c, a.said)
	}
	if list, ok := f.plans[id]; ok && strings.TrimSpace(a.said) == "Plan updated" {
		f.planSet(list)
	}
}

// planSet takes the agent's list as update_plan gives it: whole.
func (f *fold) planSet(arguments []byte) {
	plan := rawjson.Member(arguments, "plan")
	if plan == nil {
		return
	}
	f.t.TodosSeen, f.t.TodosWhole, f.t.Todos = true, true, nil
	for raw := range rawjson.Elements(plan) {
		todo := agent.Todo{Content: rawjson.Text(rawjson.Member(raw, "step")), Status: rawjson.Text(rawjson.Member(raw, "status"))}
		if todo.Content == "" {
			continue
		}
		todo.Status = cmp.Or(todo.Status, "pending")
		f.t.Todos = append(f.t.Todos, todo)
	}
}
