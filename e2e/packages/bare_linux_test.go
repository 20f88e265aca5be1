// Package packages installs what scripts/dist makes, each way, in a bare root, and uses it
// there until an agent is held. Tests only.
package packages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/need"
)

// bare is a root with a shell, git and what a test adds, and nothing else: no Go.
type bare struct {
	t   *testing.T
	dir string
	env []string
}

const (
	project  = "/home/ada/calc"
	clientID = "11111111-1111-4111-8111-111111111111" // the session, as its client calls it
)

func newBare(t *testing.T, programs ...string) *bare {
	t.Helper()
	if os.Getuid() != 0 {
		need.Missing(t, "only root may change its root")
	}
	need.Program(t, "unshare")
	r := &bare{t: t, dir: t.TempDir(), env: []string{"HOME=/home/ada", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}}
	for _, dir := range []string{"bin", "usr/bin", "tmp", "proc", "dev", "home/ada/.claude"} {
		check(t, os.MkdirAll(r.path(dir), 0o755))
	}
	if err := syscall.Mknod(r.path("dev/null"), syscall.S_IFCHR|0o666, 1<<8|3); err != nil {
		need.Missing(t, "a device cannot be made: "+err.Error())
	}
	for _, name := range append(programs, "busybox", "git") {
		r.add(need.Program(t, name))
	}
	check(t, os.Symlink("/usr/bin/busybox", r.path("bin/sh")))
	r.write("usr/bin/claude", "#!/bin/sh\necho '2.1.330 (Claude Code)'\n")
	r.write("home/ada/calc/go.mod", "module example.com/calc\n")
	r.write("home/ada/calc/calc.go", "package calc\n\nfunc Add(a, b int) int { return a - b }\n")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "A calculator"}} {
		run(t, nil, append([]string{"git", "-C", r.path(project)}, args...)...)
	}
	check(t, os.Chmod(r.path("tmp"), 0o1777))
	if out, err := r.command("/").CombinedOutput(); err != nil {
		need.Missing(t, "a root cannot be entered here: "+string(out))
	}
	r.run("busybox", "--install", "-s", "/bin")
	check(t, os.Symlink("/bin/env", r.path("usr/bin/env")))
	return r
}

func (r *bare) path(name string) string { return filepath.Join(r.dir, name) }

func (r *bare) write(name, text string) {
	r.t.Helper()
	check(r.t, os.MkdirAll(filepath.Dir(r.path(name)), 0o755))
	check(r.t, os.WriteFile(r.path(name), []byte(text), 0o755))
}

// add puts a program of this machine there, with the libraries that it needs.
func (r *bare) add(program string) {
	r.t.Helper()
	files := map[string]string{program: "/usr/bin/" + filepath.Base(program)}
	out, _ := exec.Command("ldd", program).Output() // it fails for a static one
	for word := range strings.FieldsSeq(string(out)) {
		if filepath.IsAbs(word) {
			files[word] = word
		}
	}
	for from, to := range files {
		text, err := os.ReadFile(from)
		check(r.t, err)
		r.write(to, string(text))
	}
}

// command is a program started in the root; without one, a shell that does nothing.
func (r *bare) command(dir string, args ...string) *exec.Cmd {
	if len(args) == 0 {
		args = []string{"/bin/sh", "-c", "exit"}
	}
	const enter = `mount --bind /proc "$1/proc" && root=$1 && shift && exec chroot "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$@"`
	c := exec.Command("unshare", append([]string{"-m", "sh", "-c", enter, "sh", r.dir, dir}, args...)...)
	c.Env = r.env
	return c
}

