package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/event"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

func TestAnyInput(t *testing.T) {
	c := start(t)
	for _, x := range []struct {
		name string
		in   string
		args []string
	}{
		{"nothing", "", nil},
		{"binary", "\x00\xff\x1b", nil},
		{"wrong types", `{"session_id":"a","hook_event_name":"Stop","cwd":7,"background_tasks":{}}`, nil},
		{"an unknown event", `{"session_id":"a","hook_event_name":"TeaTime"}`, nil},
		{"an event without a session", `{"hook_event_name":"Stop"}`, nil},
		{"no client", `{}`, []string{""}},
		{"another client", `{}`, []string{"clod"}},
		{"too many words", `{}`, []string{"claude", "--help"}},
		{"a flag", ``, []string{"-x"}},
		{"a transcript without end", `{"session_id":"a","hook_event_name":"Stop","transcript_path":"/dev/zero"}`, nil},
		{"a folder that is none", `{"session_id":"b","hook_event_name":"Stop","cwd":"/none/at/all"}`, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			c.TB = t
			if got := c.hook(strings.NewReader(x.in), x.args...); got != "" {
				t.Errorf("got %q, want silence", got)
			}
		})
	}
	c.TB = t
	if got := c.files(); got != "" {
		t.Errorf("got %s, want nothing written outside PITON_HOME", got)
	}
	if got := c.hook(strings.NewReader(""), "--version"); !strings.HasPrefix(got, "piton-hook ") {
		t.Errorf("got %q, want the version", got)
	}
	if got := c.hook(strings.NewReader(""), "--help"); !strings.Contains(got, "'piton init' sets it up") {
		t.Errorf("got %q, want a person told where to go", got)
	}
}

// endless is a stream that is never in memory.
type endless struct{ left int }

func (e *endless) Read(b []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), e.left)
	copy(b, bytes.Repeat([]byte("x"), n))
	e.left -= n
	return n, nil
}

func TestHundredMegabytes(t *testing.T) {
	c := start(t)
	in := &endless{100 << 20}
	c.hook(io.MultiReader(strings.NewReader(`{"session_id":"a","hook_event_name":"UserPromptSubmit","prompt":"`), in))
	if in.left > 0 || !strings.Contains(c.log(), "too large") {
		t.Errorf("got %d bytes unread and the log %q, want all read and a line", in.left, c.log())
	}
}

func TestRecordedEvents(t *testing.T) {
	c := start(t)
	files, err := filepath.Glob("../../internal/client/claude/testdata/payloads/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("got no payloads (%v)", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		c.hook(bytes.NewReader(bytes.ReplaceAll(b, []byte("/home/dev/project"), []byte(c.project))))
	}
	c.hook(c.event("UserPromptSubmit", map[string]any{"prompt": "use " + secret}))
	c.hook(strings.NewReader(`{"broken ` + secret))
	kept := c.kept()
	if strings.Contains(kept, secret[:20]) || strings.Contains(kept, "a-word-of-the-environment") {
		t.Error("got a secret or the environment in what Piton wrote")
	}
	if !strings.Contains(kept, "[REDACTED:") {
		t.Error("got no mark, want the prompt kept without its secret")
	}
	if got := c.files(); got != "" {
		t.Errorf("got %s, want nothing written outside PITON_HOME", got)
	}
	for _, name := range []string{"", "piton.db", "piton.log"} {
		if info, err := os.Stat(filepath.Join(c.piton, name)); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q: got mode %v (%v), want it for its owner alone", name, info.Mode(), err)
		}
	}
}

func TestPlaces(t *testing.T) {
	for _, x := range []struct {
		name string
		set  func(c *client)
		db   func(c *client) string // where the store is made; nil: nowhere
	}{
		{"by default", func(c *client) { c.set("PITON_HOME", "") }, func(c *client) string { return c.home + "/.local/state/piton/piton.db" }},
		{"no HOME", func(c *client) { c.set("HOME", ""); c.set("PITON_HOME", ""); c.set("XDG_STATE_HOME", c.tmp) }, func(c *client) string { return c.tmp + "/piton/piton.db" }},
		{"no PATH: no git", func(c *client) { c.set("PATH", "") }, func(c *client) string { return c.piton + "/piton.db" }},
		{"a store of one's own", func(c *client) { c.set("PITON_STORE", "sqlite:"+c.tmp+"/x.db") }, func(c *client) string { return c.tmp + "/x.db" }},
		{"a store elsewhere is none of a hook's business", func(c *client) { c.set("PITON_STORE", "postgres://x") }, func(c *client) string { return c.piton + "/piton.db" }},
		{"below a file", func(c *client) { c.set("PITON_HOME", "/dev/null/piton") }, nil},
		{"where nobody can write", func(c *client) { c.set("PITON_HOME", "/proc/piton") }, nil},
		{"a folder in the store's place", func(c *client) {
			if err := os.MkdirAll(filepath.Join(c.piton, "piton.db"), 0o700); err != nil {
				c.Fatal(err)
			}
		}, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := start(t)
			x.set(c)
			c.logs(`{"type":"user","message":{"role":"user","content":"hi"},"timestamp":"` + time.Now().UTC().Format(time.RFC3339) + `","version":"2.1.300"}` + "\n")
			for _, e := range []string{"SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"} {
				got := c.hook(c.event(e, map[string]any{"prompt": "hi"}))
				if told := e == "Stop" && x.db == nil; got != "" && !told || told && !strings.Contains(got, missed) {
					t.Errorf("%s: got %q, want silence, and the person told at a stop of what is not saved", e, got)
				}
			}
			if x.db == nil {
				return
			}
			if info, err := os.Stat(x.db(c)); err != nil || !info.Mode().IsRegular() {
				t.Errorf("got %v, want the store at %s", err, x.db(c))
			}
		})
	}
}

