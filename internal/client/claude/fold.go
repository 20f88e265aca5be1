package claude

import (
	"slices"
	"strings"

	"github.com/piton-project/piton"
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
	usage    map[string]piton.TokenUsage
	tasks    map[string]taskEnd // by the tool use that started them
	todos    todoList
}

func newFold() *fold {
	return &fold{
		calls:  map[string]int{},
		inputs: map[string][]byte{},
		usage:  map[string]piton.TokenUsage{},
		tasks:  map[string]taskEnd{},
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
	var id string
	var content, usage []byte
	for key, value := range rawjson.Members(l.message) {
		switch string(key) {
		case "id":
			id = rawjson.Text(value)
		case "content":
			content = value
		case "usage":
			usage = value
		}
	}
	f.spent(id, usage)
	for raw := range rawjson.Elements(content) {
		var b block
		switch b.read(raw); b.kind {
		case "text":
			if s := rawjson.Text(b.text); f.subagent == "" && strings.TrimSpace(s) != "" {
				f.t.LastOutput, f.t.LastOutputAt = s, l.at
			}
		case "tool_use":
			f.use(l, b)
		}
	}
}

// spent counts a message once: each of its blocks is a line of its own that
// repeats the message's usage, the last ones with the final numbers.
func (f *fold) spent(id string, usage []byte) {
	if id == "" {
		return
	}
	u := f.usage[id]
	for key, value := range rawjson.Members(usage) {
		switch string(key) {
		case "input_tokens":
			u.Input = max(u.Input, rawjson.Count(value))
		case "output_tokens":
			u.Output = max(u.Output, rawjson.Count(value))
		case "cache_read_input_tokens":
			u.CacheRead = max(u.CacheRead, rawjson.Count(value))
		case "cache_creation_input_tokens":
			u.CacheWrite = max(u.CacheWrite, rawjson.Count(value))
		}
	}
	f.usage[id] = u
}

func (f *fold) user(l line) {
	switch {
	case l.answer:
		for raw := range rawjson.Elements(rawjson.Member(l.message, "content")) {
			var b block
			if b.read(raw); b.kind == "tool_result" {
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
	var kind, words, origin string
	var human bool
	for key, value := range rawjson.Members(l.attachment) {
		switch string(key) {
		case "type":
			kind = rawjson.Text(value)
		case "prompt", "content":
			words = textOf(value)
		case "blockingError":
			words = rawjson.Text(rawjson.Member(value, "blockingError"))
		case "humanTurn":
			human = rawjson.IsTrue(value)
		case "origin":
			origin = rawjson.Text(rawjson.Member(value, "kind"))
		}
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

// finish applies what is known at the end only.
func (f *fold) finish() agent.Transcript {
	for use, task := range f.tasks {
		if i, ok := f.calls[use]; ok {
			task.end(&f.t.Calls[i])
		}
	}
	for _, u := range f.usage {
		f.t.Usage.Input += u.Input
		f.t.Usage.Output += u.Output
		f.t.Usage.CacheRead += u.CacheRead
		f.t.Usage.CacheWrite += u.CacheWrite
	}
	f.todos.tell(&f.t)
	client.InOrder(f.t.Calls)
	return f.t
}
