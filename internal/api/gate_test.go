package api

import (
	"math"
	"net/http"
	"strings"
	"testing"
)

// TestAdmit: who is let in, over the socket and over TCP.
func TestAdmit(t *testing.T) {
	const list, token = "/v1/checkpoints", "Bearer secret"
	for _, c := range []struct {
		name    string
		via     Via
		path    string
		headers []string
		want    int
	}{
		{"the socket, without a token", Socket, list, nil, 200},
		{"the socket, under any host", Socket, list, []string{"Host", "piton"}, 200},
		{"the socket, from a page", Socket, list, []string{"Origin", "http://localhost"}, 403},
		{"the socket, without an origin", Socket, list, []string{"Origin", "null"}, 403},
		{"TCP, with the token", TCP, list, []string{"Authorization", token}, 200},
		{"TCP, with the token and another case of the scheme", TCP, list, []string{"Authorization", "bearer secret"}, 200},
		{"TCP, without a token", TCP, list, nil, 401},
		{"TCP, with another token", TCP, list, []string{"Authorization", "Bearer secreT"}, 401},
		{"TCP, with the beginning of the token", TCP, list, []string{"Authorization", "Bearer secre"}, 401},
		{"TCP, with an empty token", TCP, list, []string{"Authorization", "Bearer "}, 401},
		{"TCP, with another scheme", TCP, list, []string{"Authorization", "Basic secret"}, 401},
		{"TCP as localhost", TCP, list, []string{"Authorization", token, "Host", "localhost:80"}, 200},
		{"TCP as ::1", TCP, list, []string{"Authorization", token, "Host", "[::1]:80"}, 200},
		{"TCP under a name that somebody points here", TCP, list, []string{"Authorization", token, "Host", "evil.example:80"}, 403},
		{"TCP under a name that ends in localhost", TCP, list, []string{"Authorization", token, "Host", "localhost.evil.example"}, 403},
		{"TCP under another machine's address", TCP, list, []string{"Authorization", token, "Host", "10.0.0.1"}, 403},
		{"TCP with a path in the host", TCP, list, []string{"Authorization", token, "Host", "localhost/x"}, 403},
		{"TCP from a page with the token", TCP, list, []string{"Authorization", token, "Origin", "https://evil.example"}, 403},
		{"TCP from a page without an origin", TCP, list, []string{"Authorization", token, "Sec-Fetch-Site", "cross-site"}, 403},
		{"health over TCP without a token", TCP, "/healthz", nil, 200},
		{"health under another name", TCP, "/healthz", []string{"Host", "evil.example"}, 403},
		{"readiness over TCP without a token", TCP, "/readyz", nil, 401},
		{"the document without a token", TCP, "/openapi.json", nil, 401},
		{"metrics without a token", TCP, "/metrics", nil, 401},
		{"models without a token", TCP, "/mcp", nil, 401},
		{"events without a token", TCP, "/v1/events", nil, 401},
		{"metrics", TCP, "/metrics", []string{"Authorization", token}, 200},
		{"readiness", TCP, "/readyz", []string{"Authorization", token}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, _ := serve(t, c.via)
			status, text := call(t, "GET", url+c.path, "", c.headers...)
			if status != c.want {
				t.Errorf("got %d, %.300s, want %d", status, text, c.want)
			}
			if strings.Contains(text, "secret") {
				t.Errorf("the answer holds the token: %s", text)
			}
		})
	}
}