// run runs a program in the project, which must succeed, and returns what it prints.
func (r *bare) run(args ...string) string {
	r.t.Helper()
	out, err := r.command(project, args...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// hook hands an event to the command that the client's settings name for it.
func (r *bare) hook(event string, more map[string]any) string {
	r.t.Helper()
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	text, err := os.ReadFile(r.path("home/ada/.claude/settings.json"))
	check(r.t, err)
	check(r.t, json.Unmarshal(text, &settings))
	if len(settings.Hooks[event]) == 0 {
		r.t.Fatalf("no hook for %s in %s", event, text)
	}
	payload := map[string]any{"session_id": clientID, "transcript_path": "/home/ada/log.jsonl", "cwd": project, "hook_event_name": event}
	maps.Copy(payload, more)
	in, err := json.Marshal(payload)
	check(r.t, err)
	c := r.command(project, "/bin/sh", "-c", settings.Hooks[event][0].Hooks[0].Command)
	c.Stdin = bytes.NewReader(in)
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("the hook for %s: %v\n%s", event, err, out)
	}
	return string(out)
}

// firstHeldTurn sets up the client, and plays a turn in which a file is changed and no test
// is run: a prompt, 40 seconds of work, the call of a tool, a stop. Nothing is set.
func (r *bare) firstHeldTurn() {
	r.t.Helper()
	if got := r.run("piton", "version"); got != "piton "+version+"\n" {
		r.t.Fatalf("got %q, want %s", got, version)
	}
	r.run("piton", "init", "--agent", "claude")
	r.hook("SessionStart", map[string]any{"source": "startup"})
	began := time.Now().Add(-40 * time.Second)
	r.log(began, `"type":"user","message":{"role":"user","content":"make Add add"},"origin":{"kind":"human"},"promptSource":"typed","turnOrigin":"human"`)
	r.hook("UserPromptSubmit", map[string]any{"prompt": "make Add add"})
	r.promptedAt(began)
	r.write(project+"/calc.go", "package calc\n\nfunc Add(a, b int) int { return a + b }\n")
	r.log(time.Now(), `"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_1","name":"Write","input":{"file_path":"`+project+`/calc.go"}}]}`)
	r.log(time.Now(), `"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"written","is_error":false}]},"toolUseResult":{"type":"update","filePath":"`+project+`/calc.go"}`)
	if got := r.hook("Stop", map[string]any{"last_assistant_message": "Done."}); !strings.Contains(got, "[Piton Checkpoint]") || !strings.Contains(got, "calc.go") {
		r.t.Fatalf("the stop was not held: %q\n%s", got, r.run("piton", "explain", "--limit", "1"))
	}
}

// promptedAt puts the prompt back in time, in the store, since the hooks' clock cannot be:
// what a turn must last is measured between a prompt and a stop.
func (r *bare) promptedAt(at time.Time) {
	r.t.Helper()
	ctx := context.Background()
	st, err := sqlite.Open(ctx, r.path("home/ada/.local/state/piton/piton.db"), sqlite.Options{Existing: true})
	check(r.t, err)
	local := st.Local()
	s, err := local.SessionByClient(ctx, "claude", clientID)
	check(r.t, err)
	turn, err := local.Turn(ctx, s.ID, s.Turn)
	check(r.t, err)
	s.LastMessageAt, s.PromptedAt, turn.StartedAt = piton.At(at), piton.At(at), piton.At(at)
	check(r.t, local.Update(ctx, func(tx store.LocalTx) error {
		return errors.Join(tx.PutSession(ctx, redact.Value(s)), tx.PutTurn(ctx, redact.Value(turn)))
	}))
	check(r.t, st.Close())
}

func (r *bare) log(at time.Time, members string) {
	r.t.Helper()
	f, err := os.OpenFile(r.path("home/ada/log.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	check(r.t, err)
	_, err = fmt.Fprintf(f, `{"parentUuid":null,"isSidechain":false,%s,"uuid":"u%d","timestamp":%q,"userType":"external","cwd":%q,"sessionId":"`+clientID+`","version":"2.1.330","gitBranch":"main"}`+"\n",
		members, time.Now().UnixNano(), at.UTC().Format("2006-01-02T15:04:05.000Z"), project)
	check(r.t, err)
	check(r.t, f.Close())
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a program of this machine, which must succeed.
func run(t testing.TB, env []string, args ...string) string {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}
