package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// patience bounds every wait of these tests.
const patience = 80 * time.Second

// clients lets two clients run at once: more only makes all of them slower.
var clients = make(chan struct{}, 2)

// world is a throw-away machine: a home, a project, a PITON_HOME, and a model.
type world struct {
	t       testing.TB
	root    string
	home    string
	client  client
	config  string // the client's own folder
	project string
	state   string // PITON_HOME
	tmp     string
	bin     string // our programs
	env     []string
	model   *model

	troubled bool // the log may say so

	columns, rows int // of terminals; 0: 100 and 50
}

// newWorld makes one of Claude Code's with Piton's hooks installed and recorded.
// settings are added to the environment of client, hooks and piton.
func newWorld(t *testing.T, settings ...string) *world {
	t.Helper()
	return newWorldOf(t, claude, settings...)
}

// newWorldOf makes one of any client's.
func newWorldOf(t *testing.T, c client, settings ...string) *world {
	t.Helper()
	w := newMachineOf(t, c, settings...)
	w.piton("init", "--agent", c.name())
	w.record()
	return w
}

// newMachine makes one of Claude Code's with a Go project of one package in git,
// and both programs, but no hooks yet.
func newMachine(t *testing.T, settings ...string) *world {
	t.Helper()
	return newMachineOf(t, claude, settings...)
}

func newMachineOf(t *testing.T, c client, settings ...string) *world {
	t.Helper()
	needClient(t, c)
	need.Program(t, "git")
	t.Parallel()
	clients <- struct{}{}
	t.Cleanup(func() { <-clients })

	root, err := os.MkdirTemp("", "piton-e2e-")
	check(t, err)
	root, err = filepath.EvalSymlinks(root)
	check(t, err)
	w := &world{
		t: t, root: root, home: root + "/home", project: root + "/project",
		state: root + "/state", tmp: root + "/tmp", bin: root + "/bin",
	}
	t.Cleanup(w.remove)
	for _, dir := range []string{w.home, w.project, w.tmp, w.bin} {
		check(t, os.MkdirAll(dir, 0o755))
	}
	w.model = newModel(w)
	w.env = append(w.environment(), settings...)
	w.add(c)
	w.use(c)
	w.seedProject()
	w.seedPrograms()
	t.Cleanup(w.scriptDone)
	return w
}

// environment is what every program of this world gets, and nothing of the
// caller's but the search path and where Go keeps what it has compiled.
func (w *world) environment() []string {
	env := []string{
		"PATH=" + w.bin + ":" + os.Getenv("PATH"), "HOME=" + w.home, "SHELL=/bin/bash", "LANG=C.UTF-8", "TERM=xterm-256color", "TMPDIR=" + w.tmp, "TMUX_TMPDIR=" + w.tmp, "NO_PROXY=*",
		"PITON_HOME=" + w.state, "XDG_CONFIG_HOME=" + w.home + "/.config",
		"GIT_CONFIG_NOSYSTEM=1", "GOPROXY=off", "GOTOOLCHAIN=local",
	}
	for _, c := range every {
		env = append(env, c.env(w)...)
	}
	return append(env, "GOCACHE="+goCache())
}

var goCache = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// add gives the world a client, under its own name in the search path.
func (w *world) add(c client) {
	check(w.t, os.MkdirAll(c.dir(w), 0o755))
	c.seed(w)
	line := "#!/bin/sh\nexec"
	for _, word := range c.argv() {
		line += " '" + word + "'"
	}
	check(w.t, os.WriteFile(w.program(c), []byte(line+" \"$@\"\n"), 0o755))
}

func (w *world) program(c client) string { return filepath.Join(w.bin, c.name()) }