func TestSettings(t *testing.T) {
	c := start(t)
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(c.home, ".config", "piton", "config.yaml"), "debrief: {mode: on, min_turm: 3s}\n")
	write(filepath.Join(c.project, ".piton.yaml"), "store: sqlite:"+c.tmp+"/theirs.db\ndebrief: {reply: block}\n")
	c.set("PITON_DEBRIEF_TIMER", "sundial")
	c.hook(c.event("UserPromptSubmit", map[string]any{"prompt": "hi"}))
	c.hook(c.event("Stop", nil))
	for _, want := range []string{"did you mean debrief.min_turn?", "sundial", "store cannot be set by a project's file"} {
		if !strings.Contains(c.log(), want) {
			t.Errorf("got the log %s, want %q in it", c.log(), want)
		}
	}
	if strings.Contains(c.files(), "theirs.db") {
		t.Error("got the store that a project's file chose")
	}
}

func TestLockedStore(t *testing.T) {
	c := start(t)
	c.hook(c.event("UserPromptSubmit", map[string]any{"prompt": "hi"}))
	st, err := sqlite.Open(t.Context(), filepath.Join(c.piton, "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	locked, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- st.Update(context.Background(), func(store.LocalTx) error { close(locked); <-release; return nil })
	}()
	<-locked
	begin := time.Now()
	if got := c.hook(c.event("Stop", nil)); !strings.HasPrefix(got, `{"systemMessage":"`+missed) {
		t.Errorf("got %q, want the agent let go and the person told", got)
	}
	if took := time.Since(begin); took < event.LockWait { // and it has ended while the lock is held
		t.Errorf("got it done after %s, want it to wait for %s", took, event.LockWait)
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(c.log(), "another process") {
		t.Errorf("got the log %q, want why", c.log())
	}
}

func TestManyHooks(t *testing.T) {
	const n = 12
	c := undisturbed(t, func(c *client) {
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				name := []string{"SessionStart", "UserPromptSubmit", "Notification", "SubagentStop"}[i%4]
				c.hook(c.event(name, map[string]any{"session_id": fmt.Sprint("s", i), "prompt": "hi", "agent_id": "", "agent_type": "x"}))
			})
		}
		wg.Wait()
	})
	st, err := sqlite.Open(t.Context(), filepath.Join(c.piton, "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	list, err := st.Sessions(t.Context(), store.SessionQuery{})
	if err != nil || len(list) != n {
		t.Errorf("got %d sessions (%v), want %d; log %s", len(list), err, n, c.log())
	}
}

// TestStory is one turn as the client reports it, without a repository: an agent
// that edited code with tests, and ran nothing, is held once.
func TestStory(t *testing.T) {
	c := start(t)
	for name, text := range map[string]string{"go.mod": "module shop\n", "a.go": "package shop\n", "a_test.go": "package shop\n"} {
		if err := os.WriteFile(filepath.Join(c.project, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.set("PITON_DEBRIEF_MIN_TURN", "0s")
	if got := c.hook(c.event("UserPromptSubmit", map[string]any{"prompt": "mend it"})); got != "" {
		t.Errorf("got %q, want silence at a prompt", got)
	}
	at := func() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }
	line := `{"isSidechain":false,"message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"` + c.project + `/a.go"}}]},"type":"assistant","timestamp":"` + at() + `","version":"2.1.300"}
{"isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"ok"}]},"timestamp":"` + at() + `","version":"2.1.300"}
`
	if err := os.WriteFile(filepath.Join(c.home, "s1.jsonl"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	var reply struct{ Decision, Reason string }
	got := c.hook(c.event("Stop", map[string]any{"last_assistant_message": ""}))
	if err := json.Unmarshal([]byte(got), &reply); err != nil || reply.Decision != "block" || !strings.HasPrefix(reply.Reason, agent.Prefix) || !strings.Contains(reply.Reason, "run `go test .`") {
		t.Errorf("got %q (%v), want the agent held, and the tests asked for", got, err)
	}
	if got := c.hook(c.event("Stop", map[string]any{"last_assistant_message": "", "stop_hook_active": true})); got != "" {
		t.Errorf("got %q, want it let go", got)
	}
}
