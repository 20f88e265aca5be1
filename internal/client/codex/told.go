package codex

import (
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// told takes a call as the model made it, and its answer as the model got it.
// Older versions tell of nothing else; newer ones tell of a command's end in
// words of their own, so that what is left here are commands whose end is not
// known. What the model runs as JavaScript is not read: the calls in it are
// told of one by one.
func (f *fold) told(l line) {
	var id, name, namespace string
	var input, output []byte
	for key, value := range rawjson.Members(l.body) {
		switch string(key) {
		case "call_id":
			id = rawjson.Text(value)
		case "name":
			name = rawjson.Text(value)
		case "namespace":
			namespace = rawjson.Text(value)
		case "arguments", "input", "action":
			input = value
		case "output":
			output = value
		}
	}
	switch {
	case id == "":
	case output != nil:
		f.answered(l, id, output)
	case l.what == "local_shell_call":
		f.asked(l, id, "local_shell", input)
	case l.what == "custom_tool_call":
		if name == "apply_patch" {
			f.patched(l, id, rawjson.Text(input))
		}
	case l.what == "function_call":
		if namespace != "" {
			name = namespace + "__" + name
		}
		f.asked(l, id, name, []byte(rawjson.Text(input)))
	}
}

// asked begins a call.
func (f *fold) asked(l line, id, name string, arguments []byte) {
	var command, patch, dir, process string
	for key, value := range rawjson.Members(arguments) {
		switch string(key) {
		case "cmd", "command":
			command = commandLine(value)
		case "workdir", "working_directory":
			dir = rawjson.Text(value)
		case "input":
			patch = rawjson.Text(value)
		case "session_id":
			process = string(value)
		}
	}
	kind := toolKind(name)
	switch {
	case kind == agent.CallEdit:
		f.patched(l, id, patch)
		return
	case kind == agent.CallShell && strings.HasPrefix(command, "apply_patch") && strings.Contains(command, patchBegin):
		f.patched(l, id, command)
		return
	case name == "update_plan":
		f.plans[id] = arguments
	case name == "write_stdin":
		f.polls[id] = process
	}
	c := agent.Call{ID: id, Tool: name, Kind: kind, Dir: f.dir, StartedAt: l.at}
	if dir != "" {
		c.Dir = f.absolute(dir, "")
	}
	if kind == agent.CallShell {
		c.Tool, c.Command = "Bash", command
	}
	f.begin(c)
}

func (f *fold) begin(c agent.Call) {
	if _, twice := f.calls[c.ID]; !twice {
		f.calls[c.ID] = len(f.t.Calls)
		f.t.Calls = append(f.t.Calls, c)
	}
}

// patchBegin is the first line of a patch, after which each file has a line of
// its own.
const patchBegin = "*** Begin Patch"

// patched begins a call that writes files. Its names are the only thing that
// is read of the patch.
func (f *fold) patched(l line, id, patch string) {
	c := agent.Call{ID: id, Tool: "apply_patch", Kind: agent.CallEdit, Dir: f.dir, StartedAt: l.at}
	var adds bool
	c.Paths, adds = patchedFiles(patch, f.dir)
	c.Created = adds && len(c.Paths) == 1
	f.begin(c)
}

// patchedFiles are the files that a patch names, and whether it adds one.
func patchedFiles(patch, dir string) (paths []string, adds bool) {
	for line := range strings.Lines(patch) {
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(line, mark); ok {
				paths = append(paths, client.Absolute(dir, strings.TrimSpace(name)))
				adds = adds || mark == "*** Add File: "
			}
		}
	}
	return paths, adds
}

// answered ends a call, unless the client itself has told of its end.
func (f *fold) answered(l line, id string, output []byte) {
	i, ok := f.calls[id]
	if !ok || f.items[id] || !f.t.Calls[i].EndedAt.IsZero() {
		return
	}
	c := &f.t.Calls[i]
	a := readAnswer(output)
	if a.process != "" && a.exit == nil {
		f.running[a.process] = id
		c.Background = true
		return
	}
	a.end(c, l)
	if list, ok := f.plans[id]; ok && strings.TrimSpace(a.said) == "Plan updated" {
		f.planned(list)
	}
	if poll := f.polls[id]; poll != "" && a.exit != nil {
		f.polled(l, poll, a)
	}
}

// polled ends a command that went on behind: its end was told to the call that
// asked for it.
func (f *fold) polled(l line, process string, a answer) {
	id := f.running[process]
	i, ok := f.calls[id]
	if ok && !f.items[id] && f.t.Calls[i].Background {
		f.t.Calls[i].Background = false
		a.end(&f.t.Calls[i], l)
	}
}

// answer is what the model was told of a call's end.
type answer struct {
	said    string
	exit    *int
	process string // the number of a process that goes on
}

// readAnswer reads an answer: a text with some lines before the command's
// output, or JSON, or parts of either.
func readAnswer(raw []byte) (a answer) {
	a.said = textOf(raw)
	if inner := []byte(a.said); len(inner) > 0 && inner[0] == '{' {
		if meta := rawjson.Member(inner, "metadata"); meta != nil {
			a.exit = exitCode(rawjson.Member(meta, "exit_code"))
			a.said = rawjson.Text(rawjson.Member(inner, "output"))
			return a
		}
	}
	head, out, ok := strings.Cut(a.said, "\nOutput:\n")
	if !ok {
		return a
	}
	for line := range strings.SplitSeq(head, "\n") {
		for _, mark := range []string{"Exit code: ", "Process exited with code "} {
			if code, ok := strings.CutPrefix(line, mark); ok {
				a.exit = exitCode([]byte(code))
			}
		}
		if p, ok := strings.CutPrefix(line, "Process running with session ID "); ok {
			a.process = p
		}
	}
	if a.exit != nil || a.process != "" {
		a.said = out
	}
	return a
}

// end says how a call ended. A command or a patch of which no exit code was
// told did not run to its end: a person stopped or refused it, or it could not
// be started.
func (a answer) end(c *agent.Call, l line) {
	c.EndedAt = l.at
	c.Output = client.Cut(a.said)
	short := a.said[:min(len(a.said), 200)]
	c.Interrupted = a.exit == nil && (strings.HasSuffix(short, "aborted by user") || strings.Contains(short, "rejected by user"))
	if c.Kind == agent.CallShell || c.Kind == agent.CallEdit { // else it is a process's that was asked about
		c.ExitCode = a.exit
	}
	switch {
	case c.Interrupted:
	case c.ExitCode != nil:
		c.Failed = *a.exit != 0
	case c.Kind == agent.CallEdit:
		c.Failed = !strings.Contains(short, "Success.")
	case c.Kind == agent.CallShell:
		c.Failed = true
	default:
		c.Failed = strings.HasPrefix(short, "unsupported call") || strings.HasPrefix(short, "failed ")
	}
	c.Created = c.Created && !c.Failed && !c.Interrupted
}

// planned takes the agent's list as update_plan gives it: whole.
func (f *fold) planned(arguments []byte) {
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
		if todo.Status == "" {
			todo.Status = "pending"
		}
		f.t.Todos = append(f.t.Todos, todo)
	}
}
