package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/need"
)

// patience bounds every wait of these tests.
const patience = 40 * time.Second

// clients lets two clients run at once: more only makes all of them slower.
var clients = make(chan struct{}, 2)

// world is a throw-away machine: a home, a project, a PITON_HOME, and a model.
type world struct {
	t       testing.TB
	root    string
	home    string
	config  string // the client's own folder
	project string
	state   string // PITON_HOME
	tmp     string
	bin     string // piton and piton-hook
	env     []string
	claude  string
	model   *model

	troubled bool // the log may say so
}

// newWorld makes one with Piton's hooks installed and recorded. settings are
// added to the environment of client, hooks and piton.
func newWorld(t *testing.T, settings ...string) *world {
	t.Helper()
	w := newMachine(t, settings...)
	w.piton("init")
	w.record()
	return w
}

// newMachine makes one with a Go project of one package in git, and both
// programs, but no hooks yet.
func newMachine(t *testing.T, settings ...string) *world {
	t.Helper()
	claude := claudeProgram()
	if claude == "" {
		need.Missing(t, "Claude Code is not installed in e2e/node_modules: run `make e2e`")
	}
	need.Program(t, "git")
	t.Parallel()
	clients <- struct{}{}
	t.Cleanup(func() { <-clients })

	root, err := os.MkdirTemp("", "piton-e2e-")
	check(t, err)
	root, err = filepath.EvalSymlinks(root)
	check(t, err)
	w := &world{
		t: t, root: root, claude: claude,
		home: root + "/home", config: root + "/home/.claude", project: root + "/project",
		state: root + "/state", tmp: root + "/tmp", bin: root + "/bin",
	}
	t.Cleanup(w.remove)
	for _, dir := range []string{w.config, w.project, w.tmp, w.bin} {
		check(t, os.MkdirAll(dir, 0o755))
	}
	w.model = newModel(t)
	w.env = append(w.environment(), settings...)
	w.seedClient()
	w.seedProject()
	w.seedPrograms()
	t.Cleanup(w.scriptDone)
	return w
}

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

// environment is what every program of this world gets, and nothing of the
// caller's but the search path and where Go keeps what it has compiled.
func (w *world) environment() []string {
	env := []string{
		"PATH=" + w.bin + ":" + os.Getenv("PATH"), "HOME=" + w.home, "SHELL=/bin/bash", "LANG=C.UTF-8", "TERM=xterm-256color", "TMPDIR=" + w.tmp,
		"CLAUDE_CONFIG_DIR=" + w.config, "CLAUDE_CODE_TMPDIR=" + w.tmp, "ANTHROPIC_BASE_URL=" + w.model.url, "ANTHROPIC_API_KEY=" + fakeKey, "NO_PROXY=*",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"PITON_HOME=" + w.state, "XDG_CONFIG_HOME=" + w.home + "/.config",
		"GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local",
	}
	if cache, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil {
		env = append(env, "GOCACHE="+strings.TrimSpace(string(cache)))
	}
	return env
}

const fakeKey = "sk-ant-fake-0000000000000000000000000000000000000000"

// userSettings is a person's own settings file, oddly written on purpose.
const userSettings = `{
  "permissions": { "defaultMode": "acceptEdits",
     "allow": ["Bash", "Write", "Edit", "Read", "Agent"] },
  "hooks": {"Stop": [ {"hooks": [{"type":"command", "command": "true"}]} ]},
	"spinnerTipsEnabled" : false
}

`

// seedClient gets the client past its first questions.
func (w *world) seedClient() {
	w.write(w.config+"/settings.json", userSettings)
	state, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "lastOnboardingVersion": "99.0.0", "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{fakeKey[len(fakeKey)-20:]}, "rejected": []string{}},
		"projects":              map[string]any{w.project: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "allowedTools": []string{}}},
	})
	check(w.t, err)
	w.write(w.config+"/.claude.json", string(state))
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

// hang is a tool that does not end until the world does. It says that it runs
// by the file "hanging" beside the project.
const hang = `#!/bin/sh
touch '{root}/hanging'
while [ -e '{root}/alive' ]; do sleep 0.1; done
`

// release lets the tool end.
func (w *world) release() { check(w.t, os.Remove(w.root+"/alive")) }

// hanging waits until the agent's tool hangs.
func (x *terminal) hanging() {
	x.t.Helper()
	x.until("the tool that hangs", func() bool { return os.Remove(x.root+"/hanging") == nil })
}

// seedPrograms puts both programs, and the one that hangs, into a folder of
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

// The tools a model calls.
func (w *world) readTool(name string) tool {
	return tool{"Read", map[string]any{"file_path": w.path(name)}}
}

func (w *world) writeTool(name, text string) tool {
	return tool{"Write", map[string]any{"file_path": w.path(name), "content": text}}
}

func (w *world) editTool(name, from, to string) tool {
	return tool{"Edit", map[string]any{"file_path": w.path(name), "old_string": from, "new_string": to}}
}

