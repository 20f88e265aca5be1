package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// messagesAPI is Anthropic's.
type messagesAPI struct{}

// summaryKey finds the request by which the client compacts a conversation.
var summaryKey = regexp.MustCompile("detailed summary of (the|this) conversation|Your task is to create a detailed summary")

func (messagesAPI) read(body []byte, _ string) (asked, error) {
	var x struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Name string }
	}
	if err := json.Unmarshal(body, &x); err != nil {
		return asked{}, err
	}
	a := asked{Model: x.Model, Stream: x.Stream}
	if len(x.Tools) == 0 {
		a.Side = "ok"
	}
	for _, t := range x.Tools {
		a.Tools = append(a.Tools, t.Name)
	}
	for _, m := range x.Messages {
		role := m.Role
		if role == "assistant" {
			role = "model"
		}
		a.Messages = append(a.Messages, message{role, flat(m.Content)})
	}
	for i := len(a.Messages) - 1; i >= 0; i-- {
		if m := a.Messages[i]; m.Role == "user" {
			if summaryKey.MatchString(m.Text) {
				a.Side = "<summary>The conversation so far, in short.</summary>"
			}
			break
		}
	}
	return a, nil
}

// flat is the text of a content: a string, or blocks.
func flat(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct {
		Type, Text string
		Content    json.RawMessage
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		if b.Type == "tool_result" {
			parts = append(parts, flat(b.Content))
		} else if b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// send streams an answer as the API does, or gives it whole.
func (messagesAPI) send(w http.ResponseWriter, a asked, n int, text string, calls []apiCall) {
	var blocks []map[string]any
	if text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": text})
	}
	stop := "end_turn"
	for _, c := range calls {
		stop = "tool_use"
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Input})
	}
	usage := map[string]any{"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	message := map[string]any{"id": fmt.Sprintf("msg_mock%04d", n), "type": "message", "role": "assistant", "model": a.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	if !a.Stream {
		message["content"], message["stop_reason"] = blocks, stop
		sendJSON(w, http.StatusOK, message)
		return
	}
	write := stream(w)
	event := func(kind string, fields map[string]any) {
		fields["type"] = kind
		write(kind, fields)
	}
	event("message_start", map[string]any{"message": message})
	for i, b := range blocks {
		start, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			input, _ := json.Marshal(b["input"])
			start = map[string]any{"type": "tool_use", "id": b["id"], "name": b["name"], "input": map[string]any{}}
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
		}
		event("content_block_start", map[string]any{"index": i, "content_block": start})
		event("content_block_delta", map[string]any{"index": i, "delta": delta})
		event("content_block_stop", map[string]any{"index": i})
	}
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event("message_stop", map[string]any{})
}

func (messagesAPI) refuse(w http.ResponseWriter, status int, text string) {
	kind := "invalid_request_error"
	if status == http.StatusTooManyRequests {
		kind = "rate_limit_error"
		w.Header().Set("X-Should-Retry", "false")
	}
	sendJSON(w, status, apiError(kind, text))
}

func apiError(kind, message string) map[string]any {
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}
}