// TestLoopbackSpelled: an address of the loopback is taken in each spelling that says so
// by itself: nobody gives it out, and a page that a browser has from there is this
// machine's own. What some resolver would first have to read is refused.
func TestLoopbackSpelled(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:7433": true, "127.9.8.7": true, "LOCALHOST": true, "LocalHost:80": true, "localhost:": true, "localhost:99999": true,
		"[::1]": true, "[0:0:0:0:0:0:0:1]:80": true, "[::ffff:127.0.0.1]": true, "[::FFFF:7f00:1]:80": true,
		"0177.0.0.1": false, "0x7f.0.0.1": false, "2130706433": false, "0x7f000001": false, "127.1": false, "127.0.0.1.": false, "127.00.0.1": false,
		"localhost.": false, "localhost.localdomain": false, "a.localhost": false, "[::1%25lo]": false, "[::127.0.0.1]": false, "0.0.0.0": false, "[::]": false, "::1": false,
		"127.0.0.1.evil.example": false, "localhost:0x50": false, "localhost:80:80": false, "a@localhost": false, "localhost#": false, "localhost?": false,
		" localhost": false, "localhost\t": false, "": false, "ⓛocalhost": false, "１27.0.0.1": false,
	} {
		if got := isLoopback(host); got != want {
			t.Errorf("%q: got %v, want %v", host, got, want)
		}
	}
}

// TestOverTCP: what is not done for everybody on the machine who has the token.
func TestOverTCP(t *testing.T) {
	for _, c := range []struct {
		name, path, body string
		want             int
	}{
		{"a purge", "/v1/purge", `{"secrets":true,"dry_run":true}`, http.StatusForbidden},
		{"an approval", "/v1/runs/run_0/approve", ``, http.StatusForbidden},
		{"a prune", "/v1/prune", `{"dry_run":true}`, http.StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, _ := serve(t, TCP)
			if status, text := call(t, "POST", url+c.path, c.body, "Authorization", "Bearer secret"); status != c.want {
				t.Errorf("got %d, %s, want %d", status, text, c.want)
			}
		})
	}
}

// TestNoToken: a server without a token lets nobody in over TCP.
func TestNoToken(t *testing.T) {
	url, s := serve(t, TCP)
	s.o.Token = ""
	for _, header := range []string{"", "Bearer ", "Bearer"} {
		if status, _ := call(t, "GET", url+"/v1/checkpoints", "", "Authorization", header); status != http.StatusUnauthorized {
			t.Errorf("%q: got %d, want 401", header, status)
		}
	}
}

// TestDefect: a defect of one request is an answer, and tells nothing of it.
func TestDefect(t *testing.T) {
	url, s := serve(t, Socket)
	s.mux.HandleFunc("GET /defect", func(http.ResponseWriter, *http.Request) { panic("a secret") })
	status, text := call(t, "GET", url+"/defect", "")
	if status != 500 || !strings.Contains(text, `"code":"internal"`) || strings.Contains(text, "secret") {
		t.Errorf("got %d, %s", status, text)
	}
	if status, text := call(t, "GET", url+"/healthz", ""); status != 200 {
		t.Errorf("after it: got %d, %s", status, text)
	}
}

// TestCaller: what the daemon was started with says nothing of a caller.
func TestCaller(t *testing.T) {
	env := map[string]string{"CLAUDE_CODE_SESSION_ID": "inherited", "PITON_EPISODE": "inherited", "CLAUDECODE": "1"}
	url, s := serve(t, Socket)
	s.o.App.Getenv = func(name string) string { return env[name] }
	t.Chdir(t.TempDir())
	status, text := call(t, "POST", url+"/v1/checkpoints", `{"project":"`+t.TempDir()+`","state":{}}`)
	if status != 201 || strings.Contains(text, "inherited") || strings.Contains(text, "session_id") {
		t.Errorf("got %d, %s, want a save of no session", status, text)
	}
}

// TestConnections: who only connects cannot take all that the process may have open.
func TestConnections(t *testing.T) {
	for _, c := range []struct {
		name  string
		files uint64
		want  int
	}{
		{"as many as wanted", 1 << 20, maxConnections},
		{"no bound", math.MaxUint64, maxConnections},
		{"not known", 0, maxConnections},
		{"a usual limit", 1024, 256},
		{"next to none", 3, 1},
	} {
		if got := connections(c.files); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}
