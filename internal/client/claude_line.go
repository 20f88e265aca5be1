package client

import (
	"bytes"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// claudeLine is one line of a transcript that matters: its frame decoded, its
// parts as written.
type claudeLine struct {
	kind       string // user, assistant, system, attachment, queue-operation
	at         time.Time
	cwd        string
	version    string
	sidechain  bool
	meta       bool   // isMeta or a summary: not said by anyone
	origin     string // origin.kind: human, task-notification
	turnOrigin string // human, sdk, task_notification
	denial     string // toolDenialKind
	message    []byte
	result     []byte // toolUseResult: what the tool said to the client
	attachment []byte
	content    []byte // queue-operation

	words  string // user: the text
	answer bool   // user: carries tool results
}

// parseClaudeLine returns false for a line that does not matter, is torn, or is
// no line of a transcript. The client writes a line's members in a fixed order:
// type first where there is no conversation in it, and attachment before the
// long parts; so api-request lines and snapshots, of 10 to 100 KB each, are
// left after their first bytes. Should the order change, it gets slower and
// stays right.
func parseClaudeLine(b []byte) (l claudeLine, ok bool) {
	o := object{b: b}
	for {
		key, ok := o.next()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			if l.kind = text(o.value()); !claudeKindMatters(l.kind) {
				return l, false
			}
		case "attachment":
			if !claudeAttachmentMatters(o.ahead()) {
				return l, false
			}
			l.attachment = o.value()
		case "timestamp":
			l.at = moment(o.value())
		case "cwd":
			l.cwd = text(o.value())
		case "version":
			l.version = text(o.value())
		case "isSidechain":
			l.sidechain = yes(o.value())
		case "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly":
			l.meta = yes(o.value()) || l.meta
		case "origin":
			l.origin = text(member(o.value(), "kind"))
		case "turnOrigin":
			l.turnOrigin = text(o.value())
		case "toolDenialKind":
			l.denial = text(o.value())
		case "message":
			l.message = o.value()
		case "toolUseResult":
			l.result = o.value()
		case "content":
			l.content = o.value()
		}
	}
	if !o.whole() || l.kind == "" || l.kind == "attachment" && l.attachment == nil {
		return l, false
	}
	if l.kind == "user" {
		l.words, l.answer = claudeWords(l.message)
	}
	return l, true
}

func claudeKindMatters(kind string) bool {
	switch kind {
	case "user", "assistant", "system", "attachment", "queue-operation":
		return true
	}
	return false
}

// claudeAttachmentMatters looks at the type of an attachment, which stands
// first in it; if it does not, the attachment is read to be sure.
func claudeAttachmentMatters(ahead []byte) bool {
	head, ok := bytes.CutPrefix(ahead, []byte(`{"type":"`))
	end := bytes.IndexByte(head, '"')
	if !ok || end < 0 {
		return true
	}
	switch string(head[:end]) {
	case "queued_command", "hook_blocking_error", "hook_additional_context":
		return true
	}
	return false
}

// claudeBlock is one block of a message's content: a text, a tool use, a tool
// result. Its parts are as written.
type claudeBlock struct {
	kind    string
	text    []byte
	id      string // tool_use
	name    string // tool_use
	input   []byte // tool_use
	use     string // tool_result: the id of its tool_use
	content []byte // tool_result
	failed  bool   // tool_result
}

func (b *claudeBlock) read(raw []byte) {
	for key, value := range members(raw) {
		switch string(key) {
		case "type":
			b.kind = text(value)
		case "text":
			b.text = value
		case "id":
			b.id = text(value)
		case "name":
			b.name = text(value)
		case "input":
			b.input = value
		case "tool_use_id":
			b.use = text(value)
		case "content":
			b.content = value
		case "is_error":
			b.failed = yes(value)
		}
	}
}

// claudeText returns the text of a content. Images, of which there can be
// megabytes, are left out.
func claudeText(content []byte) string {
	if len(content) > 0 && content[0] == '"' {
		return text(content)
	}
	var parts []string
	for raw := range elements(content) {
		if raw[0] == '"' {
			parts = append(parts, text(raw))
			continue
		}
		var b claudeBlock
		if b.read(raw); b.kind == "text" {
			parts = append(parts, text(b.text))
		}
	}
	return strings.Join(parts, "\n")
}

// claudeWords returns the text of a user message, or that it carries tool
// results.
func claudeWords(message []byte) (words string, answer bool) {
	content := member(message, "content")
	for raw := range elements(content) {
		var b claudeBlock
		if b.read(raw); b.kind == "tool_result" {
			return "", true
		}
	}
	return claudeText(content), false
}

// prompt tells whether a user line is what a person, or a program in a
// person's place, asked. Its origin decides; lines of versions before origins
// are judged by their text.
func (l claudeLine) prompt() bool {
	switch {
	case l.kind != "user" || l.meta || l.answer || agent.Injected(l.words):
		return false
	case l.origin != "":
		return l.origin == "human"
	case l.turnOrigin != "":
		return l.turnOrigin == "human" || l.turnOrigin == "sdk"
	}
	words := strings.TrimSpace(l.words)
	if words == "" {
		return false
	}
	for _, machine := range []string{
		"[Request interrupted", "<command-", "<local-command-", "<bash-", "<system-reminder>", "<user-memory-input>", "Caveat: The messages below",
	} {
		if strings.HasPrefix(words, machine) {
			return false
		}
	}
	return true
}

// interrupt tells whether the line says that a person stopped the agent.
func (l claudeLine) interrupt() bool {
	return l.kind == "user" && !l.meta && !l.answer && strings.HasPrefix(l.words, "[Request interrupted by user")
}

// own tells whether a user line is Piton's own text.
func (l claudeLine) own() bool {
	return l.kind == "user" && !l.answer && ownText(l.words)
}
