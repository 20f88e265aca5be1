package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestOpenings: each way in which clients open a connection, in a process of its
// own.
func TestOpenings(t *testing.T) {
	recorded, err := os.ReadFile("testdata/claude-2.1.330.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	list := older(2, "tools/list", "{}")
	for _, c := range []struct {
		name, in string
		want     []string // ids with a result
		version  string   // that initialize agreed on
		refused  string   // an id with the error that a method is unknown
	}{
		{"Claude Code 2.1.330, recorded", string(recorded), []string{`"server-discover-probe-1"`, "0", "1", "2", "3"}, "", ""},
		{"initialize, 2025-11-25", initialize("2025-11-25") + list, []string{"1", "2"}, "2025-11-25", ""},
		{"initialize, 2025-06-18", initialize("2025-06-18") + list, []string{"1", "2"}, "2025-06-18", ""},
		{"initialize, 2025-03-26", initialize("2025-03-26") + list, []string{"1", "2"}, "2025-03-26", ""},
		{"initialize, 2024-11-05", initialize("2024-11-05") + list, []string{"1", "2"}, "2024-11-05", ""},
		{"initialize, a version of the future", initialize("2999-01-01") + list, []string{"1", "2"}, "2025-11-25", ""},
		{"discover without a protocol, then initialize", older(9, "server/discover", "{}") + initialize("2025-11-25") + list, []string{"1", "2"}, "2025-11-25", "9"},
		{"discover, then initialize", stateless(8, "server/discover", "") + initialize("2025-11-25") + list, []string{"8", "1", "2"}, "2025-11-25", ""},
		{"discover, then a list without a protocol", stateless(8, "server/discover", "") + list, []string{"8", "2"}, "", ""},
		{"no opening at all", stateless(2, "tools/list", ""), []string{"2"}, "", ""},
		{"both generations beside each other", initialize("2025-06-18") + stateless(2, "tools/list", "") + older(3, "tools/list", "{}"), []string{"1", "2", "3"}, "2025-06-18", ""},
		{"line ends of Windows, empty lines, no end of the last line", strings.TrimSpace("\r\n\n" + strings.ReplaceAll(initialize("2025-11-25")+list, "\n", "\r\n")), []string{"1", "2"}, "2025-11-25", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := exchange(t, New(alone(t)), strings.NewReader(c.in))
			for _, id := range c.want {
				if a := got[id]; a.Error != nil || a.Result == nil {
					t.Errorf("%s: got %s, %v, want a result", id, a.Result, a.Error)
				}
			}
			if c.version != "" && !strings.Contains(string(got["1"].Result), `"protocolVersion":"`+c.version+`"`) {
				t.Errorf("got %s, want version %s", got["1"].Result, c.version)
			}
			if a := got[c.refused]; c.refused != "" && (a.Error == nil || a.Error.Code != -32601) {
				t.Errorf("%s: got %s, want it refused as unknown", c.refused, a.Result)
			}
			for id, a := range got {
				if a.Error != nil && id != c.refused {
					t.Errorf("%s: got the error %v", id, a.Error)
				}
			}
		})
	}
}

// TestSDKClient: the SDK's own client opens, calls and closes.
func TestSDKClient(t *testing.T) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(t.Context(), fromClient, toClient, alone(t)) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 15 {
		t.Errorf("got %d tools, %v, want 15", len(list.Tools), err)
	}
	saved, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "checkpoint_save", Arguments: map[string]any{"sessionId": "s", "state": map[string]any{"n": 1}}})
	if err != nil || saved.IsError {
		t.Fatalf("got %v, %v", saved, err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("got %v at the end of the input, want no error", err)
	}
}

