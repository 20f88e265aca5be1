package client

import (
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// claudeFold goes through a turn's lines in their order: the session's, then
// those of each subagent.
type claudeFold struct {
	t        agent.Transcript
	subagent string            // whose lines they are; empty: the session's
	calls    map[string]int    // a tool use's id to its place in t.Calls
	inputs   map[string][]byte // of the calls to todo tools
	usage    map[string]piton.TokenUsage
	tasks    map[string]claudeTask // by the tool use that started them
	todos    claudeTodos
}

func newClaudeFold() *claudeFold {
	return &claudeFold{
		calls:  map[string]int{},
		inputs: map[string][]byte{},
		usage:  map[string]piton.TokenUsage{},
		tasks:  map[string]claudeTask{},
	}
}

// turn takes lines that were read backwards.
func (f *claudeFold) turn(lines []claudeLine) {
	for _, l := range slices.Backward(lines) {
		f.line(l)
	}
}

func (f *claudeFold) line(l claudeLine) {
	switch l.kind {
	case "assistant":
		f.assistant(l)
	case "user":
		f.user(l)
	case "attachment":
		f.attached(l)
	case "queue-operation":
		f.notified(text(l.content), l.at)
	}
}

func (f *claudeFold) assistant(l claudeLine) {
	var id string
	var content, usage []byte
	for key, value := range members(l.message) {
		switch string(key) {
		case "id":
			id = text(value)
		case "content":
			content = value
		case "usage":
			usage = value
		}
	}
	f.spent(id, usage)
	for block := range elements(content) {
		var b claudeBlock
		switch b.read(block); b.kind {
		case "text":
			if s := text(b.text); f.subagent == "" && strings.TrimSpace(s) != "" {
				f.t.LastOutput, f.t.LastOutputAt = s, l.at
			}
		case "tool_use":
			f.use(l, b)
		}
	}
}

// spent counts a message once: each of its blocks is a line of its own that
// repeats the message's usage, the last ones with the final numbers.
func (f *claudeFold) spent(id string, usage []byte) {
	if id == "" {
		return
	}
	u := f.usage[id]
	for key, value := range members(usage) {
		switch string(key) {
		case "input_tokens":
			u.Input = max(u.Input, count(value))
		case "output_tokens":
			u.Output = max(u.Output, count(value))
		case "cache_read_input_tokens":
			u.CacheRead = max(u.CacheRead, count(value))
		case "cache_creation_input_tokens":
			u.CacheWrite = max(u.CacheWrite, count(value))
		}
	}
	f.usage[id] = u
}

func (f *claudeFold) user(l claudeLine) {
	switch {
	case l.answer:
		for block := range elements(member(l.message, "content")) {
			var b claudeBlock
			if b.read(block); b.kind == "tool_result" {
				f.result(l, b)
			}
		}
	case f.subagent != "":
		// Nobody speaks to a subagent but the agent.
	case l.prompt():
		prompted(&f.t, l.words, l.at)
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
func (f *claudeFold) attached(l claudeLine) {
	var kind, words, origin string
	var human bool
	for key, value := range members(l.attachment) {
		switch string(key) {
		case "type":
			kind = text(value)
		case "prompt", "content":
			words = claudeText(value)
		case "blockingError":
			words = text(member(value, "blockingError"))
		case "humanTurn":
			human = yes(value)
		case "origin":
			origin = text(member(value, "kind"))
		}
	}
	switch {
	case kind == "queued_command" && !human:
		f.notified(words, l.at)
	case f.subagent != "":
		// Nobody speaks to a subagent but the agent.
	case kind == "queued_command" && (origin == "" || origin == "human") && !agent.Injected(words):
		prompted(&f.t, words, l.at)
	default:
		f.t.OwnTextLast = f.t.OwnTextLast || ownText(words)
	}
}

// finish applies what is known at the end only.
func (f *claudeFold) finish() agent.Transcript {
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
	inOrder(f.t.Calls)
	return f.t
}
