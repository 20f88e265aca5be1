package gemini

import (
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// fold goes through a turn's messages in their order: the session's, then
// those of each subagent.
type fold struct {
	t        agent.Transcript
	dir      string    // where the client works, if known
	subagent string    // whose lines they are; empty: the session's
	asked    time.Time // the newest answer of the model
	calls    map[string]bool
	outputs  []string // the folders of the session's large outputs
	stored   client.Stored
}

// turn takes lines that were read backwards.
func (f *fold) turn(lines []line) {
	f.asked = time.Time{}
	for _, l := range slices.Backward(lines) {
		f.line(l)
	}
}

func (f *fold) line(l line) {
	switch {
	case l.kind == "gemini":
		f.answered(l)
	case f.subagent != "":
		// Nobody speaks to a subagent but the agent.
	case l.prompt():
		client.Prompted(&f.t, l.typed(), l.at)
	case l.own():
		f.t.OwnTextLast = true
	case l.interrupt():
		f.t.Interrupted = l.at
	case l.kind == "error":
		words, _ := textOf(l.content)
		f.t.Broke = client.Refused(l.at, words, false)
	}
}

// answered takes an answer of the model: its words, and the calls it made. They
// stand here only when they have ended.
func (f *fold) answered(l line) {
	f.t.Usage = f.t.Usage.Plus(l.used())
	if f.subagent == "" {
		f.t.Broke = agent.Break{}
	}
	if words, _ := textOf(l.content); f.subagent == "" && strings.TrimSpace(words) != "" {
		f.t.Spoke(words, l.at)
	}
	// Where the client has said something while the tools ran, their calls stand
	// in a message of their own, which was made when they ended.
	if l.tokens == nil && !f.asked.IsZero() && f.asked.Before(l.at) {
		l.at = f.asked
	}
	f.asked = l.at
	for raw := range rawjson.Elements(l.calls) {
		f.call(l, raw)
	}
}

// call takes one call of an answer. It began when the answer was whole; a wait
// for a person's permission is in it.
func (f *fold) call(l line, raw []byte) {
	g := readToolCall(raw)
	if g.id == "" || f.calls[g.id] {
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
		if neverRan(g.status, said) {
			c.NeverRan, c.Interrupted, c.Failed = true, true, false
		}
	}
	if strings.HasPrefix(g.name, "mcp_") || strings.Contains(g.name, "__") {
		if kind, command, paths := client.MCP(g.name, g.args); kind != agent.CallOther {
			c.Kind, c.Command = kind, command
			for _, p := range paths {
				c.Paths = append(c.Paths, f.absolute(p))
			}
			client.Said(&c, unwrapped(said))
			f.t.Calls = append(f.t.Calls, c)
			return
		}
	}
	switch c.Kind {
	case agent.CallShell:
		readShell(&c, g, said, f.dir)
		f.whole(&c, said)
	case agent.CallEdit, agent.CallRead:
		f.files(&c, g, said)
		client.Said(&c, unwrapped(said))
	default:
		client.Said(&c, unwrapped(said))
		f.whole(&c, said)
	}
	if g.name == "write_todos" && g.status == "success" && f.subagent == "" {
		f.todos(rawjson.Member(g.args, "todos"))
	}
	f.t.Calls = append(f.t.Calls, c)
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
	v := rawjson.Values(g.display, "filePath", "isNewFile")
	if p := rawjson.Text(v[0]); p != "" && len(c.Paths) == 1 {
		c.Paths[0] = p
	}
	fresh = fresh || rawjson.IsTrue(v[1])
	c.Created = fresh && !c.Failed && !c.Interrupted
	if w := rawjson.Values(g.args, "old_string", "new_string", "modified_by_user"); w[0] != nil && w[2] == nil && len(c.Paths) == 1 {
		c.Comments = client.OnlyComments(c.Paths[0], rawjson.Text(w[0]), rawjson.Text(w[1]))
	}
}

// whole reads the output of a call that the client kept in a file, where the model
// was told of its beginning and end only. What stands there is the output with the
// lines around it; how the command ended was read from what the model was told.
func (f *fold) whole(c *agent.Call, said string) {
	if !strings.HasPrefix(said, tooLarge) {
		return
	}
	c.Cut = true
	head, _, _ := strings.Cut(said, "\n")
	_, named, ok := strings.Cut(head, "For full output see: ")
	if !ok {
		return
	}
	for _, dir := range f.outputs {
		if out, whole, ok := f.stored.Output(dir, strings.TrimSpace(named)); ok {
			out = unwrapped(out)
			if c.Kind == agent.CallShell {
				out, _ = cutSections(strings.TrimPrefix(out, "Output: "), "")
			}
			client.Said(c, out)
			c.Cut = c.Cut || !whole
			return
		}
	}
}

func (f *fold) absolute(p string) string {
	return client.Absolute(f.dir, p)
}

// todos takes the list, which each call hands over whole.
func (f *fold) todos(list []byte) {
	f.t.TodosSeen, f.t.TodosWhole, f.t.Todos = true, true, nil
	for raw := range rawjson.Elements(list) {
		v := rawjson.Values(raw, "description", "status")
		todo := agent.Todo{Content: rawjson.Text(v[0]), Status: rawjson.Text(v[1])}
		if todo.Content != "" {
			f.t.Todos = append(f.t.Todos, todo)
		}
	}
}

// finish applies what is known at the end only.
func (f *fold) finish() agent.Transcript {
	client.InOrder(f.t.Calls)
	return f.t
}
