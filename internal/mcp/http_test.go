package mcp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestHTTP: over HTTP both generations of the protocol are served.
func TestHTTP(t *testing.T) {
	server := httptest.NewServer(HTTP(alone(t)))
	defer server.Close()
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	saved, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "checkpoint_save", Arguments: map[string]any{"sessionId": "s", "state": map[string]any{"n": 1}}})
	if err != nil || saved.IsError {
		t.Fatalf("got %v, %v", saved, err)
	}
	opening, _, _ := strings.Cut(initialize("2025-06-18"), "\n")
	if got := post(t, server.URL, "", opening); !strings.Contains(got, `"protocolVersion":"2025-06-18"`) {
		t.Errorf("initialize: got %s", got)
	}
	if got := post(t, server.URL, "", older(2, "tools/call", `{"name":"checkpoint_load","arguments":{"sessionId":"s"}}`)); !strings.Contains(got, `{\"n\":1}`) {
		t.Errorf("load: got %s", got)
	}
}

// TestHTTPCaller: a call belongs to the folder that its address names, and to
// nothing that this process was started with.
func TestHTTPCaller(t *testing.T) {
	o, getenv := alone(t), map[string]string{"CLAUDE_CODE_SESSION_ID": "inherited", "PITON_EPISODE": "inherited", "HOME": "/nonexistent"}
	o.App.Dir, o.App.Getenv = "", func(name string) string { return getenv[name] }
	server := httptest.NewServer(HTTP(o))
	defer server.Close()
	here, elsewhere := t.TempDir(), t.TempDir()
	for _, c := range []struct {
		name, version, project string
		tool, arguments        string
		want, not              string
	}{
		{"a folder in the address", "", here, "checkpoint_save", `{"sessionId":"s","name":"first","state":{"n":1}}`, "Saved as", "inherited"},
		{"the same by the newer protocol", "2026-07-28", here, "checkpoint_load", `{"name":"first"}`, `{\"n\":1}`, "inherited"},
		{"the checkpoints of the folder", "", here, "checkpoint_list", `{}`, "this folder's project", "all projects"},
		{"another folder's", "", elsewhere, "checkpoint_list", `{}`, "No checkpoints", "first"},
		{"no folder and none needed", "", "", "checkpoint_list", `{}`, "checkpoints of all projects", "this folder's project"},
		{"no folder, and the call names one", "", "", "checkpoint_list", `{"project":"` + here + `"}`, "first", "all projects"},
		{"no folder, and the call names a session", "", "", "checkpoint_list", `{"sessionId":"s"}`, "first", "all projects"},
		{"no folder where one is needed", "", "", "checkpoint_save", `{"state":{}}`, "the folder that you work in is not known here", "Saved"},
		{"no folder and a part of a path", "", "", "checkpoint_list", `{"project":"."}`, "the folder that you work in is not known here", "first"},
		{"no folder, and a session that has nothing yet", "", "", "checkpoint_list", `{},"_meta":{"threadId":"thread-2"}`, "with the whole path of a folder", "project ."},
		{"a folder, and a session that has nothing yet", "", here, "checkpoint_list", `{},"_meta":{"threadId":"thread-2"}`, "project .", "whole path"},
		{"no folder, and a session with nothing to load", "", "", "checkpoint_load", `{},"_meta":{"threadId":"thread-2"}`, "with the whole path of a folder", "project ."},
		{"no folder to resume in", "2026-07-28", "", "checkpoint_resume", `{}`, "the folder that you work in is not known here", "first"},
		{"a part of a path in the address", "", "work", "checkpoint_list", `{}`, "whole path", "first"},
		{"a folder that does not exist", "", here + "/none", "checkpoint_save", `{"state":{}}`, "is not a folder", "Saved"},
	} {
		t.Run(c.name, func(t *testing.T) {
			address := server.URL
			if c.project != "" {
				address += "?project=" + url.QueryEscape(c.project)
			}
			params := `{"name":"` + c.tool + `","arguments":` + c.arguments + `}`
			body := older(2, "tools/call", params)
			if c.version != "" {
				body = stateless(2, "tools/call", strings.TrimSuffix(strings.TrimPrefix(params, "{"), "}"))
			}
			got := post(t, address, c.version, body)
			if !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
				t.Errorf("got %s, want %q and not %q", got, c.want, c.not)
			}
		})
	}
}

// post sends a message and returns what comes back.
func post(t *testing.T, address, version, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(strings.TrimSpace(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if version != "" {
		req.Header.Set("MCP-Protocol-Version", version)
		req.Header.Set("Mcp-Method", "tools/call")
		_, name, _ := strings.Cut(body, `"name":"`)
		name, _, _ = strings.Cut(name, `"`)
		req.Header.Set("Mcp-Name", name)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
