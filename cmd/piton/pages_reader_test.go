package main

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// reader is a home with a project, where a reader types. Nothing in its environment is a
// setting of Piton's.
type reader struct {
	*testing.T
	w         pageWays
	dir, here string // here is the folder that the reader is in
	env       map[string]string
	served    *exec.Cmd
}

func newReader(t *testing.T, w pageWays, setup string) *reader {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	piton := filepath.Dir(need.Program(t, "piton"))
	h := &reader{T: t, w: w, dir: dir, here: dir + "/project", env: map[string]string{
		"HOME": dir + "/home", "PATH": strings.Join([]string{dir + "/bin", piton, filepath.Join(piton, hookFolder), pathWithoutClients()}, string(os.PathListSeparator)),
		"TERM": "xterm", "PAGER": "cat", "TZ": "UTC", "GOCACHE": goCache(), "GORACE": "atexit_sleep_ms=0",
		"SESSION": "6152e381-4c21-432b-8da3-8b6a5782ebeb", "TRANSCRIPT": dir + "/transcript.jsonl",
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "TMPDIR": dir + "/tmp", "DIR": dir, "MODULE": module,
		"GIT_AUTHOR_NAME": "ada", "GIT_AUTHOR_EMAIL": "ada@example.com", "GIT_COMMITTER_NAME": "ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
	}}
	for _, folder := range []string{"/home", "/bin", "/project", "/tmp"} {
		if err := os.Mkdir(dir+folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(h.leave)
	h.arrange(w.setups[setup])
	return h
}

// leave ends the daemon, and the process that a set-up has left as PID.
func (h *reader) leave() {
	if pid := h.env["PID"]; pid != "" {
		_ = exec.Command("kill", "-9", pid).Run()
		delete(h.env, "PID")
	}
	if h.served != nil {
		_ = h.served.Process.Kill()
		_ = h.served.Wait()
		h.served = nil
	}
}

// arrange runs lines of a set-up: of a shell; NAME=… sets a variable for what follows;
// "? " may fail; "serve" starts the daemon.
func (h *reader) arrange(lines []string) {
	h.Helper()
	for _, line := range lines {
		if line == "serve" {
			h.serve()
			continue
		}
		said, mayFail := strings.CutPrefix(line, "? ")
		status, out := h.types([]string{"sh", "-c"}, said)
		if status != 0 && !mayFail {
			h.Fatalf("%s: status %d\n%s", line, status, out)
		}
	}
}

var assigned = regexp.MustCompile(`^([A-Za-z]+)=`)

// serve starts the daemon and waits for it.
func (h *reader) serve() {
	h.served = h.command(context.Background(), []string{need.Program(h.T, "piton"), "serve"})
	if err := h.served.Start(); err != nil {
		h.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(h.dir + "/home/.local/state/piton/piton.sock"); err == nil {
			return
		}
	}
	h.Fatal("piton serve does not listen")
}

func (h *reader) command(ctx context.Context, argv []string) *exec.Cmd {
	x := exec.CommandContext(ctx, need.Program(h.T, argv[0]), argv[1:]...)
	x.Dir, x.WaitDelay, x.Env = h.here, time.Second, []string{}
	for name, value := range h.env {
		x.Env = append(x.Env, name+"="+value)
	}
	return x
}

// types runs a line in a shell and returns its status and all that it said. A variable
// that it sets stays.
func (h *reader) types(shell []string, line string) (int, string) {
	set := assigned.FindStringSubmatch(line)
	if set != nil {
		line += "\nprintf '%s' \"$" + set[1] + "\""
	}
	ctx, cancel := context.WithTimeout(h.Context(), 2*time.Minute)
	defer cancel()
	x := h.command(ctx, append(slices.Clone(shell), "trap : INT\n"+line+"\nstatus=$?; pwd >\"$DIR/here\"; exit $status"))
	out, err := x.CombinedOutput()
	if at, err := os.ReadFile(h.dir + "/here"); err == nil {
		h.here = strings.TrimSpace(string(at))
	}
	if x.ProcessState == nil {
		h.Fatal(err)
	}
	if set != nil {
		h.env[set[1]] = string(out)
	}
	return x.ProcessState.ExitCode(), string(out)
}

// try runs a command of a page as its way says.
func (h *reader) try(c onPage, x *way) {
	h.Helper()
	line := cmp.Or(x.as, h.w.meant(c.line))
	if !harmless.MatchString(line) {
		h.Errorf("%s: is no command of Piton's, so pages.txt is to say what runs it", c)
		return
	}
	if x.needs != "" {
		there := false
		h.Run(x.needs, func(t *testing.T) { there = need.Program(t, x.needs) != "" })
		if !there {
			return
		}
	}
	h.arrange(x.lines)
	status, said := h.types(x.shell, line)
	if status != x.status || !strings.Contains(said, x.says) {
		h.Errorf("%s: got status %d, want %d and %q in what it prints\n%s", c, status, x.status, x.says, said)
		return
	}
	for _, line := range x.after {
		if status, out := h.types([]string{"sh", "-c"}, line); status != 0 {
			h.Errorf("%s: after it, %s: status %d\n%s\n%s", c, line, status, out, said)
		}
	}
}

// harmless are the lines that need nothing but this machine.
var harmless = regexp.MustCompile(`^(piton|curl --unix-socket|sha256sum|jq|zstd|rm|cd|echo|touch|home=\S+|PITON_\w+=\S+ piton)( |$)`)