// TestGarbage: what is not a message is answered with an error, and the next message is
// served.
func TestGarbage(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		id   string
		code int
	}{
		"no JSON":                    {"garbage", "null", -32700},
		"half a message":             {`{"jsonrpc":"2.0","id":4`, "null", -32700},
		"no UTF-8":                   {"\xff\xfe", "null", -32700},
		"JSON of another kind":       {`"text"`, "null", -32600},
		"a number":                   {"1", "null", -32600},
		"an object, no message":      {`{"a":1}`, "null", -32600},
		"an id, no version":          {`{"id":4,"method":"ping"}`, "4", -32600},
		"an id that is none":         {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", -32600},
		"NaN, which JSON has not":    {`{"jsonrpc":"2.0","id":4,"method":"ping","params":{"n":NaN}}`, "null", -32700},
		"an id with a fraction":      {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "1.5", -32600},
		"the same behind the rest":   {`{"jsonrpc":"2.0","method":"ping","params":{"id":7},"id":-0.5}`, "-0.5", -32600},
		"an id that is too large":    {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "9007199254740993", -32600},
		"a batch":                    {`[{"jsonrpc":"2.0","id":4,"method":"ping"}]`, "null", -32600},
		"a notification with an id":  {`{"jsonrpc":"2.0","id":4,"method":"notifications/cancelled","params":{"requestId":1}}`, "4", -32600},
		"an unknown method":          {`{"jsonrpc":"2.0","id":4,"method":"no/such"}`, "4", -32601},
		"an unknown tool":            {strings.TrimSpace(stateless(4, "tools/call", `"name":"no_such"`)), "4", -32602},
		"parameters of a wrong kind": {`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[]}`, "4", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := exchange(t, New(alone(t)), strings.NewReader(initialize("2025-11-25")+c.line+"\n"+older(5, "ping", "{}")))
			a := got[c.id]
			if a.Error == nil || c.code != 0 && a.Error.Code != c.code {
				t.Errorf("got %+v, want the error %d under %s", got, c.code, c.id)
			}
			if got["5"].Result == nil {
				t.Errorf("got %+v, want the ping after it answered", got)
			}
		})
	}
}

// TestUnreadableState: a state that is not JSON is answered with the words that the
// command line has for it.
func TestUnreadableState(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001)
	for name, c := range map[string]struct{ state, words string }{
		"NaN":         {`{"a":NaN}`, "NaN: JSON has no such number (at "},
		"deep":        {deep, "nested too deeply: more than 10000 levels"},
		"no JSON":     {`{'a':1}`, "comments and trailing commas are not JSON"},
		"a key twice": {`{"a":1,"a":2,,}`, "give every key of an object once"},
	} {
		t.Run(name, func(t *testing.T) {
			in := initialize("2025-11-25") + `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"checkpoint_save","arguments":{"state":` + c.state + "}}}\n"
			got := exchange(t, New(alone(t)), strings.NewReader(in))["null"]
			if got.Error == nil || !strings.Contains(got.Error.Message, c.words) {
				t.Errorf("got %+v, want %q", got.Error, c.words)
			}
		})
	}
}

// TestSameID: a request with the id of one at work is refused, and that one is
// answered.
func TestSameID(t *testing.T) {
	on := make(chan struct{})
	out := &first{then: func() { close(on) }}
	in := stateless(1, "tools/call", `"name":"slow"`) + stateless(1, "tools/list", "")
	if err := serve(t.Context(), slow(t, make(chan string, 1), on), strings.NewReader(in), out); err != nil {
		t.Fatal(err)
	}
	if len(out.lines) != 2 || !strings.Contains(out.lines[0], "-32600") || !strings.Contains(out.lines[1], `"result"`) {
		t.Errorf("got %q, want a refusal, then a result", out.lines)
	}
}

// first keeps what is written, and does something after the first line.
type first struct {
	lines []string
	then  func()
}

func (f *first) Write(b []byte) (int, error) {
	if f.lines = append(f.lines, string(b)); len(f.lines) == 1 {
		f.then()
	}
	return len(b), nil
}

// TestUnasked: answers and notifications from the client, and blank lines, have no answer.
func TestUnasked(t *testing.T) {
	in := initialize("2025-11-25") + "\n \t\r\n" + `{"jsonrpc":"2.0","id":77,"result":{}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":55}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}
{"jsonrpc":"2.0","method":"notifications/no_such"}
{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
` + older(5, "ping", "{}")
	if got := exchange(t, New(alone(t)), strings.NewReader(in)); len(got) != 2 || got["5"].Result == nil {
		t.Errorf("got %+v, want answers to 1 and 5 only", got)
	}
}

