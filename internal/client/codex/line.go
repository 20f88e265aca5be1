package codex

import (
	"bytes"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// line is one line of a rollout that matters: its frame decoded, its parts
// as written.
type line struct {
	at      time.Time
	kind    string // event_msg, response_item, turn_context, token_usage_record, session_meta
	what    string // the payload's type
	item    string // item_completed: the item's type
	turn    string // turn_id
	thread  string // thread_id
	payload []byte
	body    []byte // the item, or else the payload
}

// matters says which payloads are read. The conversation itself stands in the
// rollout twice: as the model got it (response_item, of which only calls are
// read) and as it happened (event_msg).
func matters(kind, what string) bool {
	switch kind {
	case "event_msg":
		switch what {
		case "item_completed", "task_started", "turn_started", "task_complete", "turn_complete", "turn_aborted", "token_count",
			"user_message", "agent_message", "exec_command_begin", "exec_command_end",
			"patch_apply_begin", "patch_apply_end", "mcp_tool_call_begin", "mcp_tool_call_end":
			return true
		}
	case "response_item":
		switch what {
		case "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call":
			return true
		}
	}
	return false
}

// parseLine returns false for a line that does not matter, is torn, or is
// no line of a rollout. The client writes timestamp and type first, and a
// payload's type first in it; so what the model was told, of 20 KB and more, is
// left after its first bytes. Should the order change, it gets slower and stays
// right.
func parseLine(b []byte) (l line, ok bool) {
	o := rawjson.Object{B: b}
	for {
		key, ok := o.Next()
		if !ok {
			break
		}
		switch string(key) {
		case "timestamp":
			l.at = rawjson.Time(o.Value())
		case "type":
			switch l.kind = rawjson.Text(o.Value()); l.kind {
			case "event_msg", "response_item", "turn_context", "token_usage_record", "session_meta":
			default:
				return l, false
			}
		case "payload":
			if what := typeAhead(o.Ahead()); what != "" && l.kind != "" && !matters(l.kind, what) {
				return l, false
			}
			l.payload = o.Value()
		}
	}
	if !o.Whole() || l.kind == "" || len(l.payload) == 0 || l.payload[0] != '{' {
		return l, false
	}
	if l.kind == "session_meta" {
		return l, true
	}
	l.body = l.payload
	for key, value := range rawjson.Members(l.payload) {
		switch string(key) {
		case "type":
			l.what = rawjson.Text(value)
		case "turn_id":
			l.turn = rawjson.Text(value)
		case "thread_id":
			l.thread = rawjson.Text(value)
		case "item":
			l.body = value
			l.item = rawjson.Text(rawjson.Member(value, "type"))
		}
	}
	switch l.kind {
	case "event_msg", "response_item":
		return l, matters(l.kind, l.what) && (l.what != "item_completed" || l.item != "")
	}
	return l, true
}

// typeAhead is the type of a payload, where it stands first.
func typeAhead(ahead []byte) string {
	head, ok := bytes.CutPrefix(ahead, []byte(`{"type":"`))
	end := bytes.IndexByte(head, '"')
	if !ok || end < 0 {
		return ""
	}
	return string(head[:end])
}

// words is what was said in a line that is a message: by whom tells its kind.
func (l line) words() string {
	if l.what == "user_message" || l.what == "agent_message" {
		return rawjson.Text(rawjson.Member(l.body, "message"))
	}
	list := rawjson.Member(l.body, "content")
	if l.item == "HookPrompt" {
		list = rawjson.Member(l.body, "fragments")
	}
	return textOf(list)
}

// textOf joins the texts of a list; images are left out.
func textOf(list []byte) string {
	if len(list) > 0 && list[0] == '"' {
		return rawjson.Text(list)
	}
	var parts []string
	for raw := range rawjson.Elements(list) {
		if t := rawjson.Member(raw, "text"); t != nil {
			parts = append(parts, rawjson.Text(t))
		}
	}
	return strings.Join(parts, "\n")
}

// user reports whether the line is a user's message, or what is put in the
// person's place: a letter of Piton's, say.
func (l line) user() bool { return l.item == "UserMessage" || l.what == "user_message" }

// counter reads token_count, whose totals are those of the thread: the client tells the
// same ones again when a turn begins, and smaller ones where it counts anew.
type counter struct{ total piton.TokenUsage }

// since is what was used since the last line.
func (c *counter) since(l line) (u piton.TokenUsage) {
	v := rawjson.Values(rawjson.Member(l.body, "info"), "total_token_usage", "last_token_usage")
	total, last := usageOf(v[0]), usageOf(v[1])
	if total == c.total || total == (piton.TokenUsage{}) { // a line without numbers tells of limits alone
		return u
	}
	c.total = total
	return last
}

// usageOf counts what was read from the cache once: the client's input
// includes it.
func usageOf(raw []byte) (u piton.TokenUsage) {
	v := rawjson.Values(raw, "input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
	for i, to := range []*int64{&u.Input, &u.CacheRead, &u.CacheWrite, &u.Output} {
		*to = rawjson.Count(v[i])
	}
	u.Input = max(u.Input-u.CacheRead-u.CacheWrite, 0)
	return u
}
