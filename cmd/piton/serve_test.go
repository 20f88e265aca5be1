//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// soonEnough is how long a test waits for something that must come.
const soonEnough = 60 * time.Second

// house is a home with a project, in which daemons are started and killed.
type house struct {
	*testing.T
	dir string
	env []string
}

func newHouse(t *testing.T) *house {
	// The path of a socket is short, and that of a test's folder may be long.
	dir, err := os.MkdirTemp("", "piton")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := &house{T: t, dir: dir}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PITON_") && !strings.HasPrefix(pair, "CLAUDE") {
			h.env = append(h.env, pair)
		}
	}
	h.env = append(h.env, "HOME="+dir, "PITON_HOME="+h.home(), "XDG_CONFIG_HOME="+dir+"/config")
	return h
}

func (h *house) home() string { return filepath.Join(h.dir, "state") }

func (h *house) piton(args ...string) *exec.Cmd {
	c := exec.Command(need.Program(h.T, "piton"), args...)
	c.Dir, c.Env = h.dir, h.env
	return c
}

// run runs a command, which must succeed.
func (h *house) run(args ...string) string {
	h.Helper()
	c := h.piton(args...)
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		h.Fatalf("piton %s: %v\n%s%s", strings.Join(args, " "), err, out, errs.String())
	}
	return string(out)
}

// served is a daemon at work.
type served struct {
	*house
	cmd  *exec.Cmd
	mu   sync.Mutex
	log  []string
	read chan struct{} // closed at the end of its log
}

// serve starts a daemon and waits until it serves.
func (h *house) serve(args ...string) *served {
	h.Helper()
	d := &served{house: h, cmd: h.piton(append([]string{"serve", "--json"}, args...)...), read: make(chan struct{})}
	out, err := d.cmd.StdoutPipe()
	if err == nil {
		d.cmd.Stderr = os.Stderr
		err = d.cmd.Start()
	}
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		<-d.read
		_ = d.cmd.Wait()
		if h.Failed() {
			h.Logf("the daemon's log:\n%s", strings.Join(d.log, "\n"))
		}
	})
	go func() {
		defer close(d.read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			d.mu.Lock()
			d.log = append(d.log, lines.Text())
			d.mu.Unlock()
		}
	}()
	d.says("the daemon serves")
	return d
}

// says waits until the log has a line with these words, and returns it.
func (d *served) says(words string) (line string) {
	d.Helper()
	d.await("the log to say "+words, func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, l := range d.log {
			if strings.Contains(l, words) {
				line = l
				return true
			}
		}
		return false
	})
	return line
}

// await waits until something is so.
func (h *house) await(what string, is func() bool) {
	h.Helper()
	for end := time.Now().Add(soonEnough); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			h.Fatalf("waited in vain for %s", what)
		}
	}
}

// end sends a signal and waits until the daemon has ended.
func (d *served) end(s syscall.Signal) (code int) {
	d.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.Fatal(err)
	}
	<-d.read
	_ = d.cmd.Wait()
	return d.cmd.ProcessState.ExitCode()
}

// call calls the API over the socket.
func (h *house) call(method, path, body string) (int, string) {
	h.Helper()
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", h.home()+"/piton.sock")
	}}}
	q, err := http.NewRequestWithContext(h.Context(), method, "http://piton"+path, strings.NewReader(body))
	if err != nil {
		h.Fatal(err)
	}
	if body != "" {
		q.Header.Set("Content-Type", "application/json")
	}
	r, err := c.Do(q)
	if err != nil {
		h.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		h.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// There is one daemon for each home: a second one is told who is there, and one whose
// daemon was killed begins where that was.
func TestOneDaemon(t *testing.T) {
	h := newHouse(t)
	d := h.serve()
	out, err := h.piton("serve").CombinedOutput()
	if want := fmt.Sprintf("process %d,", d.cmd.Process.Pid); err == nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "panic") {
		t.Errorf("a second daemon: got %v, %s, want an error with %q", err, out, want)
	}
	if code, _ := h.call("GET", "/healthz", ""); code != http.StatusNoContent && code != http.StatusOK {
		t.Errorf("got status %d from the first one", code)
	}
	if info, err := os.Stat(h.home() + "/piton.sock"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: got %v, %v, want mode 0600", info, err)
	}
	d.end(syscall.SIGKILL)
	if _, err := os.Stat(h.home() + "/piton.sock"); err != nil {
		t.Fatalf("got %v, want the socket of the killed one still there", err)
	}
	d = h.serve() // removes it
	if code, _ := h.call("GET", "/healthz", ""); code != http.StatusNoContent && code != http.StatusOK {
		t.Errorf("got status %d from the next one", code)
	}
	if code := d.end(syscall.SIGTERM); code != 0 {
		t.Errorf("SIGTERM: got exit status %d, want 0", code)
	}
	if _, err := os.Stat(h.home() + "/piton.sock"); !os.IsNotExist(err) {
		t.Errorf("got %v, want no socket after an orderly end", err)
	}
}

