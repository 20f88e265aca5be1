package claude

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// fold goes through a turn's lines in their order: the session's, then
// those of each subagent.
type fold struct {
	t        agent.Transcript
	subagent string            // whose lines they are; empty: the session's
	calls    map[string]int    // a tool use's id to its place in t.Calls
	inputs   map[string][]byte // of the calls to todo tools
	usage    map[string]agent.Request
	tasks    map[string]taskEnd // by the tool use that started them
	todos    todoList
	byTask   map[string]int    // a command in the background, by the client's id, to its call
	polls    map[string]string // calls that ask for a command's output, to its id
	heard    map[string]string // what polls were told of a command, by its id
	said     map[string]bool   // of these, those of which its call's output is made
	kept     kept
}

func newFold() *fold {
	return &fold{
		calls:  map[string]int{},
		inputs: map[string][]byte{},
		usage:  map[string]agent.Request{},
		tasks:  map[string]taskEnd{},
		byTask: map[string]int{},
		polls:  map[string]string{},
		heard:  map[string]string{},
		said:   map[string]bool{},
	}
}

// turn takes lines that were read backwards.
func (f *fold) turn(lines []line) {
	for _, l := range slices.Backward(lines) {
		f.line(l)
	}
}

func (f *fold) line(l line) {
	switch l.kind {
	case "assistant":
		f.assistant(l)
	case "user":
		f.user(l)
	case "attachment":
		f.attached(l)
	case "queue-operation":
		f.notified(rawjson.Text(l.content), l.at)
	}
}

func (f *fold) assistant(l line) {
	if f.subagent == "" {
		f.t.Broke = agent.Break{}
		if l.failed {
			f.t.Broke = client.Refused(l.at, textOf(rawjson.Member(l.message, "content")), l.limit)
		}
	}
	if r := requestOf(l); r.ID != "" {
		f.usage[r.ID] = f.usage[r.ID].Merged(r)
	}
	for raw := range rawjson.Elements(rawjson.Member(l.message, "content")) {
		switch b := readBlock(raw); b.kind {
		case "text":
			if s := rawjson.Text(b.text); f.subagent == "" && strings.TrimSpace(s) != "" {
				f.t.Spoke(s, l.at)
			}
		case "tool_use":
			f.use(l, b)
		}
	}
}

func (f *fold) user(l line) {
	switch {
	case l.answer:
		for raw := range rawjson.Elements(rawjson.Member(l.message, "content")) {
			if b := readBlock(raw); b.kind == "tool_result" {
				f.result(l, b)
			}
		}
	case f.subagent != "":
		// Nobody speaks to a subagent but the agent.
	case l.prompt():
		client.Prompted(&f.t, l.words, l.at)
	case l.interrupt():
		f.t.Interrupted = l.at
	case l.own():
		f.t.OwnTextLast = true
	case l.origin == "task-notification":
		f.notified(l.words, l.at)
	}
}

// attached looks at what the client put beside the conversation: prompts and
// notices that waited in a queue, and what hooks said.
func (f *fold) attached(l line) {
	v := rawjson.Values(l.attachment, "type", "prompt", "content", "blockingError", "humanTurn", "origin")
	kind, human, origin := rawjson.Text(v[0]), rawjson.IsTrue(v[4]), rawjson.Text(rawjson.Member(v[5], "kind"))
	words := textOf(v[1])
	if v[2] != nil {
		words = textOf(v[2])
	}
	if v[3] != nil {
		words = rawjson.Text(rawjson.Member(v[3], "blockingError"))
	}
	switch {
	case kind == "queued_command" && !human:
		f.notified(words, l.at)
	case f.subagent != "":
		// Nobody speaks to a subagent but the agent.
	case kind == "queued_command" && (origin == "" || origin == "human") && !agent.Injected(words):
		client.Prompted(&f.t, words, l.at)
	default:
		f.t.OwnTextLast = f.t.OwnTextLast || client.OwnText(words)
	}
}

