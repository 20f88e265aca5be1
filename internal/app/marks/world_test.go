package marks_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/event"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
)

// world is a user's home, a work tree, and whoever works in it.
type world struct {
	testing.TB
	home, tree string
	sessions   int
}

// newWorld is one without git.
func newWorld(t testing.TB) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	w := &world{TB: t, home: filepath.Join(dir, "home"), tree: filepath.Join(dir, "tree")}
	w.ok(err)
	w.write(filepath.Join(w.home, ".config", "piton", "config.yaml"), "debrief:\n  mode: off\n")
	w.ok(os.MkdirAll(w.tree, 0o777))
	return w
}

// newRepository is one with a repository in which nothing was committed yet.
func newRepository(t testing.TB, settings ...string) *world {
	t.Helper()
	w := newWorld(t)
	line := "git init -q -b main . && git config user.email a@b.example && git config user.name A && git config gc.auto 0"
	for _, s := range settings {
		line += " && git config " + s
	}
	w.bash(w.tree, line)
	return w
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) state() string { return filepath.Join(w.home, ".piton") }

func (w *world) getenv(name string) string {
	switch name {
	case "HOME":
		return w.home
	case "PITON_HOME":
		return w.state()
	case "PATH":
		return os.Getenv("PATH")
	}
	return ""
}

// write writes a file; where it is not absolute, into the tree.
func (w *world) write(name, text string) {
	w.Helper()
	name = w.path(name)
	w.ok(os.MkdirAll(filepath.Dir(name), 0o777))
	w.ok(os.WriteFile(name, []byte(text), 0o644))
}

func (w *world) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.tree, name)
}

// read is a file's text; "" where it is missing.
func (w *world) read(name string) string {
	b, _ := os.ReadFile(w.path(name))
	return string(b)
}

// bash runs a command line; what it returns is what it printed. It may fail.
func (w *world) bash(dir, line string) string {
	w.Helper()
	c := exec.Command("bash", "-c", line)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+w.home, "GIT_CONFIG_NOSYSTEM=1")
	out, _ := c.CombinedOutput()
	return string(out)
}

