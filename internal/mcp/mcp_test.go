package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton/internal/app/caller"
)

// alone are a home, a folder and an environment of their own.
func alone(t testing.TB) Options {
	t.Helper()
	return Options{App: caller.Options{
		Home: t.TempDir(), Dir: t.TempDir(), Environ: []string{},
		Getenv: func(name string) string { return map[string]string{"HOME": "/nonexistent"}[name] },
	}}
}

// answer is a message of the server's.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// exchange serves lines until their end, and returns the answers by id. Whatever is
// written must be a message.
func exchange(t testing.TB, s *mcp.Server, in io.Reader) map[string]answer {
	t.Helper()
	var out bytes.Buffer
	to := io.Writer(&out)
	if open, ok := in.(*openInput); ok {
		to = io.MultiWriter(&out, open)
	}
	if err := serve(t.Context(), s, in, to); err != nil {
		t.Fatalf("serve: got %v", err)
	}
	got := map[string]answer{}
	for line := range strings.Lines(out.String()) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil || a.Version != "2.0" {
			t.Fatalf("got the line %q, %v, want a message", line, err)
		}
		if a.Method == "" {
			got[string(a.ID)] = a
		}
	}
	return got
}

// openInput is a request whose input ends when it is answered: after the end of its
// input a server gives what is at work some seconds only.
type openInput struct {
	io.Reader
	id       string // of the request
	answered chan struct{}
}

func (o *openInput) Read(b []byte) (int, error) {
	n, err := o.Reader.Read(b)
	if err == io.EOF {
		<-o.answered
	}
	return n, err
}

// Write hears what the server writes, one message at a time.
func (o *openInput) Write(line []byte) (int, error) {
	var a answer
	if json.Unmarshal(line, &a) == nil && a.Method == "" && string(a.ID) == o.id {
		close(o.answered)
	}
	return len(line), nil
}

// initialize opens a session of a version of the protocol, under the id 1.
func initialize(version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, version) +
		"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
}

// older is a request of an earlier version, which does not name it.
func older(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params) + "\n"
}

// stateless is a request that names its protocol.
func stateless(id int, method, params string) string {
	meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		meta += "," + params
	}
	return older(id, method, meta+"}")
}

// result is what a tool answered.
type result struct {
	Content []struct {
		Type, Text string
	}
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

func (r result) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// state is the state in an answer's text.
func (r result) state() string {
	_, text, _ := strings.Cut(r.text(), "State:\n")
	text, _, _ = strings.Cut(text, "\n[Piton end of data")
	return text
}

// ask calls one tool of a server.
func ask(t testing.TB, s *mcp.Server, tool, arguments string) result {
	t.Helper()
	return askAs(t, s, tool, arguments, "")
}

// askAs calls one tool with more of a _meta.
func askAs(t testing.TB, s *mcp.Server, tool, arguments, meta string) result {
	t.Helper()
	line := older(7, "tools/call", fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}%s},"name":%q,"arguments":%s}`, meta, tool, arguments))
	a := exchange(t, s, &openInput{strings.NewReader(line), "7", make(chan struct{})})["7"]
	if a.Error != nil {
		t.Fatalf("%s: got the error %v", tool, a.Error)
	}
	var r result
	if err := json.Unmarshal(a.Result, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// field is a member of an answer, as JSON.
func (r result) field(t testing.TB, path ...string) string {
	t.Helper()
	v := r.Structured
	for _, name := range path {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(v, &object); err != nil {
			t.Fatalf("%s of %s: %v", name, v, err)
		}
		v = object[name]
	}
	return string(v)
}

// id is the id of the answer's checkpoint.
func (r result) id(t testing.TB) string {
	t.Helper()
	return strings.Trim(r.field(t, "checkpoint", "id"), `"`)
}

// tools are the tools of a server, by name.
func tools(t testing.TB, s *mcp.Server) map[string]map[string]any {
	t.Helper()
	var list struct{ Tools []map[string]any }
	if err := json.Unmarshal(exchange(t, s, strings.NewReader(stateless(2, "tools/list", "")))["2"].Result, &list); err != nil {
		t.Fatal(err)
	}
	byName := map[string]map[string]any{}
	for _, tool := range list.Tools {
		byName[tool["name"].(string)] = maps.Clone(tool)
	}
	return byName
}
