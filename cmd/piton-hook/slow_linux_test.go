package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// mostTime is how long a hook may take where something does not answer; beside the
// bound, what a busy machine takes to start programs.
const mostTime = 2*time.Second + 8*time.Second/10

// TestSlow: what does not answer in a work tree keeps a hook for two seconds at most, at
// every event, and the person is told once at most.
func TestSlow(t *testing.T) {
	need.Program(t, "git")
	pipe := func(t *testing.T, names ...string) {
		t.Helper()
		for _, name := range names {
			os.RemoveAll(name)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(name, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	program := func(script string) func(*testing.T, *client) {
		return func(t *testing.T, c *client) {
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			c.set("PATH", bin+":"+os.Getenv("PATH"))
		}
	}
	in := func(names ...string) func(*testing.T, *client) {
		return func(t *testing.T, c *client) {
			for _, name := range names {
				pipe(t, filepath.Join(c.project, name))
			}
		}
	}
	for _, x := range []struct {
		name string
		make func(t *testing.T, c *client)
	}{
		{"a git that sleeps", program("exec sleep 60")},
		{"a git that is stopped", program("kill -STOP $$")},
		{"a git that ignores SIGTERM", program("trap '' TERM; while :; do sleep 1; done")},
		{"a git that writes without an end", program("exec yes")},
		{"HEAD", in(".git/HEAD")},
		{"the index", in(".git/index")},
		{"the repository's settings", in(".git/config")},
		{"packed refs", in(".git/packed-refs")},
		{"a branch", in(".git/refs/heads/main", ".git/refs/heads/master")},
		{"what is excluded", in(".git/info/exclude")},
		{"the git folder", in(".git")},
		{".gitignore", in(".gitignore")},
		{".gitignore below", in("a/b/.gitignore")},
		{"untracked files", in("a.go", "b.py", "c.ts", "test_d.py")},
		{"manifests", in("go.mod", "package.json", "pyproject.toml", "Cargo.toml")},
		{"task files", in("Makefile", "justfile", "Taskfile.yml", "compose.yaml")},
		{"settings of the project", in(".piton.yaml")},
		{"settings of the client", in(".claude/settings.json", ".claude/settings.local.json")},
		{"plans", in("todos/a/implementation-plan.md", "todos/b")},
		{"the transcript", func(t *testing.T, c *client) { pipe(t, filepath.Join(c.home, "s1.jsonl")) }},
		{"the log", func(t *testing.T, c *client) { pipe(t, filepath.Join(c.piton, "piton.log")) }},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			var slow string
			for range 3 { // a busy machine may be slow itself
				if slow = slowest(t, x.make); slow == "" {
					return
				}
			}
			t.Error(slow)
		})
	}
}

// slowest says which event took too long where something does not answer; "" for none.
func slowest(t *testing.T, make func(*testing.T, *client)) (slow string) {
	t.Helper()
	c := start(t)
	c.repository("main.go", "package a\n")
	c.hook(c.event("SessionStart", nil))
	make(t, c)
	told := 0
	for _, e := range []string{"UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"} {
		began := time.Now()
		got := c.hook(c.event(e, map[string]any{"prompt": "go on", "tool_name": "Bash", "tool_input": map[string]any{"command": "rm -rf x"}}))
		if took := time.Since(began); took > mostTime {
			slow = fmt.Sprintf("%s: took %s, want 2s at most", e, took)
		}
		if strings.Contains(got, missed) {
			told++
		}
	}
	if told > 1 {
		t.Errorf("the person was told %d times, want once", told)
	}
	return slow
}

// TestStdinStaysOpen: a client that does not close its pipe keeps a hook no longer than
// the event takes that came, and two seconds where it never comes whole.
func TestStdinStaysOpen(t *testing.T) {
	for _, x := range []struct {
		name   string
		pieces []string
		most   time.Duration
		kept   bool
	}{
		{"a whole event", []string{`{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"a \\\"}{\\\\"}`}, mostTime / 2, true},
		{"in pieces", []string{`{"session_id":"s1","hook_ev`, `ent_name":"UserPromptSubmit","a":[{}],"prom`, `pt":"a}"}`}, mostTime / 2, true},
		{"a large one", []string{`{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"` + strings.Repeat("x}", 1<<20), `"}` + "\n"}, mostTime / 2, true},
		{"a part of an event", []string{`{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"a"`}, mostTime, false},
		{"nothing", nil, mostTime, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			var took time.Duration
			for range 3 { // a busy machine may be slow itself
				c := start(t)
				in, hold, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				go func() {
					for _, p := range x.pieces {
						_, _ = hold.WriteString(p)
						time.Sleep(20 * time.Millisecond)
					}
				}()
				giveUp := time.AfterFunc(3*mostTime, func() { hold.Close() })
				began := time.Now()
				c.hook(in)
				took = time.Since(began)
				giveUp.Stop()
				in.Close()
				hold.Close()
				if kept := strings.Contains(c.kept(), "SQLite format"); kept != x.kept || x.kept == strings.Contains(c.log(), "given up") {
					t.Fatalf("got a store: %v, and the log %q", kept, c.log())
				}
				if took < x.most {
					return
				}
			}
			t.Errorf("took %s, want less than %s", took, x.most)
		})
	}
}
