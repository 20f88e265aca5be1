//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// loadEnv is how long the load test runs; a few seconds when unset.
const loadEnv = "PITON_TEST_LOAD"

// load is many sessions whose hooks run as processes, as fast as the machine lets
// them, and listeners of which some are slow, failing or dead.
type load struct {
	t        *testing.T
	dir      string
	env      []string
	hook     string // the program piton-hook
	program  string // the program piton
	sessions int
	at       chan struct{} // how many hooks run at once
	webhooks *webhooks

	mu      sync.Mutex
	took    map[string][]time.Duration // by event
	prompts map[string]int             // by session, acknowledged
	stops   int
}

// TestLoad lets many sessions run, with a daemon that is killed every few seconds
// and without one: no letter is lost, no prompt is forgotten, and what the listeners
// got is what the outbox says. With PITON_TEST_LOAD=60s it is the long form, whose
// figures are printed.
func TestLoad(t *testing.T) {
	need.Program(t, "git")
	long, sessions, every := 1500*time.Millisecond, 8, 500*time.Millisecond
	if env := os.Getenv(loadEnv); env != "" {
		d, err := time.ParseDuration(env)
		if err != nil {
			t.Fatal(err)
		}
		long, sessions, every = d, 200, 5*time.Second
	}
	hook, program := filepath.Join(builtHook(t), "piton-hook"), need.Program(t, "piton")
	for _, c := range []struct {
		name         string
		daemon, away bool // away: the shared store is PostgreSQL, which is stopped now and then
	}{
		{"no daemon", false, false},
		{"a daemon that is killed", true, false},
		{"a daemon that is killed, PostgreSQL that is stopped", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if os.Getenv(loadEnv) == "" {
				t.Parallel() // what is slow waits; the long form's figures are of one alone
			}
			l := newLoad(t, program, hook, sessions)
			var server *loadServer
			if c.away {
				server = l.startServer(every)
			}
			var d *loadDaemon
			if c.daemon {
				d = l.startDaemon(every)
			}
			began := time.Now()
			l.run(began.Add(long))
			took := time.Since(began)
			if c.away {
				server.quiet()
			}
			if c.daemon {
				d.quiet()
			}
			l.drain(c.daemon)
			if c.daemon {
				d.end()
			}
			l.report(took, d)
			l.compare()
			if c.away {
				server.compare()
			}
		})
	}
}

func newLoad(t *testing.T, program, hook string, sessions int) *load {
	// The path of a socket is short, and that of a test's folder may be long.
	dir, err := os.MkdirTemp("", "piton")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l := &load{t: t, dir: dir, program: program, hook: hook, sessions: sessions, at: make(chan struct{}, 4), took: map[string][]time.Duration{}, prompts: map[string]int{}}
	l.webhooks = newWebhooks(t)
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PITON_") {
			l.env = append(l.env, pair)
		}
	}
	l.env = append(l.env, "HOME="+l.dir, "PITON_HOME="+l.dir+"/state", "XDG_CONFIG_HOME="+l.dir+"/config", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	l.write("config/piton/config.yaml", l.webhooks.settings())
	for i := range 10 {
		dir := l.project(i)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
			t.Fatalf("git init: %v\n%s", err, out)
		}
	}
	return l
}

func (l *load) project(session int) string {
	return filepath.Join(l.dir, fmt.Sprint("project", session%10))
}

func (l *load) write(name, text string) string {
	l.t.Helper()
	path := filepath.Join(l.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
	return path
}

// run lets all sessions work until a time, each prompt to its stop.
func (l *load) run(end time.Time) {
	var all sync.WaitGroup
	for i := range l.sessions {
		all.Go(func() { l.session(i, end) })
	}
	all.Wait()
}

func (l *load) session(i int, end time.Time) {
	id := fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
	log := l.write(fmt.Sprint("logs/", id, ".jsonl"), "")
	send := func(event string, more map[string]any) bool {
		payload := map[string]any{"session_id": id, "transcript_path": log, "cwd": l.project(i), "hook_event_name": event}
		for k, v := range more {
			payload[k] = v
		}
		return l.send(event, payload)
	}
	send("SessionStart", map[string]any{"source": "startup"})
	for n := 1; n == 1 || time.Now().Before(end); n++ {
		prompt := fmt.Sprint(id, "-", n)
		now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		answer := fmt.Sprintf("Answer %d of session %d.", n, i)
		user, _ := json.Marshal(map[string]any{"type": "user", "uuid": "u" + prompt, "promptId": prompt, "sessionId": id, "timestamp": now, "origin": map[string]string{"kind": "human"}, "message": map[string]string{"role": "user", "content": "do it"}})
		said, _ := json.Marshal(map[string]any{"type": "assistant", "uuid": "a" + prompt, "parentUuid": "u" + prompt, "sessionId": id, "timestamp": now, "message": map[string]any{"role": "assistant", "stop_reason": "end_turn", "content": []map[string]string{{"type": "text", "text": answer}}}})
		if send("UserPromptSubmit", map[string]any{"prompt_id": prompt, "prompt": "do it"}) {
			l.mu.Lock()
			l.prompts[id]++
			l.mu.Unlock()
		}
		f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = fmt.Fprintf(f, "%s\n%s\n", user, said)
			f.Close()
		}
		if err != nil {
			l.t.Error(err)
			return
		}
		for c := range 3 {
			send("PostToolUse", map[string]any{"prompt_id": prompt, "tool_name": "Read", "tool_use_id": fmt.Sprint(prompt, ".", c), "tool_input": map[string]string{"file_path": l.project(i) + "/a"}, "tool_response": map[string]string{}})
		}
		send("Notification", map[string]any{"prompt_id": prompt, "message": "Claude needs your permission", "notification_type": "permission_prompt"})
		if send("Stop", map[string]any{"prompt_id": prompt, "stop_hook_active": false, "last_assistant_message": answer}) {
			l.mu.Lock()
			l.stops++
			l.mu.Unlock()
		}
	}
}

// send runs one hook, and reports whether it ended well.
func (l *load) send(event string, payload map[string]any) bool {
	l.at <- struct{}{}
	defer func() { <-l.at }()
	body, err := json.Marshal(payload)
	if err != nil {
		l.t.Error(err)
		return false
	}
	c := exec.Command(l.hook, "claude")
	c.Env, c.Stdin = l.env, strings.NewReader(string(body))
	var errs strings.Builder
	c.Stderr = &errs
	began := time.Now()
	out, err := c.Output()
	took := time.Since(began)
	if err != nil || errs.Len() > 0 {
		l.t.Errorf("%s: got %v, stderr %q, want a hook that ends well and quietly", event, err, errs.String())
		return false
	}
	if strings.Contains(string(out), `"block"`) {
		l.t.Errorf("%s: got %s, want nobody held", event, out)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took[event] = append(l.took[event], took)
	return true
}

// piton runs a command of ours to its end.
func (l *load) piton(args ...string) (string, error) {
	c := exec.Command(l.program, args...)
	c.Dir, c.Env = l.dir, l.env
	out, err := c.CombinedOutput()
	return string(out), err
}

// query reads the local file.
func (l *load) query(q string, scan func(*sql.Rows) error) {
	l.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+l.dir+"/state/piton.db?mode=ro")
	if err != nil {
		l.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(q)
	if err != nil {
		l.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			l.t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		l.t.Fatal(err)
	}
}

// quantile of some durations, 0 of none.
func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return all[min(int(q*float64(len(all))), len(all)-1)]
}
