package headless

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/client/codex"
	"github.com/piton-project/piton/internal/client/gemini"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// stage is a folder with clients that are scripts, and a repository.
type stage struct {
	t     *testing.T
	agent *Agent
	bin   string
	home  string
	dir   string
	run   string // its own: what is left of another test's is not ours to end
	log   bytes.Buffer
	notes []action.Note
	said  []string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	root := t.TempDir()
	s := &stage{t: t, run: "run_" + rand.Text(), bin: root + "/bin", home: root + "/home", dir: root + "/project"}
	for _, d := range []string{s.bin, s.home, s.dir} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.agent = &Agent{
		Clients: []client.Client{claude.Client{}, gemini.Client{}, codex.Client{}},
		LookPath: func(name string) (string, error) {
			path := filepath.Join(s.bin, name)
			if _, err := os.Stat(path); err != nil {
				return "", exec.ErrNotFound
			}
			return path, nil
		},
	}
	return s
}

// client writes a client: a script. It finds its call's number in $n, its arguments
// and its prompt in files of that number.
func (s *stage) client(name, script string) {
	s.t.Helper()
	head := "#!/bin/bash\ncd '" + s.dir + "'\nB='" + s.bin + "'\nn=$(($(cat $B/n 2>/dev/null || echo 0) + 1)); echo $n >$B/n\n" +
		"printf '%s\\n' \"$*\" >$B/argv.$n\nenv >$B/env.$n\ncat >$B/prompt.$n\nid=$(sed -n 's/.*--\\(session-id\\|resume\\) \\([^ ]*\\).*/\\2/p' $B/argv.$n)\n" +
		`say() { printf '{"type":"assistant","message":{"id":"m%s","usage":{"input_tokens":%s,"output_tokens":10},"content":[{"type":"text","text":"%s"}]},"session_id":"%s"}\n' "$RANDOM$RANDOM" "${2:-100}" "$1" "$id"; }` + "\n" +
		`init() { printf '{"type":"system","subtype":"init","session_id":"%s","model":"claude-opus-5-5"}\n' "$id"; }` + "\n" +
		`result() { printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","session_id":"%s","total_cost_usd":0.5,"usage":{"input_tokens":100,"output_tokens":10}}\n' "$1" "$id"; }` + "\n" +
		`ends() { init; say "$1"; result "$1"; }` + "\n"
	if err := os.WriteFile(filepath.Join(s.bin, name), []byte(head+script), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// repository makes the folder a repository with one commit.
func (s *stage) repository() {
	s.t.Helper()
	s.write("a.go", "package a\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first"}} {
		c := exec.Command("git", args...)
		c.Dir = s.dir
		if out, err := c.CombinedOutput(); err != nil {
			s.t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// was is what a call of the client has left.
func (s *stage) was(what string, n int) string {
	b, err := os.ReadFile(fmt.Sprintf("%s/%s.%d", s.bin, what, n))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// starts is how often a client was started.
func (s *stage) starts() int {
	for n := 0; ; n++ {
		if _, err := os.Stat(fmt.Sprintf("%s/argv.%d", s.bin, n+1)); err != nil {
			return n
		}
	}
}

func (s *stage) call(parameters map[string]any, checks ...plan.Check) action.Call {
	return action.Call{
		Run: s.run, Step: "work", Attempt: 1, Parameters: parameters, Dir: s.dir, Check: checks, Log: &s.log,
		Key: fmt.Sprintf("key-%s-%d", s.t.Name(), os.Getpid()), // no other run of the tests, at the same time, ends what has it
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=outer", "GEMINI_CLI=1", "CODEX_THREAD_ID=outer", "PITON_STEP_ID=outer"},
		Note: func(_ context.Context, n action.Note) error { // as a store keeps it
			text, err := json.Marshal(n)
			if err != nil {
				return err
			}
			var kept action.Note
			s.notes = append(s.notes, kept)
			return json.Unmarshal(text, &s.notes[len(s.notes)-1])
		},
		Say: func(text string) { s.said = append(s.said, text) },
	}
}

func (s *stage) do(c action.Call) (action.Result, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	return s.agent.Do(ctx, c)
}

// next is the call of the attempt after the one that has noted this.
func next(c action.Call, n action.Note) action.Call {
	c.Attempt++
	c.Noted = n
	return c
}

func prompt(text string) map[string]any { return map[string]any{"prompt": text} }

func with(p map[string]any, name string, v any) map[string]any {
	p[name] = v
	return p
}
