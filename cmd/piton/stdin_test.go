package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// TestOpenStdin saves as programs do that leave a pipe open behind a command:
// it ends soon, and what came is not lost.
func TestOpenStdin(t *testing.T) {
	if os.PathSeparator != '/' {
		need.Missing(t, "a read of a pipe waits for its end on this system")
	}
	for _, x := range []struct {
		name   string
		args   []string
		parts  []string // written one after the other; then the pipe stays open
		status int
		state  string
	}{
		{"nothing, with a name", []string{"--name", "before"}, nil, 0, `{}`},
		{"nothing at all", nil, nil, 2, ""},
		{"nothing, to a workflow", []string{"--workflow", "w"}, nil, 2, ""},
		{"a whole state", nil, []string{`{"x":42}`}, 0, `{"x":42}`},
		{"a state in parts", nil, []string{`{"x":`, `4`, `2}`}, 0, `{"x":42}`},
		{"two states", nil, []string{`{"x":1}`, `{"x":2}`}, 2, ""},
		{"words", nil, []string{"words"}, 2, ""},
		{"white space and a state", nil, []string{"\n \n", `{"x":1}`}, 0, `{"x":1}`},
	} {
		for _, kind := range []string{"pipe", "socket"} {
			t.Run(x.name+", "+kind, func(t *testing.T) {
				t.Parallel()
				ours, theirs := stdinEnds(t, kind)
				defer ours.Close()
				dir := t.TempDir()
				go func() {
					for _, part := range x.parts {
						_, _ = io.WriteString(ours, part)
					}
				}()
				id, said, status := runPiton(t, dir, theirs, append([]string{"save"}, x.args...)...)
				if status != x.status {
					t.Fatalf("got status %d (%s), want %d", status, said, x.status)
				}
				if status != 0 {
					if !strings.Contains(said, "</dev/null") {
						t.Errorf("got %q, want a way out", said)
					}
					if _, err := os.Stat(dir + "/state/piton.db"); err == nil {
						t.Error("something was written")
					}
					return
				}
				if len(x.parts) == 0 && !strings.Contains(said, "was not read; add --state -") {
					t.Errorf("got %q, want it said that stdin was not read", said)
				}
				if got, said, _ := runPiton(t, dir, nil, "load", id); got != x.state {
					t.Errorf("got %s (%s), want %s", got, said, x.state)
				}
			})
		}
	}
}

// runPiton runs the program in a home of its own.
func runPiton(t *testing.T, dir string, in io.Reader, args ...string) (out, said string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := exec.Command(need.Program(t, "piton"), args...)
	c.Env = append(os.Environ(), "PITON_HOME="+dir+"/state", "HOME="+dir, "PITON_STORE=", "CLAUDE_CODE_SESSION_ID=")
	c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, in, &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	_ = c.Wait()
	return strings.TrimSpace(stdout.String()), stderr.String(), c.ProcessState.ExitCode()
}

// stdinEnds are the two ends of a pipe or of a socket.
func stdinEnds(t *testing.T, kind string) (ours, theirs *os.File) {
	t.Helper()
	if kind == "pipe" {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return w, r
	}
	l, err := net.Listen("unix", t.TempDir()+"/s")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ours, err1 := a.(*net.UnixConn).File()
	theirs, err2 := b.(*net.UnixConn).File()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	t.Cleanup(func() { theirs.Close() })
	return ours, theirs
}