// remove clears up. A client that has just ended may still write its last
// file, so it looks twice.
func (w *world) remove() {
	if w.t.Failed() && os.Getenv("PITON_E2E_KEEP") != "" {
		w.t.Log("kept:", w.root)
		return
	}
	for range 20 {
		if os.RemoveAll(w.root) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	w.t.Log("cannot be removed:", w.root)
}

// scriptDone fails a test whose model was asked less than its script says, or
// whose hooks met trouble that nobody saw.
func (w *world) scriptDone() {
	if left := w.model.left(); len(left) > 0 && !w.t.Failed() {
		w.t.Errorf("%d replies of the model were never asked for, the first: %q %v", len(left), left[0].Text, left[0].Tools)
	}
	if text, err := os.ReadFile(w.state + "/piton.log"); err == nil && !w.troubled {
		w.t.Errorf("Piton's log speaks of trouble: %s", text)
	}
	if w.t.Failed() {
		w.tell()
	}
}

// The project: Add is right as it stands.
const (
	calcGo = "package calc\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"
	testGo = "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d, want 3\", got)\n\t}\n}\n"
)

func (w *world) seedProject() {
	w.write("go.mod", "module example.org/calc\n\ngo 1.21\n")
	w.write("calc.go", calcGo)
	w.write("calc_test.go", testGo)
	w.write("README.md", "# calc\n\nIt adds.\n")
	w.git("init", "-q", "-b", "main")
	w.git("add", ".")
	w.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "first")
}

// seedPrograms puts our programs, and the one that hangs, into a folder of
// this world.
func (w *world) seedPrograms() {
	for _, name := range []string{"piton", "piton-hook"} {
		from, to := filepath.Join(os.Getenv(builtEnv), name), filepath.Join(w.bin, name)
		if os.Link(from, to) == nil {
			continue
		}
		text, err := os.ReadFile(from)
		check(w.t, err)
		check(w.t, os.WriteFile(to, text, 0o755))
	}
	w.write(w.root+"/alive", "")
	check(w.t, os.WriteFile(w.bin+"/hang", []byte(strings.ReplaceAll(hang, "{root}", w.root)), 0o755))
}

// path is a file of the project; an absolute one stays.
func (w *world) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.project, name)
}

func (w *world) write(name, text string) {
	w.t.Helper()
	check(w.t, os.WriteFile(w.path(name), []byte(text), 0o644))
}

func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(w.path(name))
	check(w.t, err)
	return string(text)
}

// command is a program of this world, in the project.
func (w *world) command(ctx context.Context, argv ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir, c.Env = w.project, w.env
	c.WaitDelay = 2 * time.Second
	return c
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	out, err := w.run(append([]string{"git"}, args...)...)
	if err != nil {
		w.t.Fatalf("git %v: %v", args, err)
	}
	return out
}

// run runs a program to its end.
func (w *world) run(argv ...string) (stdout string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	c := w.command(ctx, argv...)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return out.String(), fmt.Errorf("%w: %s", err, errs.String())
	}
	return out.String(), nil
}

// tell shows what happened in a test that has failed.
func (w *world) tell() {
	for _, r := range w.model.all() {
		w.t.Logf("request %d%s at %s: %s", r.N, in(r.Lane), r.At.Format("15:04:05.000"), short(plain(r.Last)))
	}
	if out, err := w.run(filepath.Join(w.bin, "piton"), "explain", "--limit", "0"); err == nil {
		w.t.Logf("piton explain:\n%s", out)
	}
	if out, err := w.run(filepath.Join(w.bin, "piton"), "letters"); err == nil {
		w.t.Logf("piton letters:\n%s", out)
	}
	if out, err := w.run(filepath.Join(w.bin, "piton"), "sessions"); err == nil {
		w.t.Logf("piton sessions:\n%s", out)
	}
}

// reminders are what the client tells the model of itself.
var reminders = regexp.MustCompile(`(?s)<system-reminder>\n(As you answer|Attribution for).*?</system-reminder>\n*`)

func plain(s string) string { return reminders.ReplaceAllString(s, "") }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
