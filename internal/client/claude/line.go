package claude

import (
	"bytes"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// line is one line of a transcript that matters: its frame decoded, its
// parts as written.
type line struct {
	kind       string // user, assistant, system, attachment, queue-operation
	at         time.Time
	cwd        string
	version    string
	sidechain  bool
	meta       bool   // isMeta or a summary: not said by anyone
	origin     string // origin.kind: human, task-notification
	turnOrigin string // human, sdk, task_notification
	denial     string // toolDenialKind
	failed     bool   // assistant: the client's own words on a request that failed
	limit      bool   // because of a limit of the API
	message    []byte
	result     []byte // toolUseResult: what the tool said to the client
	attachment []byte
	content    []byte // queue-operation

	words  string // user: the text
	answer bool   // user: carries tool results
}

// parseLine returns false for a line that does not matter, is torn, or is
// no line of a transcript. The client writes a line's members in a fixed order:
// type first where there is no conversation in it, and attachment before the
// long parts; so api-request lines and snapshots, of 10 to 100 KB each, are
// left after their first bytes. Should the order change, it gets slower and
// stays right.
func parseLine(b []byte) (l line, ok bool) {
	o := rawjson.Object{B: b}
	for {
		key, ok := o.Next()
		if !ok {
			break
		}
		switch string(key) {
		case "type":
			if l.kind = rawjson.Text(o.Value()); !kindMatters(l.kind) {
				return l, false
			}
		case "attachment":
			if !attachmentMatters(o.Ahead()) {
				return l, false
			}
			l.attachment = o.Value()
		case "timestamp":
			l.at = rawjson.Time(o.Value())
		case "cwd":
			l.cwd = rawjson.Text(o.Value())
		case "version":
			l.version = rawjson.Text(o.Value())
		case "isSidechain":
			l.sidechain = rawjson.IsTrue(o.Value())
		case "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly":
			l.meta = rawjson.IsTrue(o.Value()) || l.meta
		case "origin":
			l.origin = rawjson.Text(rawjson.Member(o.Value(), "kind"))
		case "turnOrigin":
			l.turnOrigin = rawjson.Text(o.Value())
		case "isApiErrorMessage":
			l.failed = rawjson.IsTrue(o.Value())
		case "error":
			l.limit = rawjson.Text(o.Value()) == rateLimit
		case "toolDenialKind":
			l.denial = rawjson.Text(o.Value())
		case "message":
			l.message = o.Value()
		case "toolUseResult":
			l.result = o.Value()
		case "content":
			l.content = o.Value()
		}
	}
	if !o.Whole() || l.kind == "" || l.kind == "attachment" && l.attachment == nil {
		return l, false
	}
	if l.kind == "user" {
		l.words, l.answer = wordsOf(l.message)
	}
	return l, true
}

func kindMatters(kind string) bool {
	switch kind {
	case "user", "assistant", "system", "attachment", "queue-operation":
		return true
	}
	return false
}

// attachmentMatters looks at the type of an attachment, which stands
// first in it; if it does not, the attachment is read to be sure.
func attachmentMatters(ahead []byte) bool {
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

// block is one block of a message's content: a text, a tool use, a tool
// result. Its parts are as written.
type block struct {
	kind    string
	text    []byte
	id      string // tool_use
	name    string // tool_use
	input   []byte // tool_use
	use     string // tool_result: the id of its tool_use
	content []byte // tool_result
	failed  bool   // tool_result
}

func readBlock(raw []byte) block {
	v := rawjson.Values(raw, "type", "text", "id", "name", "input", "tool_use_id", "content", "is_error")
	return block{
		kind: rawjson.Text(v[0]), text: v[1], id: rawjson.Text(v[2]), name: rawjson.Text(v[3]), input: v[4],
		use: rawjson.Text(v[5]), content: v[6], failed: rawjson.IsTrue(v[7]),
	}
}

// textOf returns the text of a content. Images, of which there can be
// megabytes, are left out.
func textOf(content []byte) string {
	if len(content) > 0 && content[0] == '"' {
		return rawjson.Text(content)
	}
	var parts []string
	for raw := range rawjson.Elements(content) {
		if raw[0] == '"' {
			parts = append(parts, rawjson.Text(raw))
			continue
		}
		if b := readBlock(raw); b.kind == "text" {
			parts = append(parts, rawjson.Text(b.text))
		}
	}
	return strings.Join(parts, "\n")
}

// wordsOf returns the text of a user message, or that it carries tool
// results.
func wordsOf(message []byte) (words string, answer bool) {
	content := rawjson.Member(message, "content")
	for raw := range rawjson.Elements(content) {
		if readBlock(raw).kind == "tool_result" {
			return "", true
		}
	}
	return textOf(content), false
}

// prompt reports whether a user line is what a person, or a program in a
// person's place, asked. Its origin decides; lines of versions before origins
// are judged by their text.
func (l line) prompt() bool {
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

// interrupt reports whether the line says that a person stopped the agent.
func (l line) interrupt() bool {
	return l.kind == "user" && !l.meta && !l.answer && strings.HasPrefix(l.words, "[Request interrupted by user")
}

// own reports whether a user line is Piton's own text.
func (l line) own() bool {
	return l.kind == "user" && !l.answer && client.OwnText(l.words)
}