func bash(command string) tool {
	return tool{"Bash", map[string]any{"command": command, "description": "Run it"}}
}

func agent(prompt string) tool {
	return tool{"Agent", map[string]any{"description": "A part of it", "prompt": prompt, "subagent_type": "general-purpose"}}
}

// swap is a change of calc.go that leaves it right, and slip one that does not.
func (w *world) swap() []reply {
	return []reply{call(w.readTool("calc.go")), call(w.editTool("calc.go", "a + b", "b + a"))}
}

func (w *world) slip() []reply {
	return []reply{call(w.readTool("calc.go")), call(w.editTool("calc.go", "a + b", "a - b"))}
}

func call(tools ...tool) reply { return reply{Tools: tools} }

func say(text string) reply { return reply{Text: text} }

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

// piton runs our own program, which must succeed.
func (w *world) piton(args ...string) string {
	w.t.Helper()
	out, err := w.run(append([]string{filepath.Join(w.bin, "piton")}, args...)...)
	if err != nil {
		w.t.Fatalf("piton %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// pitonJSON reads what our program prints with --json.
func (w *world) pitonJSON(into any, args ...string) {
	w.t.Helper()
	out := w.piton(append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		w.t.Fatalf("piton %s: %v in %s", strings.Join(args, " "), err, out)
	}
}

// decision is what `piton explain --json` tells of a stop.
type decision struct {
	At         time.Time
	Session    string
	Turn       int
	Held       bool
	Reason     string
	Categories []string
	Actions    []string
	TurnStart  time.Time `json:"turn_start"`
	ElapsedMS  int64     `json:"elapsed_ms"`
	Files      []struct{ Path, Whose string }
	Evidence   []struct {
		Command string
		Counts  bool
		Why     string
	}
	BudgetLeft int `json:"budget_left"`
	Message    string
	Notes      []string
}

// decisions are those of all sessions, oldest first.
func (w *world) decisions() []decision {
	w.t.Helper()
	var x struct{ Decisions []decision }
	w.pitonJSON(&x, "explain", "--limit", "0")
	list := make([]decision, 0, len(x.Decisions))
	for i := len(x.Decisions) - 1; i >= 0; i-- {
		list = append(list, x.Decisions[i])
	}
	return list
}

// reasons checks why the stops so far were held or let go, oldest first, and
// returns the decisions.
func (w *world) reasons(want ...string) []decision {
	w.t.Helper()
	list := w.decisions()
	var got []string
	for _, d := range list {
		got = append(got, d.Reason)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		w.t.Fatalf("got the decisions %v, want %v", got, want)
	}
	return list
}

// owners are a decision's files with their owners.
func (d decision) owners() map[string]string {
	files := map[string]string{}
	for _, f := range d.Files {
		files[f.Path] = f.Whose
	}
	return files
}

// session is what `piton sessions --json` tells.
type session struct {
	ID       string
	ClientID string    `json:"client_id"`
	Version  string    `json:"client_version"`
	Seen     time.Time `json:"seen_at"`
	Ended    time.Time `json:"ended_at"`
	Turn     int
	TurnOpen bool `json:"turn_open"`
	Alive    bool
}

func (w *world) sessions() []session {
	w.t.Helper()
	var x struct{ Sessions []session }
	w.pitonJSON(&x, "sessions")
	return x.Sessions
}

// theSession is the only one there is to be.
func (w *world) theSession() session {
	w.t.Helper()
	list := w.sessions()
	if len(list) != 1 {
		w.t.Fatalf("got the sessions %+v, want one", list)
	}
	return list[0]
}

// checkpoint is what `piton list --json` tells.
type checkpoint struct {
	ID      string
	Trigger string
	Task    string `json:"task_summary"`
	Session string `json:"session_id"`
	Origin  struct {
		Agent   string
		Version string `json:"client_version"`
	}
}

// checkpoints are all of them, oldest first.
func (w *world) checkpoints(filter ...string) []checkpoint {
	w.t.Helper()
	var x struct{ Checkpoints []checkpoint }
	w.pitonJSON(&x, append([]string{"list", "--limit", "0"}, filter...)...)
	list := make([]checkpoint, 0, len(x.Checkpoints))
	for i := len(x.Checkpoints) - 1; i >= 0; i-- {
		list = append(list, x.Checkpoints[i])
	}
	return list
}

func triggers(list []checkpoint) string {
	var all []string
	for _, c := range list {
		all = append(all, c.Trigger)
	}
	return strings.Join(all, " ")
}

// until waits for something, and says what it waited for if it does not come.
func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("waited %s in vain for %s", patience, what)
		}
	}
}

// tell shows what happened in a test that has failed.
func (w *world) tell() {
	for _, r := range w.model.all() {
		w.t.Logf("request %d%s at %s: %s", r.N, in(r.Lane), r.At.Format("15:04:05.000"), short(plain(r.Last)))
	}
	if out, err := w.run(filepath.Join(w.bin, "piton"), "explain", "--limit", "0"); err == nil {
		w.t.Logf("piton explain:\n%s", out)
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
