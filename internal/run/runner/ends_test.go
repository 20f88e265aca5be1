package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// TestEnds is what becomes of a step whose effect may happen only once, by its action and
// by how its attempt ends: what is known not to have taken effect may be tried again, an
// answer is a failure, and no answer is in doubt. No end repeats what may have happened.
func TestEnds(t *testing.T) {
	dir := t.TempDir()
	var hits atomic.Int32
	mux := http.NewServeMux()
	status := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			hits.Add(1)
			if len(header) > 0 {
				w.Header().Set(header[0], header[1])
			}
			w.WriteHeader(code)
		}
	}
	for _, code := range []int{400, 402, 403, 404, 408, 409, 422, 425, 429, 500, 501, 502, 503, 504} {
		mux.HandleFunc(fmt.Sprintf("/%d", code), status(code))
	}
	mux.HandleFunc("/later", status(503, "Retry-After", "0"))
	mux.HandleFunc("/text", func(w http.ResponseWriter, r *http.Request) { hits.Add(1); io.WriteString(w, "charged") })
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
	})
	breaks := func(half bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			hits.Add(1)
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			if half {
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nch")
			}
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
	}
	mux.HandleFunc("/reset", breaks(false))
	mux.HandleFunc("/half", breaks(true))
	hang := make(chan struct{})
	mux.HandleFunc("/hang", func(http.ResponseWriter, *http.Request) { hits.Add(1); <-hang })
	server := httptest.NewServer(mux)
	defer server.Close()
	defer close(hang)
	secure := httptest.NewTLSServer(mux)
	defer secure.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	file := filepath.Join(dir, "not-a-program")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	post := func(url string, more ...any) map[string]any {
		p := map[string]any{"url": url, "method": "POST"}
		for i := 0; i < len(more); i += 2 {
			p[more[i].(string)] = more[i+1]
		}
		return p
	}
	shell := func(command string) map[string]any { return map[string]any{"command": command} }
	argv := func(words ...any) map[string]any { return map[string]any{"command": words} }
	mcp := func(script, tool string) map[string]any {
		return map[string]any{"server": []any{"sh", "-c", script}, "tool": tool}
	}
	// speaks is an MCP server in sh: it answers initialize, and then does as it is told.
	speaks := func(then string) string {
		return `read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}'; read -r line; read -r line; id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); ` + then
	}
	own := map[string]func(context.Context, action.Call) (any, error){}
	const done, failed, doubt = Completed, Failed, InDoubt
	for _, c := range []struct {
		name       string
		action     string
		parameters map[string]any
		timeout    time.Duration
		do         func(context.Context, action.Call) (any, error)
		status     Status
		tries      int
	}{
		{name: "exit status 1", action: "shell", parameters: shell("exit 1"), status: failed, tries: 1},
		{name: "exit status 255", action: "shell", parameters: shell("exit 255"), status: failed, tries: 1},
		{name: "a command that is not found in a script", action: "shell", parameters: shell("true && no-such-program-here"), status: failed, tries: 1},
		{name: "no such program", action: "shell", parameters: argv("no-such-program-here"), status: failed, tries: 1},
		{name: "a file that cannot be run", action: "shell", parameters: argv(file), status: failed, tries: 3},
		{name: "no such folder", action: "shell", parameters: map[string]any{"command": "true", "dir": "nowhere"}, status: failed, tries: 3},
		{name: "killed by a signal", action: "shell", parameters: shell("kill -9 $$"), status: doubt, tries: 1},
		{name: "ended by a signal", action: "shell", parameters: shell("kill -15 $$"), status: doubt, tries: 1},
		{name: "status 137", action: "shell", parameters: shell("exit 137"), status: doubt, tries: 1},
		{name: "status 143", action: "shell", parameters: shell("exit 143"), status: doubt, tries: 1},
		{name: "the status of timeout(1)", action: "shell", parameters: shell("exit 124"), status: doubt, tries: 1},
		{name: "its timeout", action: "shell", parameters: shell("sleep 60"), timeout: time.Second, status: doubt, tries: 1},
		{name: "its timeout, after it has ended by itself in the end", action: "shell", parameters: shell("trap 'exit 0' TERM; sleep 60 & wait"), timeout: time.Second, status: doubt, tries: 1},
		{name: "output that is not the JSON it promises", action: "shell", parameters: map[string]any{"command": "echo charged", "output": "json"}, status: doubt, tries: 1},
		{name: "output that is cut", action: "shell", parameters: map[string]any{"command": "head -c 2000000 /dev/zero | tr '\\0' 1", "output": "json"}, status: doubt, tries: 1},

		{name: "connection refused", action: "http", parameters: post("http://" + closed.Addr().String()), status: failed, tries: 3},
		{name: "no such host", action: "http", parameters: post("http://nowhere.invalid/"), status: failed, tries: 3},
		{name: "a certificate that is not trusted", action: "http", parameters: post(secure.URL + "/text"), status: failed, tries: 1},
		{name: "TLS spoken to a server without", action: "http", parameters: post("https://" + server.Listener.Addr().String()), status: failed, tries: 3},
		{name: "status 400", action: "http", parameters: post(server.URL + "/400"), status: failed, tries: 1},
		{name: "status 402", action: "http", parameters: post(server.URL + "/402"), status: failed, tries: 1},
		{name: "status 409", action: "http", parameters: post(server.URL + "/409"), status: failed, tries: 1},
		{name: "status 422", action: "http", parameters: post(server.URL + "/422"), status: failed, tries: 1},
		{name: "status 408", action: "http", parameters: post(server.URL + "/408"), status: failed, tries: 3},
		{name: "status 429", action: "http", parameters: post(server.URL + "/429"), status: failed, tries: 3},
		{name: "status 500", action: "http", parameters: post(server.URL + "/500"), status: doubt, tries: 1},
		{name: "status 501", action: "http", parameters: post(server.URL + "/501"), status: failed, tries: 1},
		{name: "status 502", action: "http", parameters: post(server.URL + "/502"), status: doubt, tries: 1},
		{name: "status 503", action: "http", parameters: post(server.URL + "/503"), status: doubt, tries: 1},
		{name: "status 503 with Retry-After", action: "http", parameters: post(server.URL + "/later"), status: failed, tries: 3},
		{name: "status 504", action: "http", parameters: post(server.URL + "/504"), status: doubt, tries: 1},
		{name: "redirects without end", action: "http", parameters: post(server.URL + "/round"), status: failed, tries: 1},
		{name: "reset after it was sent", action: "http", parameters: post(server.URL + "/reset"), status: doubt, tries: 1},
		{name: "reset in the answer", action: "http", parameters: post(server.URL + "/half"), status: doubt, tries: 1},
		{name: "no answer in the request's time", action: "http", parameters: post(server.URL+"/hang", "timeout", "100ms"), status: doubt, tries: 1},
		{name: "no answer in the step's time", action: "http", parameters: post(server.URL + "/hang"), timeout: 100 * time.Millisecond, status: doubt, tries: 1},
		{name: "an answer that is not the JSON it promises", action: "http", parameters: post(server.URL+"/text", "output", "json"), status: doubt, tries: 1},
		{name: "another status than the plan expects", action: "http", parameters: post(server.URL+"/text", "expect", 201.0), status: failed, tries: 1},

		{name: "no such server", action: "mcp", parameters: map[string]any{"server": []any{"no-such-program-here"}, "tool": "t"}, status: failed, tries: 1},
		{name: "a server that does not speak", action: "mcp", parameters: mcp("exit 0", "t"), status: failed, tries: 3},
		{name: "a server that dies in the call", action: "mcp", parameters: mcp(speaks("exit 0"), "t"), status: doubt, tries: 1},
		{name: "a server that is killed in the call", action: "mcp", parameters: mcp(speaks("kill -9 $$"), "t"), status: doubt, tries: 1},
		{name: "a tool that does not end", action: "mcp", parameters: mcp(speaks("sleep 60"), "t"), timeout: 500 * time.Millisecond, status: doubt, tries: 1},
		{name: "arguments that are refused", action: "mcp", parameters: mcp(speaks(`echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32602,"message":"no"}}'; cat >/dev/null`), "t"), timeout: 2 * time.Second, status: failed, tries: 1},
		{name: "a tool's own error", action: "mcp", parameters: mcp(speaks(`echo '{"jsonrpc":"2.0","id":'$id',"result":{"isError":true,"content":[{"type":"text","text":"no"}]}}'; read -r line; id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}'; cat >/dev/null`), "t"), timeout: 10 * time.Second, status: failed, tries: 1},
		{name: "an error of the server", action: "mcp", parameters: mcp(speaks(`echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32603,"message":"no"}}'; cat >/dev/null`), "t"), timeout: 10 * time.Second, status: failed, tries: 1},
		{name: "an MCP server over HTTP that is not there", action: "mcp", parameters: map[string]any{"server": "http://" + closed.Addr().String(), "tool": "t"}, status: failed, tries: 3},

		{name: "an error that a function returns", action: "own", do: func(context.Context, action.Call) (any, error) { return nil, errors.New("no") }, status: failed, tries: 1},
		{name: "a function that says final", action: "own", do: func(context.Context, action.Call) (any, error) {
			return nil, fmt.Errorf("x: %w", &action.Failed{Err: errors.New("no"), Final: true})
		}, status: failed, tries: 1},
		{name: "a function's connection refused", action: "own", do: func(ctx context.Context, _ action.Call) (any, error) {
			_, err := net.DialTimeout("tcp", closed.Addr().String(), time.Second)
			return nil, err
		}, status: failed, tries: 3},
		{name: "a function's time that ran out", action: "own", do: func(context.Context, action.Call) (any, error) {
			return nil, fmt.Errorf("charge: %w", context.DeadlineExceeded)
		}, status: doubt, tries: 1},
		{name: "a function's broken connection", action: "own", do: func(context.Context, action.Call) (any, error) {
			return nil, fmt.Errorf("charge: %w", syscall.ECONNRESET)
		}, status: doubt, tries: 1},
		{name: "a function's answer cut short", action: "own", do: func(context.Context, action.Call) (any, error) {
			return nil, fmt.Errorf("charge: %w", io.ErrUnexpectedEOF)
		}, status: doubt, tries: 1},
		{name: "a function that panics", action: "own", do: func(context.Context, action.Call) (any, error) { panic("no") }, status: doubt, tries: 1},
		{name: "a function's timeout", action: "own", do: func(ctx context.Context, _ action.Call) (any, error) { <-ctx.Done(); return nil, ctx.Err() }, timeout: 50 * time.Millisecond, status: doubt, tries: 1},
		{name: "a function's result that cannot be kept", action: "own", do: func(context.Context, action.Call) (any, error) { return make(chan int), nil }, status: doubt, tries: 1},
		{name: "a function's result that is too large", action: "own", do: func(context.Context, action.Call) (any, error) { return strings.Repeat("x", 2<<20), nil }, status: doubt, tries: 1},
		{name: "a function that works", action: "own", do: func(context.Context, action.Call) (any, error) { return "ok", nil }, status: done, tries: 1},
	} {
		t.Run(c.action+", "+c.name, func(t *testing.T) {
			d := newDesk(t)
			hits.Store(0)
			all := action.All(action.Tools{})
			all["own"] = action.Func(plan.Once, func(ctx context.Context, call action.Call) (any, error) { return own[c.name](ctx, call) })
			own[c.name] = c.do
			d.Actions = all
			raw, _ := json.Marshal(c.parameters)
			var parameters map[string]any
			if err := json.Unmarshal(raw, &parameters); err != nil {
				t.Fatal(err)
			}
			p := plan.Plan{Name: "ends", Steps: []plan.Step{{ID: "charge", Action: c.action, Parameters: parameters, Effect: plan.Once, Timeout: plan.Duration(c.timeout),
				Retry: plan.Retry{Attempts: 3, Delay: plan.Duration(time.Millisecond)}}}}
			o := d.start(Request{Plan: p, Dir: dir})
			x := o.State.Plan[0]
			if x.Status != c.status || x.Attempt != c.tries {
				t.Errorf("got %s after %d tries, want %s after %d: %s", x.Status, x.Attempt, c.status, c.tries, x.Reason)
			}
			if n := hits.Load(); c.status == doubt && n > 1 {
				t.Errorf("the server was asked %d times", n)
			}
		})
	}
}
