package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// contentAPI is Gemini's generateContent, whole or streamed.
type contentAPI struct{}

var modelPath = regexp.MustCompile(`/models/([^:]+):(\w+)$`)

func (contentAPI) read(body []byte, path string) (asked, error) {
	var x struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text     string
				Response *struct{ Response json.RawMessage } `json:"functionResponse"`
			}
		}
		Tools []struct {
			Functions []struct{ Name string } `json:"functionDeclarations"`
		}
	}
	if err := json.Unmarshal(body, &x); err != nil {
		return asked{}, err
	}
	found := modelPath.FindStringSubmatch(path)
	if found == nil {
		return asked{}, fmt.Errorf("no model in %s", path)
	}
	a := asked{Model: found[1], Stream: found[2] == "streamGenerateContent", Side: "{}"}
	for _, t := range x.Tools {
		if len(t.Functions) > 0 {
			a.Side = "" // only the agent has tools
		}
		for _, f := range t.Functions {
			a.Tools = append(a.Tools, f.Name)
		}
	}
	for _, c := range x.Contents {
		var parts []string
		for _, p := range c.Parts {
			if p.Response != nil {
				parts = append(parts, string(p.Response.Response))
			} else if p.Text != "" {
				parts = append(parts, p.Text)
			}
		}
		a.Messages = append(a.Messages, message{c.Role, strings.Join(parts, "\n")})
	}
	return a, nil
}

func (contentAPI) send(w http.ResponseWriter, a asked, n int, text string, calls []apiCall) {
	var parts []map[string]any
	if text != "" {
		parts = append(parts, map[string]any{"text": text})
	}
	for _, c := range calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": c.Name, "args": c.Input}})
	}
	answer := func(parts []map[string]any, last bool) map[string]any {
		candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
		if last {
			candidate["finishReason"] = "STOP"
		}
		return map[string]any{"candidates": []any{candidate}, "modelVersion": a.Model, "responseId": fmt.Sprintf("mock-%d", n),
			"usageMetadata": map[string]any{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}}
	}
	if !a.Stream {
		sendJSON(w, http.StatusOK, answer(parts, true))
		return
	}
	write := stream(w)
	for i, p := range parts {
		write("", answer([]map[string]any{p}, i == len(parts)-1))
	}
}

func (contentAPI) refuse(w http.ResponseWriter, status int, text string) {
	refusal := map[string]any{"code": status, "message": text, "status": "INVALID_ARGUMENT"}
	if status == http.StatusTooManyRequests {
		refusal["status"] = "RESOURCE_EXHAUSTED"
		refusal["details"] = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []any{map[string]any{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}}}}
	}
	sendJSON(w, status, map[string]any{"error": refusal})
}