// quoted is a name as a word of bash in ASCII.
func quoted(name string) string {
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range []byte(name) {
		if c < ' ' || c > '~' || c == '\'' || c == '\\' {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}

func allQuoted(names []string) string {
	var words []string
	for _, n := range names {
		words = append(words, quoted(n))
	}
	return strings.Join(words, " ")
}

// session is one of Claude Code, or of another client that says the same in other words.
type session struct {
	*world
	client   string // "" for claude
	id, cwd  string
	subagent string
	calls    int
	pid      int
}

// opens begins a session and its first turn.
func (w *world) opens() *session {
	w.Helper()
	w.sessions++
	s := &session{world: w, id: fmt.Sprintf("%08d-1111-1111-1111-111111111111", w.sessions), cwd: w.tree}
	w.write(filepath.Join(w.home, s.id+".jsonl"), "")
	s.event("SessionStart", map[string]any{"source": "startup"})
	s.prompt()
	return s
}

func (s *session) prompt() { s.event("UserPromptSubmit", map[string]any{"prompt": "do it"}) }

// stop ends the turn, and gives what the person is told.
func (s *session) stop() string {
	var reply struct{ SystemMessage string }
	if out := s.event("Stop", map[string]any{"stop_hook_active": false}); out != "" {
		s.ok(json.Unmarshal([]byte(out), &reply))
	}
	return reply.SystemMessage
}

// event has the door serve one, and fails where the log has a word of it.
func (s *session) event(name string, with map[string]any) string {
	s.Helper()
	p := map[string]any{"session_id": s.id, "cwd": s.cwd, "transcript_path": filepath.Join(s.home, s.id+".jsonl"), "hook_event_name": name}
	if s.subagent != "" {
		p["agent_id"], p["agent_type"] = s.subagent, "general-purpose"
	}
	maps.Copy(p, with)
	text, err := json.Marshal(p)
	s.ok(err)
	text = []byte(inWordsOf[s.client].Replace(string(text)))
	getenv := func(name string) string {
		if name == "CLAUDE_PID" && s.pid != 0 {
			return fmt.Sprint(s.pid)
		}
		return s.getenv(name)
	}
	var out bytes.Buffer
	event.Serve(s.Context(), []string{cmp.Or(s.client, "claude")}, bytes.NewReader(text), &out, getenv)
	return out.String()
}

// inWordsOf are what other clients call events and tools. Gemini CLI gives calls no ids.
var inWordsOf = map[string]*strings.Replacer{
	"":       strings.NewReplacer(),
	"claude": strings.NewReplacer(),
	"codex":  strings.NewReplacer(),
	"gemini": strings.NewReplacer(`"UserPromptSubmit"`, `"BeforeAgent"`, `"PreToolUse"`, `"BeforeTool"`, `"PostToolUse"`, `"AfterTool"`, `"Stop"`, `"AfterAgent"`,
		`"Bash"`, `"run_shell_command"`, `"Write"`, `"write_file"`, `"mcp__`, `"mcp_`, `"tool_use_id"`, `"nothing"`),
}

// runs has the agent run a command line between its hooks.
func (s *session) runs(line string) {
	s.Helper()
	s.call("Bash", map[string]any{"command": line}, func() { s.bash(s.cwd, line) })
}

// call is a tool's.
func (s *session) call(tool string, input map[string]any, do func()) {
	s.Helper()
	s.begins(tool, input)
	do()
	s.ends(tool, input)
}

func (s *session) begins(tool string, input map[string]any) {
	s.Helper()
	s.calls++
	s.event("PreToolUse", map[string]any{"tool_name": tool, "tool_input": input, "tool_use_id": fmt.Sprint("toolu_", s.id, s.calls)})
}

func (s *session) ends(tool string, input map[string]any) {
	s.Helper()
	s.event("PostToolUse", map[string]any{"tool_name": tool, "tool_input": input, "tool_use_id": fmt.Sprint("toolu_", s.id, s.calls), "tool_response": map[string]any{"stdout": ""}})
}

// person is the marks as somebody at a terminal has them.
func (w *world) person() (marks.Marks, func()) {
	o := caller.Options{Home: w.state(), Dir: w.tree, Getenv: w.getenv, Environ: []string{}}
	o.Ancestors = none // whoever has started this test
	c := caller.New(o)
	return marks.Marks{Caller: c}, c.Close
}

func none[T any]() []T { return nil }

// undo does what a person asks for, and looks that the preview has said the same.
func (w *world) undo(r piton.UndoRequest) (marks.Restoration, error) {
	w.Helper()
	p, closed := w.person()
	defer closed()
	shown, err := p.PreviewUndo(w.Context(), r)
	if err != nil {
		return shown, err
	}
	done, err := p.Undo(w.Context(), shown)
	if err == nil && !slices.Equal(shown.Files, done.Files) {
		w.Errorf("the preview said %v, and the undo did %v", shown.Files, done.Files)
	}
	return done, err
}

// undone is undo where nothing may fail.
func (w *world) undone(r piton.UndoRequest) marks.Restoration {
	w.Helper()
	x, err := w.undo(r)
	if err != nil {
		w.Fatalf("undo: %v\n%s", err, w.log())
	}
	return x
}

// log is the hooks'.
func (w *world) log() string {
	found, _ := filepath.Glob(filepath.Join(w.state(), "*log*"))
	more, _ := filepath.Glob(filepath.Join(w.state(), "*", "*.log"))
	all := ""
	for _, f := range append(found, more...) {
		all += w.read(f)
	}
	return all
}

// marksOf are those that were taken in the tree, newest first.
func (w *world) marksOf(q keep.Query) []mark.Mark {
	w.Helper()
	s, err := keep.Open(w.state(), time.Second, true)
	w.ok(err)
	defer s.Close()
	all, err := s.List(w.Context(), q)
	w.ok(err)
	return all
}

// file is all that is to be as it was.
type file struct {
	mode fs.FileMode
	text string // of a link, its target
}

func (f file) String() string {
	if len(f.text) > 60 {
		return fmt.Sprintf("%v %d bytes", f.mode, len(f.text))
	}
	return fmt.Sprintf("%v %q", f.mode, f.text)
}

// files are all of the tree but git's own.
func (w *world) files() map[string]file { return w.filesIn(w.tree) }

func (w *world) filesIn(root string) map[string]file {
	w.Helper()
	all := map[string]file{}
	w.ok(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			if d != nil && d.IsDir() && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := file{mode: info.Mode()}
		if info.Mode().Type() == fs.ModeSymlink {
			f.text, err = os.Readlink(path)
		} else {
			var b []byte
			b, err = os.ReadFile(path)
			f.text = string(b)
		}
		rel, _ := filepath.Rel(root, path)
		all[filepath.ToSlash(rel)] = f
		return err
	}))
	return all
}

// git is all that git holds, which no undo touches.
func (w *world) git() string {
	w.Helper()
	var b strings.Builder
	for _, name := range []string{"index", "HEAD", "packed-refs", "logs/HEAD", "logs/refs/stash", "ORIG_HEAD"} {
		fmt.Fprintf(&b, "%s: %x\n", name, w.read(filepath.Join(".git", name)))
	}
	b.WriteString(w.bash(w.tree, "git for-each-ref; git stash list; git --no-optional-locks ls-files -s -z | tr '\\0' '\\n'"))
	return b.String()
}

// differences are the paths that are not the same in two trees, with what is there.
func differences(was, now map[string]file) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if f, there := now[name]; !there {
			all = append(all, fmt.Sprintf("%q is missing", name))
		} else if f != was[name] {
			all = append(all, fmt.Sprintf("%q is %v, was %v", name, f, was[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, there := was[name]; !there {
			all = append(all, fmt.Sprintf("%q is new", name))
		}
	}
	return all
}