func TestReadLine(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string // a line, or "long"
	}{
		"lines":               {"a\nbc\n", []string{"a\n", "bc\n"}},
		"no end of the last":  {"a\nb", []string{"a\n", "b"}},
		"just fits":           {strings.Repeat("x", 39) + "\ny\n", []string{strings.Repeat("x", 39) + "\n", "y\n"}},
		"too long":            {strings.Repeat("x", 40) + "\ny\n", []string{"long", "y\n"}},
		"far too long":        {strings.Repeat("x", 1000) + "\ny\n", []string{"long", "y\n"}},
		"too long at the end": {strings.Repeat("x", 1000), []string{"long"}},
		"nothing":             {"", nil},
	} {
		r := bufio.NewReaderSize(strings.NewReader(c.in), 16)
		var got []string
		for {
			line, err := readLine(r, 40)
			if errors.Is(err, errLong) {
				line = []byte("long")
			} else if err != nil {
				break
			}
			got = append(got, string(line))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// slow is a server with a tool that waits to be let on.
func slow(t *testing.T, begun chan<- string, on <-chan struct{}) *mcp.Server {
	s := New(alone(t))
	mcp.AddTool(s, &mcp.Tool{Name: "slow"}, func(ctx context.Context, req *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
		begun <- req.Params.Name
		select {
		case <-on:
			return &mcp.CallToolResult{}, nil, nil
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	})
	return s
}

// TestEndOfInput: what is at work when the input ends is finished and answered.
func TestEndOfInput(t *testing.T) {
	begun, on := make(chan string, 3), make(chan struct{})
	in := ""
	for id := range 3 {
		in += stateless(id, "tools/call", `"name":"slow"`)
	}
	go func() {
		for range 3 {
			<-begun
		}
		close(on)
	}()
	got := exchange(t, slow(t, begun, on), strings.NewReader(in))
	for _, id := range []string{"0", "1", "2"} {
		if got[id].Result == nil {
			t.Errorf("%s: got %+v, want an answer", id, got[id])
		}
	}
}

// TestLongCall: a save of the largest state takes seconds, and a client that has closed
// its input may still read the answer.
func TestLongCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, on := make(chan string, 1), make(chan struct{})
		time.AfterFunc(grace-time.Second, func() { close(on) })
		if got := exchange(t, slow(t, begun, on), strings.NewReader(stateless(1, "tools/call", `"name":"slow"`)))["1"]; got.Result == nil {
			t.Errorf("got %+v, want an answer", got)
		}
	})
}

// TestListsDoNotChange: the first answer tells of tools, resources and prompts before the
// server has them, and nobody is told that their lists have changed.
func TestListsDoNotChange(t *testing.T) {
	for name, opening := range map[string]string{
		"an older client": initialize("2025-11-25"),
		"a newer client":  stateless(1, "server/discover", "") + stateless(7, "subscriptions/listen", `"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"promptsListChanged":true}`),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, client := io.Pipe()
				var out bytes.Buffer
				done := make(chan error, 1)
				go func() { done <- Serve(t.Context(), in, &out, alone(t)) }()
				_, _ = io.WriteString(client, opening)
				synctest.Wait()
				first := out.String() // the answer, and what a subscription is told in any order
				_, _ = io.WriteString(client, stateless(2, "tools/list", ""))
				time.Sleep(time.Second) // the SDK's timer has passed
				client.Close()
				if err := <-done; err != nil {
					t.Fatal(err)
				}
				for _, kind := range []string{"tools", "resources", "prompts", "completions"} {
					if !strings.Contains(first, `"`+kind+`":{`) {
						t.Errorf("the first answer does not tell of %s: %s", kind, first)
					}
				}
				if text := out.String(); strings.Contains(text, "/list_changed") || !strings.Contains(text, "checkpoint_save") {
					t.Errorf("got %s, want the tools and no change of them", text)
				}
			})
		})
	}
}

// TestStopped: told to stop, the server waits for what is at work, but not for ever,
// and for nothing that only listens.
func TestStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan string, 1)
		in, client := io.Pipe()
		defer client.Close()
		ctx, stop := context.WithCancel(t.Context())
		var out bytes.Buffer
		done := make(chan error, 1)
		s := slow(t, begun, make(chan struct{}))
		go func() { done <- serve(ctx, s, in, &out) }()
		go func() {
			_, _ = io.WriteString(client, stateless(1, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)+stateless(2, "tools/call", `"name":"slow"`))
		}()
		<-begun
		stop()
		if err := <-done; err != nil {
			t.Errorf("got %v, want no error", err)
		}
	})
}

// TestReaderIsGone: where nobody reads the answers any more, serving ends.
func TestReaderIsGone(t *testing.T) {
	in, client := io.Pipe()
	defer client.Close()
	done := make(chan error, 1)
	s := New(alone(t))
	go func() { done <- serve(t.Context(), s, in, gone{}) }()
	go func() { _, _ = io.WriteString(client, strings.Repeat(stateless(1, "tools/list", ""), 3)) }()
	if err := <-done; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want the error of writing", err)
	}
}

type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// FuzzServe: whatever is sent, the server ends with its input, and writes nothing
// but messages.
func FuzzServe(f *testing.F) {
	recorded, err := os.ReadFile("testdata/claude-2.1.330.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(recorded)) {
		f.Add([]byte(line))
	}
	f.Add(recorded)
	f.Add([]byte(initialize("2025-11-25") + older(2, "tools/call", `{"name":"checkpoint_list","arguments":{}}`)))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n[]\nnull\n"))
	o := alone(f)
	o.App.Store = "none:" // a call fails at once: this is about what leads to it
	f.Fuzz(func(t *testing.T, in []byte) { exchange(t, New(o), bytes.NewReader(in)) })
}
