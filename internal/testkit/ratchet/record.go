package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/tools/cover"
)

// recorder plays ordinary calls with programs that were built to say what ran.
type recorder struct {
	root string // the tree
	dir  string // for all that it makes
	into string // where a program says what ran
}

// calls are the recorded calls, by the names of their walks.
var calls = map[string]func(recorder){
	"event": recorder.stop,
	"shell": recorder.stop, // its command line is the one that the stop reads
	"save": func(r recorder) {
		r.plays("", "", "piton", "save", "--workflow", "import", "--state", r.path("state.json"))
	},
	"load": func(r recorder) { r.plays("", `"done":3`, "piton", "load", "--workflow", "import") },
	"step": func(r recorder) { r.plays("", "", "piton", "run", r.path("plan.yaml")) },
	"mcp":  func(r recorder) { r.plays(mcpSave, "Saved as ", "piton", "mcp") },
	"http": recorder.http,
}

const mcpSave = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"checkpoint_save","arguments":{"sessionId":"c1","workflow":"import","stepName":"Parse","state":{"done":3}}}}
`

// The log and the events of an agent that edits a file, runs its tests and stops.
const (
	agentLog = `{"type":"assistant","timestamp":"$NOW","version":"2.1.300","isSidechain":false,"message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"$DIR/project/main.go"}}]}}
{"type":"user","timestamp":"$NOW","version":"2.1.300","isSidechain":false,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
{"type":"assistant","timestamp":"$LATER","version":"2.1.300","isSidechain":false,"message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"cd $DIR/project && go test ./... 2>&1 | tail -5"}}]}}
{"type":"user","timestamp":"$LATER","version":"2.1.300","isSidechain":false,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"ok  \tshop\t0.1s"}]}}
`
	agentEvent = `{"session_id":"$SESSION","transcript_path":"$DIR/log.jsonl","cwd":"$DIR/project","hook_event_name":"$EVENT","prompt":"mend it"}`
)

func (r recorder) path(name string) string { return filepath.Join(r.dir, name) }

// build makes the programs and the files that the calls use. Each call is made once
// before it is recorded: a first one makes stores and finds out what a project is.
func (r recorder) build() {
	r.write("state.json", `{"done":3,"files":["a.go","b.go"]}`)
	r.write("plan.yaml", "name: once\nsteps:\n  - {id: greet, run: echo hello}\n")
	r.write("project/go.mod", "module shop\n")
	r.write("project/main.go", "package shop\n")
	r.write("project/main_test.go", "package shop\n")
	run(r.root, "go", "build", "-cover", "-coverpkg=./...", "-o", r.path("bin")+"/", "./cmd/...")
	run(r.path("project"), "git", "init", "-q", "-b", "main")
	run(r.path("project"), "git", "add", "-A")
	run(r.path("project"), "git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-q", "-m", "first")
}

func (r recorder) write(name, text string) {
	check(os.MkdirAll(filepath.Dir(r.path(name)), 0o700))
	check(os.WriteFile(r.path(name), []byte(text), 0o600))
}

const rounds = 3

// record plays a call several times and returns what ran each time: what ran only now
// and then waited for a lock, or for another process.
func (r recorder) record(name string) profile {
	if calls[name] == nil {
		check(fmt.Errorf("no call is recorded for the walk %s", name))
	}
	all := profile{}
	for i := range rounds + 1 {
		r.into = r.path(name + strconv.Itoa(i))
		check(os.Mkdir(r.into, 0o700))
		calls[name](r)
		if i > 0 {
			run(r.dir, "go", "tool", "covdata", "textfmt", "-i="+r.into, "-o="+r.into+".txt")
			all.add(r.into + ".txt")
		}
	}
	for _, lines := range all {
		maps.DeleteFunc(lines, func(_, n int) bool { return n < rounds })
	}
	return all
}

// profile tells, of each file, at which lines something that ran begins, and how often
// it was seen.
type profile map[string]map[int]int

func (x profile) add(path string) {
	for _, f := range got(cover.ParseProfiles(path)) {
		once := map[int]int{}
		for _, b := range f.Blocks {
			once[b.StartLine] = max(once[b.StartLine], min(b.Count, 1))
		}
		if x[f.FileName] == nil {
			x[f.FileName] = map[int]int{}
		}
		for line, ran := range once {
			x[f.FileName][line] += ran
		}
	}
}

// within reports whether something that ran begins at one of these lines.
func (x profile) within(file string, from, to int) bool {
	for line := from; line <= to; line++ {
		if x[file][line] > 0 {
			return true
		}
	}
	return false
}

// command is a program of Piton, in the project.
func (r recorder) command(name string, args ...string) *exec.Cmd {
	x := exec.Command(filepath.Join(r.path("bin"), name), args...)
	x.Dir = r.path("project")
	x.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.path("home"), "PITON_HOME=" + r.path("piton"), "TMPDIR=" + r.dir,
		"GOCOVERDIR=" + r.into, "GIT_CONFIG_NOSYSTEM=1", "PITON_DEBRIEF_MIN_TURN=0s"}
	return x
}

// plays runs a program that must print something.
func (r recorder) plays(input, want, name string, args ...string) {
	x := r.command(name, args...)
	x.Stdin = strings.NewReader(input)
	if out := output(x); !strings.Contains(out, want) {
		check(fmt.Errorf("%s: got %q, want %q", strings.Join(x.Args, " "), out, want))
	}
}

// run runs another program.
func run(dir, name string, args ...string) {
	x := exec.Command(name, args...)
	x.Dir = dir
	output(x)
}

func output(x *exec.Cmd) string {
	out, err := x.CombinedOutput()
	if err != nil {
		check(fmt.Errorf("%s: %w\n%s", strings.Join(x.Args, " "), err, out))
	}
	return string(out)
}

// stop is a turn in which an agent edits a file, runs its tests and is let go.
func (r recorder) stop() {
	session := filepath.Base(r.into)
	filled := func(text, event string) string {
		now := time.Now().UTC()
		return strings.NewReplacer("$NOW", now.Format(time.RFC3339Nano), "$LATER", now.Add(2*time.Second).Format(time.RFC3339Nano),
			"$DIR", r.dir, "$SESSION", session, "$EVENT", event).Replace(text)
	}
	prompt := r
	prompt.into = r.dir
	prompt.plays(filled(agentEvent, "UserPromptSubmit"), "", "piton-hook", "claude")
	r.write("project/main.go", "package shop\n\nconst session = \""+session+"\"\n")
	r.write("log.jsonl", filled(agentLog, ""))
	r.plays(filled(agentEvent, "Stop"), "all clear: 1 file changed, `go test ./...` passed since.", "piton-hook", "claude")
}

// http has the daemon save once.
func (r recorder) http() {
	daemon := r.command("piton", "serve")
	check(daemon.Start())
	err := r.post(fmt.Sprintf(`{"project": %q, "workflow": "import", "state": {"done": 3}}`, r.path("project")))
	check(errors.Join(err, daemon.Process.Signal(syscall.SIGTERM), daemon.Wait()))
}

// post asks the daemon to save, once it listens.
func (r recorder) post(body string) error {
	socket := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", r.path("piton/piton.sock"))
	}
	c := http.Client{Transport: &http.Transport{DialContext: socket}}
	resp, err := c.Post("http://piton/v1/checkpoints", "application/json", strings.NewReader(body))
	for begun := time.Now(); err != nil && time.Since(begun) < 30*time.Second; time.Sleep(20 * time.Millisecond) {
		resp, err = c.Post("http://piton/v1/checkpoints", "application/json", strings.NewReader(body))
	}
	if err == nil && resp.StatusCode != http.StatusCreated {
		err = errors.New(resp.Status)
	}
	return err
}