// What cannot be served is refused, with what to do.
func TestServeRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		given func(h *house)
		want  string
	}{
		{"an address that others reach", []string{"--listen", "0.0.0.0:0"}, nil, "loopback"},
		{"an address of the network", []string{"--listen", "192.0.2.1:80"}, nil, "loopback"},
		{"a name", []string{"--listen", "localhost:80"}, nil, "loopback"},
		{"no port", []string{"--listen", "127.0.0.1"}, nil, "loopback"},
		{"a file in the place of the socket", nil, func(h *house) { h.put("piton.sock", "mine", 0o600) }, "is not a socket"},
		{"a token that others can read", []string{"--listen", "127.0.0.1:0"}, func(h *house) { h.put("token", strings.Repeat("x", 40), 0o644) }, "0644"},
		{"an empty token", []string{"--listen", "127.0.0.1:0"}, func(h *house) { h.put("token", "\n", 0o600) }, "no token"},
		{"a token that is a link", []string{"--listen", "127.0.0.1:0"}, func(h *house) { h.put("other", strings.Repeat("x", 40), 0o600); h.link("other", "token") }, "regular"},
		{"a path that is too long", nil, func(h *house) { h.env = append(h.env, "PITON_HOME="+h.dir+"/"+strings.Repeat("x", 100)) }, "PITON_HOME"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			if c.given != nil {
				c.given(h)
			}
			out, err := h.piton(append([]string{"serve"}, c.args...)...).CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.want) {
				t.Errorf("got %v, %s, want an error with %q", err, out, c.want)
			}
		})
	}
}

func (h *house) put(name, text string, mode os.FileMode) {
	h.Helper()
	if err := os.MkdirAll(h.home(), 0o700); err != nil {
		h.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.home(), name), []byte(text), mode); err != nil {
		h.Fatal(err)
	}
}

func (h *house) link(to, name string) {
	h.Helper()
	if err := os.Symlink(to, filepath.Join(h.home(), name)); err != nil {
		h.Fatal(err)
	}
}

// The token is made once, and is for its user alone.
func TestToken(t *testing.T) {
	h := newHouse(t)
	d := h.serve("--listen", "127.0.0.1:0")
	first, err := os.ReadFile(h.home() + "/token")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(h.home() + "/token"); err != nil || info.Mode().Perm() != 0o600 || len(first) < 40 {
		t.Errorf("got %v, %v, %d bytes, want a file of mode 0600", info, err, len(first))
	}
	var said struct{ Address string }
	if err := json.Unmarshal([]byte(d.says("programs with the token")), &said); err != nil || !strings.HasPrefix(said.Address, "127.0.0.1:") {
		t.Errorf("got the address %q, %v, want the one it listens on", said.Address, err)
	}
	d.end(syscall.SIGTERM)
	d = h.serve("--listen", "127.0.0.1:0")
	if again, err := os.ReadFile(h.home() + "/token"); err != nil || string(again) != string(first) {
		t.Errorf("got another token at the second start (%v)", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.log {
		if strings.Contains(l, strings.TrimSpace(string(first))) {
			t.Errorf("the log has the token: %s", l)
		}
	}
}
