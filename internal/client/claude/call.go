package claude

import (
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// toolKind says what the client's tools do.
func toolKind(name string) agent.CallKind {
	switch name {
	case "Bash", "PowerShell":
		return agent.CallShell
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		return agent.CallEdit
	case "Read", "NotebookRead":
		return agent.CallRead
	}
	return agent.CallOther
}

// use begins a call.
func (f *fold) use(l line, b block) {
	if _, twice := f.calls[b.id]; twice || b.id == "" {
		return
	}
	c := agent.Call{ID: b.id, Tool: b.name, Kind: toolKind(b.name), Dir: l.cwd, StartedAt: l.at, Subagent: f.subagent}
	if c.Kind != agent.CallOther {
		for key, value := range rawjson.Members(b.input) {
			switch string(key) {
			case "command":
				c.Command = rawjson.Text(value)
			case "run_in_background":
				c.Background = rawjson.IsTrue(value)
			}
		}
		c.Paths = pathsOf(b.input)
	}
	if f.subagent == "" && isTodoTool(b.name) { // a subagent keeps its own list
		f.inputs[b.id] = b.input
	}
	f.calls[b.id] = len(f.t.Calls)
	f.t.Calls = append(f.t.Calls, c)
}

// pathsOf are the files that a tool's input names.
func pathsOf(input []byte) (paths []string) {
	for key, value := range rawjson.Members(input) {
		switch string(key) {
		case "file_path", "notebook_path":
			if p := rawjson.Text(value); p != "" {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// toolResult is what a tool told the client, beside what it told the model.
type toolResult struct {
	kind        string // Write: create, update
	background  bool   // the command goes on behind
	interrupted bool
	stdout      []byte
	stderr      []byte
}

func (r *toolResult) read(raw []byte) {
	for key, value := range rawjson.Members(raw) {
		switch string(key) {
		case "type":
			r.kind = rawjson.Text(value)
		case "backgroundTaskId":
			r.background = rawjson.Text(value) != ""
		case "interrupted":
			r.interrupted = rawjson.IsTrue(value)
		case "stdout":
			r.stdout = value
		case "stderr":
			r.stderr = value
		}
	}
}

// result ends a call. Results of parallel calls come in any order.
func (f *fold) result(l line, b block) {
	i, ok := f.calls[b.use]
	if !ok {
		return // its use lies before the turn
	}
	c := &f.t.Calls[i]
	if !c.EndedAt.IsZero() {
		return // a copy
	}
	var r toolResult
	r.read(l.result)
	said := textOf(b.content)
	c.EndedAt = l.at
	c.Interrupted = r.interrupted || refused(l.denial, b.failed, said)
	c.Failed = b.failed && !c.Interrupted
	c.Background = c.Background || r.background
	c.Created = c.Kind == agent.CallEdit && r.kind == "create" && !c.Failed
	if c.Kind == agent.CallShell && c.Failed {
		c.ExitCode = exitCode(said)
	}
	c.Output = client.Cut(outputOf(said, r))
	if input, ok := f.inputs[b.use]; ok && !b.failed {
		f.todos.done(c.Tool, input, l.result)
	}
}

// refused tells whether a person stopped or refused the call. A rule or a
// hook that denies it makes a failed call. Versions that do not name the denial
// are known by their words.
func refused(denial string, failed bool, said string) bool {
	switch denial {
	case "user-rejected", "interrupted", "cancelled":
		return true
	case "":
		return failed && (strings.HasPrefix(said, "The user doesn't want to ") ||
			strings.HasPrefix(said, "[Request interrupted by user"))
	}
	return false
}

// exitCode reads the "Exit code 1" that a failed command's result begins
// with.
func exitCode(said string) *int {
	rest, ok := strings.CutPrefix(said, "Exit code ")
	if !ok {
		return nil
	}
	digits, _, _ := strings.Cut(rest, "\n")
	code, err := strconv.Atoi(strings.TrimSpace(digits))
	if err != nil {
		return nil
	}
	return &code
}

// outputOf is what the model was told; but where the client kept a large
// output in a file and told only of its first 2 KB, what the client itself was
// told: the first 30,000 characters.
func outputOf(said string, r toolResult) string {
	if !strings.HasPrefix(said, "<persisted-output>") {
		return said
	}
	out := rawjson.Text(r.stdout)
	if err := rawjson.Text(r.stderr); err != "" {
		out += "\n" + err
	}
	if len(out) < len(said) {
		return said
	}
	return out
}
