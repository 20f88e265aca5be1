package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
)

// A connection that has stalled does not keep a server from stopping: a body that does
// not come is refused, as one to send again, and who does not take an answer is left.
func TestShutdownWithStalledConnections(t *testing.T) {
	t.Parallel()
	const head = " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	dir := t.TempDir()
	for _, c := range []struct {
		name, request string
		want          int // 0: the answer is not taken
	}{
		{"in a body", "POST /v1/checkpoints" + head + "Content-Length: 100\r\n\r\n{\"state\":", 503},
		{"in a body of chunks", "POST /v1/prune" + head + "Transfer-Encoding: chunked\r\n\r\n3\r\n{\"d\r\n", 503},
		{"in a message to /mcp", "POST /mcp" + head + "Accept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{", 503},
		{"in an import", "POST /v1/import?project=" + dir + strings.Replace(head, jsonType, "application/octet-stream", 1) + "Content-Length: 100\r\n\r\n{\"id\":", 503},
		{"in an answer", "GET /v1/state?workflow=large&project=" + dir + head + "\r\n", 0},
		{"in an export", "GET /v1/export?all=true&lines=true" + head + "\r\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, c2 := stalled(t, dir, c.request, c.want == 0)
			ctx, late := context.WithTimeout(t.Context(), 25*time.Second) // less than a body or a piece may take
			defer late()
			if err := s.Shutdown(ctx); err != nil {
				t.Fatalf("got %v, want that it does not wait for the stalled one", err)
			}
			if c.want == 0 {
				return
			}
			res, err := http.ReadResponse(bufio.NewReader(c2), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, _ := io.ReadAll(res.Body)
			if res.StatusCode != c.want || !strings.Contains(string(text), `"code":"unavailable"`) || !strings.Contains(string(text), "about to end") {
				t.Errorf("got %d %s, want %d and why", res.StatusCode, text, c.want)
			}
		})
	}
}

// stalled serves a home on a socket, and sends it a request that goes no further.
func stalled(t *testing.T, dir, request string, taken bool) (*Server, net.Conn) {
	t.Helper()
	socket, err := os.MkdirTemp("", "api") // its path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(socket) })
	s := New(Options{App: caller.Options{Home: t.TempDir(), Getenv: func(string) string { return "" }, Environ: []string{}}})
	if taken { // more than the socket holds
		a := s.app(dir, false)
		defer a.Close()
		state := fmt.Appendf(nil, `{"text":%q}`, strings.Repeat("words of a large state ", 100_000))
		if _, err := a.Save(t.Context(), piton.SaveRequest{Workflow: "large", State: state, InProject: piton.InProject{Project: dir}}); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("unix", filepath.Join(socket, "s"))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(l, Socket) }()
	conn, err := net.Dial("unix", filepath.Join(socket, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	if taken {
		if _, err := io.ReadFull(conn, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		return s, conn
	}
	for end := time.Now().Add(time.Minute); s.bodies.TryAcquire(maxBodies); time.Sleep(10 * time.Millisecond) {
		if s.bodies.Release(maxBodies); time.Now().After(end) {
			t.Fatal("the body is not waited for")
		}
	}
	return s, conn
}
