package client

import (
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// geminiLine is one line of a log: a message, or what was done to the messages
// before it. Its parts are as written.
type geminiLine struct {
	kind    string // user, gemini, info, warning, error; header, set, rewind
	id      string // of a message; of the message that a rewind goes back to
	at      time.Time
	content []byte
	shown   []byte // displayContent: what the person had typed
	calls   []byte
	tokens  []byte
	listed  []byte // set: the messages that the conversation has from here on
	bare    bool   // set: of the time of the last change only

	words  string // user: the text
	answer bool   // user: carries what tools answered
}

// parseGeminiLine returns false for a line that does not matter, is torn, or is
// no line of a log.
func parseGeminiLine(b []byte) (l geminiLine, ok bool) {
	var kind, rewind string
	var set []byte
	var session, project bool
	o := object{b: b}
	for {
		key, ok := o.next()
		if !ok {
			break
		}
		switch string(key) {
		case "id":
			l.id = text(o.value())
		case "timestamp":
			l.at = moment(o.value())
		case "type":
			kind = text(o.value())
		case "content":
			l.content = o.value()
		case "displayContent":
			l.shown = o.value()
		case "toolCalls":
			l.calls = o.value()
		case "tokens":
			l.tokens = o.value()
		case "$set":
			set = o.value()
		case "$rewindTo":
			rewind = text(o.value())
		case "sessionId":
			session = text(o.value()) != ""
		case "projectHash":
			project = text(o.value()) != ""
		}
	}
	switch {
	case !o.whole():
		return l, false
	case rewind != "":
		l = geminiLine{kind: "rewind", id: rewind}
	case l.id != "":
		l.kind = kind
	case set != nil:
		l = geminiSet(set)
	case session && project:
		l = geminiLine{kind: "header"}
	}
	switch l.kind {
	case "user":
		l.words, l.answer = geminiText(l.content)
		l.words = geminiSaid(l.words)
	case "gemini", "info", "header", "set", "rewind":
	default:
		return l, false
	}
	return l, true
}

// geminiSet reads what was set of the whole conversation.
func geminiSet(raw []byte) geminiLine {
	l := geminiLine{kind: "set", bare: true}
	for key, value := range members(raw) {
		switch string(key) {
		case "messages":
			l.listed, l.bare = value, false
		case "lastUpdated":
			l.at = moment(value)
		default:
			l.bare = false
		}
	}
	return l
}

// geminiText returns the text of a content, or that it carries what tools
// answered. Images, thoughts, and parts that hooks have added, are left out.
func geminiText(content []byte) (words string, answer bool) {
	if len(content) > 0 && content[0] == '"' {
		return text(content), false
	}
	var all strings.Builder
	for part := range elements(content) {
		if part[0] == '"' {
			all.WriteString(text(part))
			continue
		}
		var said string
		thought := false
		for key, value := range members(part) {
			switch string(key) {
			case "text":
				said = text(value)
			case "thought":
				thought = yes(value)
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
var geminiMachine = []string{
	"<session_context>", "<state_snapshot>", "- **Workspace Directories:**",
	"System: Potential loop detected",
	"Here is the user's editor context as a JSON object", "Here is a summary of changes in the user's editor context",
	"I ran the following shell command:\n", // a person's own, typed with "!"
	"User has manually exited Plan Mode.", "Plan approved. Switching to ",
	"Background execution update:\n", "[Background command completed ",
}

// prompt tells whether a line is what a person asked. Nothing but the words
// tells a message of Piton's, or of the client's, from a person's.
func (l geminiLine) prompt() bool {
	if l.kind != "user" || l.answer || agent.Injected(l.words) {
		return false
	}
	words := strings.TrimSpace(l.words)
	if words == "" || words == "Please continue." {
		return false
	}
	for _, machine := range geminiMachine {
		if strings.HasPrefix(words, machine) {
			return false
		}
	}
	return true
}

// typed is what the person typed: a command's name, say, where the words are
// what it stands for.
func (l geminiLine) typed() string {
	if shown, answer := geminiText(l.shown); !answer && strings.TrimSpace(shown) != "" {
		return shown
	}
	return l.words
}

// interrupt tells whether the line says that a person stopped the agent.
func (l geminiLine) interrupt() bool {
	if l.kind != "info" {
		return false
	}
	words, _ := geminiText(l.content)
	return words == "Request cancelled." || words == "User cancelled the request."
}

// own tells whether a user line is Piton's own text.
func (l geminiLine) own() bool { return l.kind == "user" && !l.answer && ownText(l.words) }
