package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/event"
	"github.com/piton-project/piton/internal/testkit/need"
)

// program is the real one, built as it is released, and without the race detector,
// under which each start would take seconds.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "piton-hook")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "piton-hook")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// client starts piton-hook as a client does: as a process of its own, in a
// project, with an environment full of secrets.
type client struct {
	testing.TB
	home, piton, project, tmp string
	env                       []string
	slowest                   atomic.Int64 // of its hooks, in nanoseconds
}

// missed is how a person is told of what hooks could not keep.
const missed = agent.Prefix + "some of this session may not be saved: "

const secret = "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-AA"

func start(t testing.TB) *client {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &client{TB: t, home: filepath.Join(dir, "home"), piton: filepath.Join(dir, "piton"), project: filepath.Join(dir, "project"), tmp: filepath.Join(dir, "tmp")}
	for _, d := range []string{c.home, c.project, c.tmp} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "PITON_HOME=" + c.piton, "TMPDIR=" + c.tmp, "ANTHROPIC_API_KEY=" + secret, "PLAIN=a-word-of-the-environment",
		"CLAUDE_PROJECT_DIR=" + c.project, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}
	return c
}

// undisturbed runs a case with a client of its own, and once more, with another one,
// where the machine stood still meanwhile: git and the store's lock have two seconds,
// of which a hook needs milliseconds, and what it does after them is another case.
func undisturbed(t *testing.T, run func(c *client)) *client {
	t.Helper()
	for tries := 1; ; tries++ {
		c := start(t)
		run(c)
		slowest := time.Duration(c.slowest.Load())
		if slowest < event.LockWait*3/4 || tries == 30 {
			return c
		}
		t.Logf("a hook took %s; once more", slowest)
	}
}

// took notes how long a hook has taken.
func (c *client) took(begun time.Time) {
	for d, old := int64(time.Since(begun)), c.slowest.Load(); d > old && !c.slowest.CompareAndSwap(old, d); old = c.slowest.Load() {
	}
}

// set changes a variable; an empty value takes it out.
func (c *client) set(name, value string) {
	var env []string
	for _, v := range c.env {
		if !strings.HasPrefix(v, name+"=") {
			env = append(env, v)
		}
	}
	if value != "" {
		env = append(env, name+"="+value)
	}
	c.env = env
}

// hook runs the program, and checks what holds whatever happens: status 0,
// nothing on stderr, stdout empty or one JSON object.
func (c *client) hook(in io.Reader, args ...string) string {
	c.Helper()
	if len(args) == 0 {
		args = []string{"claude"}
	}
	var out, errs bytes.Buffer
	x := exec.Command(program, args...)
	x.Env, x.Dir = c.env, c.project
	x.Stdin, x.Stdout, x.Stderr = in, &out, &errs
	defer c.took(time.Now())
	if err := x.Run(); err != nil || errs.Len() > 0 {
		c.Errorf("got %v and %q on stderr, want status 0 and nothing", err, errs.String())
	}
	if out.Len() > 0 && !bytes.HasPrefix(out.Bytes(), []byte("piton-hook ")) {
		dec := json.NewDecoder(&out)
		var reply json.RawMessage
		if err := dec.Decode(&reply); err != nil || reply[0] != '{' || dec.More() {
			c.Errorf("got %s (%v) on stdout, want one JSON object", reply, err)
		}
		return string(reply)
	}
	return out.String()
}

// event is a payload of this client's.
func (c *client) event(name string, fields map[string]any) io.Reader {
	c.Helper()
	m := map[string]any{"session_id": "s1", "transcript_path": filepath.Join(c.home, "s1.jsonl"), "cwd": c.project, "hook_event_name": name}
	for k, v := range fields {
		m[k] = v
	}
	b, err := json.Marshal(m)
	if err != nil {
		c.Fatal(err)
	}
	return bytes.NewReader(b)
}

// files are all files below the client's folders, PITON_HOME apart.
func (c *client) files() string {
	c.Helper()
	var list []string
	for _, dir := range []string{c.home, c.project, c.tmp} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if path != dir {
				list = append(list, path)
			}
			return err
		})
		if err != nil {
			c.Fatal(err)
		}
	}
	return strings.Join(list, "\n")
}

// kept is all that Piton has written.
func (c *client) kept() string {
	c.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(c.piton, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all.Write(b)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		c.Fatal(err)
	}
	return all.String()
}

func (c *client) log() string {
	c.Helper()
	b, err := os.ReadFile(filepath.Join(c.piton, "piton.log"))
	if err != nil && !os.IsNotExist(err) {
		c.Fatal(err)
	}
	return string(b)
}

// repository makes the project a repository with one commit: name and text by
// turns.
func (c *client) repository(files ...string) {
	c.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		c.write(files[i], files[i+1])
	}
	c.git("init", "-q", "-b", "main")
	c.git("add", "-A")
	c.git("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-q", "-m", "first")
}

func (c *client) git(args ...string) {
	c.Helper()
	x := exec.Command(need.Program(c, "git"), args...)
	x.Env, x.Dir = c.env, c.project
	if out, err := x.CombinedOutput(); err != nil {
		c.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// write changes a file of the project.
func (c *client) write(name, text string) {
	c.Helper()
	path := filepath.Join(c.project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.Fatal(err)
	}
}

// edits is a file written by the agent, as its transcript tells: name is the
// file as the call names it, absolute or below the project.
func (c *client) edits(name, text string) {
	c.Helper()
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.project, name)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.Fatal(err)
	}
	quoted, err := json.Marshal(path)
	if err != nil {
		c.Fatal(err)
	}
	at := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	c.logs(`{"isSidechain":false,"message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":` + string(quoted) + `}}]},"type":"assistant","timestamp":"` + at + `","version":"2.1.300"}
{"isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"ok"}]},"timestamp":"` + at + `","version":"2.1.300"}
`)
}

// runs is a command of the agent that ends well, in its transcript. It is later than
// the edits before it, by more than files' times may differ from a log's.
func (c *client) runs(command, output string) {
	c.Helper()
	at := time.Now().Add(2 * time.Second).UTC().Format("2006-01-02T15:04:05.000Z")
	c.logs(fmt.Sprintf(`{"isSidechain":false,"message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":%q}}]},"type":"assistant","timestamp":%q,"version":"2.1.300"}
{"isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"t2","type":"tool_result","content":%q}]},"toolUseResult":{"stdout":%q,"stderr":"","interrupted":false},"timestamp":%q,"version":"2.1.300"}
`, command, at, output, output, at))
}

// logs appends lines to the transcript.
func (c *client) logs(lines string) {
	c.Helper()
	f, err := os.OpenFile(filepath.Join(c.home, "s1.jsonl"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		c.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(lines); err != nil {
		c.Fatal(err)
	}
}
