package gemini

import (
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// line is one line of a log: a message, or what was done to the messages
// before it. Its parts are as written.
type line struct {
	kind    string // user, gemini, info, warning, error; header, set, rewind
	id      string // of a message; of the message that a rewind goes back to
	at      time.Time
	content []byte
	shown   []byte // displayContent: what the person had typed
	calls   []byte
	tokens  []byte
	model   []byte
	listed  []byte // set: the messages that the conversation has from here on
	bare    bool   // set: of the time of the last change only

	words  string // user: the text
	answer bool   // user: carries what tools answered
}

// parseLine returns false for a line that does not matter, is torn, or is
// no line of a log.
func parseLine(b []byte) (l line, ok bool) {
	var kind, rewind string
	var set []byte
	var session, project bool
	o := rawjson.Object{B: b}
	for {
		key, ok := o.Next()
		if !ok {
			break
		}
		switch string(key) {
		case "id":
			l.id = rawjson.Text(o.Value())
		case "timestamp":
			l.at = rawjson.Time(o.Value())
		case "type":
			kind = rawjson.Text(o.Value())
		case "content":
			l.content = o.Value()
		case "displayContent":
			l.shown = o.Value()
		case "toolCalls":
			l.calls = o.Value()
		case "tokens":
			l.tokens = o.Value()
		case "model":
			l.model = o.Value()
		case "$set":
			set = o.Value()
		case "$rewindTo":
			rewind = rawjson.Text(o.Value())
		case "sessionId":
			session = rawjson.Text(o.Value()) != ""
		case "projectHash":
			project = rawjson.Text(o.Value()) != ""
		}
	}
	switch {
	case !o.Whole():
		return l, false
	case rewind != "":
		l = line{kind: "rewind", id: rewind}
	case l.id != "":
		l.kind = kind
	case set != nil:
		l = parseSet(set)
	case session && project:
		l = line{kind: "header"}
	}
	switch l.kind {
	case "user":
		l.words, l.answer = textOf(l.content)
		l.words = withoutHookContext(l.words)
	case "gemini", "info", "error", "header", "set", "rewind":
	default:
		return l, false
	}
	return l, true
}

// parseSet reads what was set of the whole conversation.
func parseSet(raw []byte) line {
	l := line{kind: "set", bare: true}
	for key, value := range rawjson.Members(raw) {
		switch string(key) {
		case "messages":
			l.listed, l.bare = value, false
		case "lastUpdated":
			l.at = rawjson.Time(value)
		default:
			l.bare = false
		}
	}
	return l
}

// textOf returns the text of a content, or that it carries what tools
// answered. Images, thoughts, and parts that hooks have added, are left out.
func textOf(content []byte) (words string, answer bool) {
	if len(content) > 0 && content[0] == '"' {
		return rawjson.Text(content), false
	}
	var all strings.Builder
	for part := range rawjson.Elements(content) {
		if part[0] == '"' {
			all.WriteString(rawjson.Text(part))
			continue
		}
		var said string
		thought := false
		for key, value := range rawjson.Members(part) {
			switch string(key) {
			case "text":
				said = rawjson.Text(value)
			case "thought":
				thought = rawjson.IsTrue(value)
			case "functionResponse":
				return "", true
			}
		}
		if !thought && (all.Len() == 0 || !strings.HasPrefix(said, "<hook_context>")) {
			all.WriteString(said)
		}
	}
	return all.String(), false
}

// What the client itself says in a person's place begins so.
var machineWords = []string{
	"<session_context>", "<state_snapshot>", "- **Workspace Directories:**",
	"System: Potential loop detected",
	"Here is the user's editor context as a JSON object", "Here is a summary of changes in the user's editor context",
	"I ran the following shell command:\n", // a person's own, typed with "!"
	"User has manually exited Plan Mode.", "Plan approved. Switching to ",
	"Background execution update:\n", "[Background command completed ",
}

// prompt reports whether a line is what a person asked. Nothing but the words
// tells a message of Piton's, or of the client's, from a person's.
func (l line) prompt() bool {
	if l.kind != "user" || l.answer || agent.Injected(l.words) {
		return false
	}
	words := strings.TrimSpace(l.words)
	if words == "" || words == "Please continue." {
		return false
	}
	return !slices.ContainsFunc(machineWords, func(machine string) bool { return strings.HasPrefix(words, machine) })
}

// typed is what the person typed: a command's name, say, where the words are
// what it stands for.
func (l line) typed() string {
	if shown, answer := textOf(l.shown); !answer && strings.TrimSpace(shown) != "" {
		return shown
	}
	return l.words
}

// interrupt reports whether the line says that a person stopped the agent.
func (l line) interrupt() bool {
	if l.kind != "info" {
		return false
	}
	words, _ := textOf(l.content)
	return words == "Request cancelled." || words == "User cancelled the request."
}

// own reports whether a user line is Piton's own text.
func (l line) own() bool { return l.kind == "user" && !l.answer && client.OwnText(l.words) }

// withoutHookContext is what a person has said, without what hooks have put before it.
func withoutHookContext(words string) string {
	const begin, end = "<hook_context>", "</hook_context>"
	for {
		rest, ok := strings.CutPrefix(strings.TrimSpace(words), begin)
		if !ok {
			return words
		}
		_, words, _ = strings.Cut(rest, end)
		words = strings.TrimSpace(words)
	}
}

// used is what an answer has used. What came from the cache is counted with the input, and
// thoughts apart from the output.
func (l line) used() piton.TokenUsage {
	var n [5]int64
	for i, raw := range rawjson.Values(l.tokens, "input", "tool", "cached", "output", "thoughts") {
		n[i] = rawjson.Count(raw)
	}
	return piton.TokenUsage{Input: max(n[0]+n[1]-n[2], 0), CacheRead: n[2], Output: n[3] + n[4]}
}
