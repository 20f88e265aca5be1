package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// responsesAPI is OpenAI's.
type responsesAPI struct{}

// titleKey begins the prompt of a hidden thread that names the task.
const titleKey = "Generate a concise, single-line task title"

// toolSpec is a tool, or a space of names with tools in it.
type toolSpec struct {
	Name  string
	Tools []toolSpec
}

func toolNames(space string, list []toolSpec) (names []string) {
	for _, t := range list {
		names = append(append(names, space+t.Name), toolNames(t.Name+"/", t.Tools)...)
	}
	return names
}

func (responsesAPI) read(body []byte, _ string) (asked, error) {
	var x struct {
		Model string
		Input []struct {
			Type, Role string
			Content    json.RawMessage
			Output     json.RawMessage
			Tools      []toolSpec // of what a search has found
		}
		Tools []toolSpec
	}
	if err := json.Unmarshal(body, &x); err != nil {
		return asked{}, err
	}
	a := asked{Model: x.Model, Stream: true}
	a.Tools = toolNames("", x.Tools)
	for _, item := range x.Input {
		a.Tools = append(a.Tools, toolNames("", item.Tools)...)
		switch {
		case strings.HasSuffix(item.Type, "_output"):
			a.Messages = append(a.Messages, message{"tool", flat(item.Output)})
		case strings.HasSuffix(item.Type, "_call"):
			a.Messages = append(a.Messages, message{"model", ""})
		case item.Role == "assistant":
			a.Messages = append(a.Messages, message{"model", flat(item.Content)})
		case item.Role != "":
			text := flat(item.Content)
			if strings.HasPrefix(text, titleKey) {
				a.Side = "A title"
			}
			a.Messages = append(a.Messages, message{item.Role, text})
		}
	}
	return a, nil
}

func (responsesAPI) send(w http.ResponseWriter, a asked, n int, text string, calls []apiCall) {
	var items []map[string]any
	if text != "" {
		items = append(items, map[string]any{"type": "message", "id": fmt.Sprintf("msg_mock%04d", n), "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}})
	}
	for i, c := range calls {
		item := map[string]any{"id": fmt.Sprintf("fc_mock%04d_%d", n, i), "call_id": c.ID, "name": c.Name, "status": "completed"}
		if patch, ok := c.Input["patch"]; ok { // a tool of free form
			item["type"], item["input"] = "custom_tool_call", patch
		} else if c.Name == "tool_search" {
			item["type"], item["execution"], item["arguments"] = "tool_search_call", "client", c.Input
		} else {
			arguments, _ := json.Marshal(c.Input)
			item["type"], item["arguments"] = "function_call", string(arguments)
			if space, name, ok := strings.Cut(c.Name, "/"); ok {
				item["namespace"], item["name"] = space, name
			}
		}
		items = append(items, item)
	}
	write := stream(w)
	event := func(kind string, fields map[string]any) {
		fields["type"] = kind
		write(kind, fields)
	}
	id := fmt.Sprintf("resp_mock%04d", n)
	event("response.created", map[string]any{"response": map[string]any{"id": id, "status": "in_progress"}})
	for i, item := range items {
		event("response.output_item.added", map[string]any{"output_index": i, "item": item})
		event("response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	usage := map[string]any{"input_tokens": 100, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens": 10,
		"output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 110}
	event("response.completed", map[string]any{"response": map[string]any{"id": id, "status": "completed", "output": items, "usage": usage}})
}

func (responsesAPI) refuse(w http.ResponseWriter, status int, text string) {
	refusal := map[string]any{"type": "invalid_request_error", "message": text}
	if status == http.StatusTooManyRequests {
		refusal = map[string]any{"type": "usage_limit_reached", "message": text, "plan_type": "plus", "resets_at": resetsAt.Unix()}
	}
	sendJSON(w, status, map[string]any{"error": refusal})
}
