// Package langgraph runs real graphs of LangGraph, and its suite for checkpointers, on
// the saver of savers/langgraph and a real 'piton serve'.
package langgraph

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

const saver = "../../savers/langgraph"

// TestSaver runs the saver's own tests: the suite over the socket and over HTTP, graphs
// that are killed, fork and wait, hostile ids, lost answers, a daemon that is killed.
func TestSaver(t *testing.T) {
	node, modules := installed(t)
	c := exec.Command(node, filepath.Join(modules, "vitest/vitest.mjs"), "run")
	c.Dir = saver
	c.Env = append(os.Environ(), "TEST_PITON="+built(t), "HOME="+t.TempDir(), "NO_COLOR=1", "CI=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("got %v\n%s", err, tail(string(out)))
	} else if !strings.Contains(string(out), "passed") || strings.Contains(string(out), "skipped") {
		t.Errorf("got %s, want all tests to have run", tail(string(out)))
	}
}

// TestExample runs examples/langgraph.mjs as its first lines say: the second process goes
// on where the first one waits, and Piton's commands show the thread.
func TestExample(t *testing.T) {
	node, modules := installed(t)
	program, home, dir := built(t), shortDir(t), t.TempDir()
	source, err := os.ReadFile("../../examples/langgraph.mjs")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs(saver)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "langgraph.mjs"), source, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "node_modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"piton-langgraph": folder, "@langchain": filepath.Join(modules, "@langchain")} {
		if err := os.Symlink(to, filepath.Join(dir, "node_modules", name)); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "PITON_HOME=" + home}
	serve(t, program, env)
	run := func(argv ...string) string {
		c := exec.Command(argv[0], argv[1:]...)
		c.Dir, c.Env = dir, env
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: got %v\n%s", argv, err, out)
		}
		return string(out)
	}
	for _, x := range []struct{ answer, want string }{
		{"", "found three sources\nwaits for a person: Are these enough?\n"},
		{"yes", "found three sources\na person says: yes\n"},
	} {
		if got := run(append([]string{node, "langgraph.mjs"}, strings.Fields(x.answer)...)...); got != x.want {
			t.Errorf("langgraph.mjs %s: got %q, want %q", x.answer, got, x.want)
		}
	}
	project := filepath.Join(home, "langgraph")
	if got := run(program, "list", "--project", project, "--workflow", "report-7"); !strings.Contains(got, "loop") {
		t.Errorf("list: got %s, want the steps of the thread", got)
	}
	if got := run(program, "load", "--project", project, "--workflow", "report-7"); !strings.Contains(got, "a person says: yes") {
		t.Errorf("load: got %s, want the state as JSON", got)
	}
}

// installed is where node and the packages of the saver's tests are.
func installed(t *testing.T) (node, modules string) {
	t.Helper()
	node = need.Program(t, "node")
	modules, err := filepath.Abs(filepath.Join(saver, "node_modules"))
	if err == nil {
		_, err = os.Stat(filepath.Join(modules, "vitest"))
	}
	if err != nil {
		need.Missing(t, "LangGraph is not installed: e2e/install")
	}
	return node, modules
}

func built(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "piton")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/piton").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// shortDir is a folder in which a socket's path is short enough.
func shortDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "lg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serve starts 'piton serve' and waits for its socket.
func serve(t *testing.T, program string, env []string) {
	t.Helper()
	c := exec.Command(program, "serve")
	c.Env = env
	c.Dir = strings.TrimPrefix(env[len(env)-1], "PITON_HOME=")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
	})
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(c.Dir, "piton.sock")); err == nil {
			return
		}
	}
	t.Fatal("the daemon does not begin to serve")
}

// tail is the end of a long output.
func tail(s string) string { return s[max(0, len(s)-6000):] }
