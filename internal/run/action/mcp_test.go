//go:build unix

package action

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton/internal/run/plan"
)

// TestMain makes a server of the test program where the tests start it as one.
func TestMain(m *testing.M) {
	switch kind := os.Getenv("ACTION_TEST_SERVER"); kind {
	case "":
		os.Exit(m.Run())
	case "crash":
		fmt.Fprintln(os.Stderr, "cannot open the database")
		os.Exit(3)
	case "noise":
		fmt.Println("Welcome!")
		time.Sleep(time.Minute)
	case "deaf":
		time.Sleep(time.Minute)
	case "child":
		child := exec.Command("sh", "-c", `trap "" TERM; while :; do sleep 1; done`)
		if child.Start() == nil {
			os.WriteFile(os.Getenv("FILE"), fmt.Appendf(nil, "%d\n%d\n", os.Getpid(), child.Process.Pid), 0o600)
		}
		fallthrough
	default:
		fmt.Fprintln(os.Stderr, "server is up")
		testServer(kind == "newest").Run(context.Background(), &mcp.StdioTransport{})
	}
}

// testServer has a tool for each way in which tools answer.
func testServer(newest bool) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	if newest {
		s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
				if method == "initialize" {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "use server/discover"}
				}
				return next(ctx, method, r)
			}
		})
	}
	add := func(name string, do func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, do)
	}
	text := func(t string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: t}} }
	add("echo", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: r.Params.Arguments, Content: text("echoed")}, nil
	})
	add("large", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		const n = `{"id":9007199254740993}`
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(n), Content: text(n)}, nil
	})
	add("apart", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"n":1}`), Content: text(`{"n":2}`)}, nil
	})
	add("long", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: text(strings.Repeat("x", 2*maxOutput))}, nil
	})
	add("words", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: append(text("one"), &mcp.ImageContent{MIMEType: "image/png", Data: []byte("abc")}, &mcp.TextContent{Text: "two"})}, nil
	})
	add("json", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: text(`{"a": 1}`)}, nil
	})
	add("nothing", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
	})
	add("fail", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: text("no such file " + token), IsError: true}, nil
	})
	add("refuse", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "x is missing"}
	})
	add("busy", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "busy"}
	})
	add("meta", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: text(fmt.Sprint(r.Params.Meta["piton/idempotency_key"], " ", r.Params.Meta["piton/step_id"]))}, nil
	})
	add("env", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		dir, _ := os.Getwd()
		return &mcp.CallToolResult{Content: text(os.Getenv("A") + " " + os.Getenv("PITON_STEP_ID") + " " + filepath.Base(dir))}, nil
	})
	add("die", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "panic: no memory")
		os.Exit(2)
		return nil, nil
	})
	add("slow", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Message: "half of it", Progress: 1})
		<-ctx.Done()
		return nil, ctx.Err()
	})
	return s
}

// server is a call of a tool of the test program.
func server(t *testing.T, kind, tool string, more p) (Call, *strings.Builder) {
	t.Helper()
	c, _ := call(t, p{"server": []any{os.Args[0]}, "tool": tool, "env": p{"ACTION_TEST_SERVER": kind, "A": "b"}})
	for k, v := range more {
		c.Parameters[k] = v
	}
	var log strings.Builder
	c.Log = &log
	return c, &log
}

func TestMCPCalls(t *testing.T) {
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		if r.Header.Get("Authorization") != "Bearer abc" {
			return nil
		}
		return testServer(false)
	}, nil))
	defer web.Close()
	remote := p{"server": web.URL, "headers": p{"authorization": "Bearer abc"}, "env": nil}
	for _, tc := range []struct {
		name, kind, tool string
		p                p
		want             any
	}{
		{name: "structured content", tool: "echo", p: p{"arguments": p{"a": []any{1.0, nil}}}, want: p{"a": []any{1.0, nil}}},
		{name: "no arguments", tool: "echo", want: p{}},
		{name: "structured content as text", tool: "echo", p: p{"output": "text"}, want: "echoed"},
		{name: "a large integer", tool: "large", want: p{"id": int64(9007199254740993)}},
		{name: "structured content that the text contradicts", tool: "apart", want: p{"n": 1.0}},
		{name: "text and an image", tool: "words", want: "one\n[an image, image/png, 3 bytes]\ntwo"},
		{name: "JSON in a text", tool: "json", want: p{"a": 1.0}},
		{name: "JSON as text", tool: "json", p: p{"output": "text"}, want: `{"a": 1}`},
		{name: "nothing", tool: "nothing", want: ""},
		{name: "who calls", tool: "meta", want: "KEY build"},
		{name: "where it runs", tool: "env", p: p{"dir": "in"}, want: "b build in"},
		{name: "a server that knows only the newest protocol", kind: "newest", tool: "json", want: p{"a": 1.0}},
		{name: "a server over HTTP", tool: "json", p: remote, want: p{"a": 1.0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			kind := tc.kind
			if kind == "" {
				kind = "plain"
			}
			c, log := server(t, kind, tc.tool, tc.p)
			c.Key = strings.ReplaceAll(c.Key, "_", "-")
			if err := os.Mkdir(filepath.Join(c.Dir, "in"), 0o700); err != nil {
				t.Fatal(err)
			}
			if tc.want == "KEY build" {
				tc.want = c.Key + " build"
			}
			r, err := MCP{}.Do(t.Context(), c)
			if err != nil || !reflect.DeepEqual(r.Output, tc.want) {
				t.Errorf("got %#v, %v, want %#v", r.Output, err, tc.want)
			}
			if tc.p["headers"] == nil && !strings.Contains(log.String(), "server is up") {
				t.Errorf("got %q in the log, want what the server said", log)
			}
		})
	}
	t.Run("more than is kept", func(t *testing.T) {
		c, _ := server(t, "plain", "long", nil)
		r, err := MCP{}.Do(t.Context(), c)
		if out, _ := r.Output.(string); err != nil || len(out) > maxOutput+100 || !strings.Contains(out, "bytes left out") {
			t.Errorf("got %d bytes, %v", len(out), err)
		}
	})
}

func TestMCPFails(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, tc := range []struct {
		name, kind, tool string
		p                p
		want             string
		final            bool
	}{
		{"a tool that fails", "plain", "fail", nil, "the tool fail failed: no such file [REDACTED:github-token]", false},
		{"arguments that are refused", "plain", "refuse", nil, "the server refuses it: x is missing", true},
		{"an error that may pass", "plain", "busy", nil, "the server answers with an error: busy", false},
		{"a tool that is misspelt", "plain", "ehco", nil, `did you mean "echo"?`, true},
		{"a server that dies", "plain", "die", nil, "the end of what it said: server is up\npanic: no memory", false},
		{"a server that dies at once", "crash", "echo", nil, "cannot open the database", false},
		{"a program that is not a server", "noise", "echo", nil, "does not speak MCP", false},
		{"a server that is missing", "plain", "echo", p{"server": []any{"piton-no-such-program"}}, "piton-no-such-program: no such program", true},
		{"a server that cannot be reached", "plain", "echo", p{"server": gone.URL + "/?token=abc", "env": nil}, "the server cannot be reached", false},
		{"arguments that are none", "plain", "echo", p{"arguments": "x"}, `"arguments" is a text, and must be a map`, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := server(t, tc.kind, tc.tool, tc.p)
			_, err := MCP{}.Do(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), tc.want) || isFinal(err) != tc.final || strings.Contains(err.Error(), "abc") {
				t.Errorf("got %v (final %v), want %q in it (final %v)", err, isFinal(err), tc.want, tc.final)
			}
		})
	}
}

// However a call ends, nothing of the server is left.
func TestMCPServerEnds(t *testing.T) {
	for _, tool := range []string{"echo", "fail", "die", "slow"} {
		t.Run(tool, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pids")
			c, _ := server(t, "child", tool, nil)
			c.Parameters["env"].(map[string]any)["FILE"] = file
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var said []string
			c.Say = func(text string) { said = append(said, text); cancel() }
			_, err := MCP{}.Do(ctx, c)
			if tool == "slow" && (err == nil || !strings.Contains(err.Error(), "it was ended") || len(said) != 1 || said[0] != "half of it") {
				t.Errorf("got %v and %q, want it ended after it said how far it was", err, said)
			}
			for _, pid := range waitForLines(file, 2) {
				wantGone(t, pid)
			}
		})
	}
	t.Run("a server that hears nothing", func(t *testing.T) {
		c, _ := server(t, "deaf", "echo", p{"arguments": p{"a": strings.Repeat("x", 1<<20)}})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := (MCP{}).Do(ctx, c); err == nil || !strings.Contains(err.Error(), "it took too long") {
			t.Errorf("got %v, want a time-out", err)
		}
	})
}

func TestMCPCheck(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    p
		want string
	}{
		{"a command as a text", p{"server": "npx some-server", "tool": "x"}, `a list, such as ["npx", "some-server"]`},
		{"an empty command", p{"server": []any{}, "tool": "x"}, "no program is named"},
		{"variables for a URL", p{"server": "http://x", "tool": "x", "env": p{}}, "this one is a URL"},
		{"headers for a program", p{"server": []any{"x"}, "tool": "x", "headers": p{}}, "this server is started"},
		{"a URL that is not known yet", p{"server": "${env:SERVER}", "tool": "x"}, ""},
		{"a URL", p{"server": "https://x/mcp", "tool": "x", "headers": p{}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := MCP{}.Check(plan.Step{Parameters: tc.p})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
}