// use begins a call.
func (f *fold) use(l line, b block) {
	if _, twice := f.calls[b.id]; twice || b.id == "" {
		return
	}
	c := agent.Call{ID: b.id, Tool: b.name, Kind: toolKind(b.name), Dir: l.cwd, StartedAt: l.at, Subagent: f.subagent}
	if c.Kind != agent.CallOther {
		v := rawjson.Values(b.input, "command", "run_in_background")
		c.Command, c.Background = rawjson.Text(v[0]), rawjson.IsTrue(v[1])
		c.Paths = pathsOf(b.input)
		c.Comments = c.Kind == agent.CallEdit && len(c.Paths) == 1 && onlyComments(c.Paths[0], b.input)
	} else if strings.HasPrefix(b.name, "mcp__") {
		c.Kind, c.Command, c.Paths = client.MCP(b.name, b.input)
	}
	if isPoll(b.name) {
		v := rawjson.Values(b.input, "task_id", "bash_id", "shell_id")
		f.polls[b.id] = cmp.Or(rawjson.Text(v[0]), rawjson.Text(v[1]), rawjson.Text(v[2]))
	}
	if b.name == "ExitPlanMode" && f.subagent == "" {
		f.t.Planned = agent.Proposed(rawjson.Text(rawjson.Member(b.input, "plan")))
	}
	if f.subagent == "" && isTodoTool(b.name) { // a subagent keeps its own list
		f.inputs[b.id] = b.input
	}
	f.calls[b.id] = len(f.t.Calls)
	f.t.Calls = append(f.t.Calls, c)
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
	r := readToolResult(l.result)
	said := textOf(b.content)
	c.EndedAt = l.at
	c.NeverRan = neverRan(l.denial, b.failed, said)
	c.Interrupted = c.NeverRan || r.interrupted || stopped(l.denial, b.failed, said)
	c.Failed = b.failed && !c.Interrupted
	c.Background = (c.Background || r.task != "") && !c.NeverRan
	if c.Task = r.task; c.Task != "" {
		f.byTask[c.Task] = i
	}
	if task := f.polls[b.use]; task != "" && !b.failed {
		f.polled(task, said, l.at)
	}
	c.Created = c.Kind == agent.CallEdit && r.kind == "create" && !c.Failed
	if c.Kind == agent.CallShell && c.Failed {
		c.ExitCode = exitCode(said)
	}
	out, cut := f.kept.outputOf(said, r)
	client.Said(c, out)
	c.Cut = c.Cut || cut
	if input, ok := f.inputs[b.use]; ok && !b.failed {
		f.todos.done(c.Tool, input, l.result)
	}
}

// polled is what a poll was told: what the command has said since the poll before,
// and how it ended, if it has.
func (f *fold) polled(id string, said string, at time.Time) {
	i, ok := f.byTask[id]
	if !ok || !f.t.Calls[i].Background {
		return
	}
	c := &f.t.Calls[i]
	head, out := said, ""
	for _, tag := range []string{"<output>", "<stdout>"} {
		if j := strings.Index(said, tag); j >= 0 {
			head, out = said[:j], said[j:]
			break
		}
	}
	for _, tag := range []string{"output", "stdout", "stderr"} {
		out = strings.ReplaceAll(strings.ReplaceAll(out, "<"+tag+">\n", ""), "</"+tag+">", "")
	}
	if f.heard[id] += strings.TrimSpace(out) + "\n"; strings.TrimSpace(f.heard[id]) != "" {
		cut := c.Cut && f.said[id]
		client.Said(c, strings.TrimSpace(f.heard[id]))
		c.Cut, f.said[id] = c.Cut || cut, true
	}
	switch status := tagged(head, "status"); status {
	case "completed", "failed":
		c.Background, c.EndedAt, c.Failed = false, at, status == "failed"
		ended(c, tagged(head, "exit_code"))
	case "killed":
		c.EndedAt, c.Task = at, ""
	}
}

// notified takes note of a notice that a command has ended; of any other text
// nothing. Only the first copy of a notice has the time when the command ended.
func (f *fold) notified(notice string, at time.Time) {
	use, task := readTaskEnd(notice, at)
	if i, ok := f.byTask[task.task]; ok && use == "" {
		use = f.t.Calls[i].ID // the notices of versions around 2.1.7 name the task only
	}
	if _, twice := f.tasks[use]; !twice && use != "" && task.status != "" {
		f.tasks[use] = task
	}
}

// finish applies what is known at the end only.
func (f *fold) finish() agent.Transcript {
	for use, task := range f.tasks {
		if i, ok := f.calls[use]; ok {
			c := &f.t.Calls[i]
			if !c.Background {
				continue // a poll has told of its end
			}
			said, whole, ok := f.kept.behind(cmp.Or(c.Task, task.task))
			task.end(c, said, whole, ok, f.said[cmp.Or(c.Task, task.task)])
		}
	}
	for _, c := range f.t.Calls {
		if c.Kind == agent.CallShell && c.Background && c.Task != "" && c.Subagent == "" {
			f.t.Behind = append(f.t.Behind, agent.Background{ID: c.Task, Type: agent.BackgroundShell, Kind: c.Kind, Command: c.Command, Running: true})
		}
	}
	for _, r := range f.usage {
		f.t.Usage = f.t.Usage.Plus(r.Usage)
	}
	f.todos.tell(&f.t)
	client.InOrder(f.t.Calls)
	return f.t
}
