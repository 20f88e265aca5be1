package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os/exec"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton/internal/proc"
)

// initialized is the newest protocol whose sessions begin with initialize. Nearly all
// servers know it, and one that does not says so. The other way round, an older
// server may never answer what it does not know.
const initialized = "2025-11-25"

// served is a session with a server, and the program, if one was started.
type served struct {
	*mcp.ClientSession
	child *proc.Child
	said  *lastWords
	sent  atomic.Bool       // a request over HTTP got a connection
	hide  *strings.Replacer // takes what may be secret out of a URL
	end   func()
}

// connect begins a session with the server that the parameters name.
func (a Tools) connect(ctx context.Context, c Call) (*served, error) {
	s, err := a.open(ctx, c, initialized)
	var answer *jsonrpc.Error
	if errors.As(err, &answer) {
		s.end()
		s, err = a.open(ctx, c, "") // it may know only what is newer
	}
	if err != nil && s != nil {
		defer s.end()
		return nil, s.failure(ctx, "", err)
	}
	return s, err
}

// open starts or reaches the server and begins a session by a protocol. Where it
// was reached and there is no session, it returns both the server and the error.
func (a Tools) open(ctx context.Context, c Call, protocol string) (*served, error) {
	s := &served{end: func() {}}
	var transport mcp.Transport
	var err error
	switch server := c.Parameters["server"].(type) {
	case string:
		transport, err = a.remote(s, server, c)
	case []any:
		transport, err = a.local(ctx, s, server, c)
	default:
		err = final(`the parameter "server" is %s, and must be a URL or a list`, described(server))
	}
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "piton", Version: cmp.Or(a.Version, "dev")}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			if c.Say != nil && r.Params.Message != "" {
				c.Say(r.Params.Message)
			}
		},
	})
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		return s, err
	}
	s.ClientSession = session
	stop := s.end
	s.end = func() {
		stop() // first: what still runs may hold its streams
		_ = session.Close()
	}
	return s, nil
}

// local starts a server. Its stderr goes to the log.
func (a Tools) local(ctx context.Context, s *served, server []any, c Call) (mcp.Transport, error) {
	argv, err := words(server)
	if err != nil {
		return nil, final(`the parameter "server": %w`, err)
	}
	cmd := proc.Command{Argv: argv, Grace: stopGrace}
	if cmd.Dir, err = c.Folder("dir"); err != nil {
		return nil, err
	}
	env, _ := c.Parameters["env"].(map[string]any)
	if cmd.Env, err = a.Environ(c, env); err != nil {
		return nil, err
	}
	if c.Key != "" {
		cmd.Mark = c.mark()
		if c.Attempt > 1 {
			proc.EndMarked(cmd.Mark)
		}
	}
	s.said = &lastWords{to: c.Stream()}
	cmd.Err = s.said
	child, err := proc.Start(cmd)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, final("%s: no such program", argv[0])
	} else if err != nil {
		return nil, &Failed{Err: err, Known: Before}
	}
	s.child = child
	free := context.AfterFunc(ctx, child.End) // a server that reads nothing would hold us
	s.end = func() { free(); child.End() }
	return &mcp.IOTransport{Reader: bounded(child.Out), Writer: child.In}, nil
}

// maxTalk bounds what is read of a server for one call, or of one of its answers over
// HTTP: a message is held in memory whole.
const maxTalk = 64 << 20

// bounded ends a stream at maxTalk bytes.
func bounded(r io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(r, maxTalk), r}
}

// remote reaches a server over HTTP.
func (a Tools) remote(s *served, server string, c Call) (mcp.Transport, error) {
	u, err := target(server)
	if err != nil {
		return nil, final(`the parameter "server": %w`, err)
	}
	s.hide = strings.NewReplacer(server, shown(u), u.String(), shown(u))
	with, err := headersOf(c.Parameters["headers"])
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: headed{a.Transport, u, with, &s.sent}, CheckRedirect: redirects(nil)}
	return &mcp.StreamableClientTransport{Endpoint: server, HTTPClient: client, DisableStandaloneSSE: true}, nil
}

// headed adds headers to the requests to one server, notes that one got a connection,
// and bounds its answers.
type headed struct {
	next   http.RoundTripper
	server *url.URL
	with   http.Header
	sent   *atomic.Bool
}

func (h headed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { h.sent.Store(true) }}))
	if sameServer(h.server, r.URL) {
		for name, v := range h.with {
			r.Header[name] = v
		}
	}
	next := cmp.Or(h.next, http.DefaultTransport)
	resp, err := next.RoundTrip(r)
	if err == nil {
		resp.Body = bounded(resp.Body)
	}
	return resp, err
}

// undelivered is the code that the SDK gives to a request that reached no server.
const undelivered = -32005

// failure is the error of a session or a call that did not go through. tool is ""
// where there is no session yet: then nothing was called.
func (s *served) failure(ctx context.Context, tool string, err error) error {
	f := &Failed{}
	if tool == "" {
		f.Known = Before
	}
	var answer *jsonrpc.Error
	switch errors.As(err, &answer); {
	case ctx.Err() != nil:
		f.Err = broken(ctx)
	case answer != nil && answer.Code != undelivered:
		err = errors.New(ending([]byte(answer.Message)))
		switch answer.Code {
		case jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams:
			return final("the server refuses it: %w%s", err, s.tools(ctx, tool))
		}
		f.Err, f.Known = fmt.Errorf("the server answers with an error: %w", err), cmp.Or(f.Known, Answered)
	case s.child == nil:
		f.Err = fmt.Errorf("the server cannot be reached: %s", ending([]byte(s.hide.Replace(err.Error()))))
		if !s.sent.Load() {
			f.Known = Before
		}
	default:
		s.child.End()
		f.Err = fmt.Errorf("the server ended or does not speak MCP: %w", err)
		if said := s.said.String(); said != "" {
			f.Err = fmt.Errorf("%w; the end of what it said: %s", f.Err, said)
		}
	}
	return f
}

// tools suggests a tool of the server for one that it does not have.
func (s *served) tools(ctx context.Context, name string) string {
	if s.ClientSession == nil {
		return ""
	}
	var names []string
	for tool, err := range s.Tools(ctx, nil) {
		if err != nil || tool.Name == name || len(names) == 200 {
			return ""
		}
		names = append(names, tool.Name)
	}
	return nearest(name, names)
}

// lastWords passes a stream on and keeps its end.
type lastWords struct {
	to  io.Writer
	end []byte
}

func (w *lastWords) Write(p []byte) (int, error) {
	w.end = append(w.end, p...)
	if over := len(w.end) - 4*maxEnd; over > 0 {
		w.end = append(w.end[:0], w.end[over:]...)
	}
	return w.to.Write(p)
}

// String is the end of what was said; for when all is said.
func (w *lastWords) String() string { return strings.TrimSpace(ending(w.end)) }
