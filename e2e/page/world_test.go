package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// client is a coding agent's client: it writes a log as the client does and tells the real
// hook program what happens.
type client struct {
	*world
	of      string // its name
	session string
	root    string
	pid     int
	calls   int
}

// agent starts a client in a work tree; it lives as long as the world.
func (w *world) agent(of, session, root string) *client {
	w.t.Helper()
	alive := exec.Command("sleep", "900")
	if err := alive.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.later(func() { _ = alive.Process.Kill(); _ = alive.Wait() })
	c := &client{world: w, of: of, session: session, root: root, pid: alive.Process.Pid}
	if of == "gemini" {
		return c // its log is made by its first line
	}
	c.hook("SessionStart", map[string]any{"source": "startup"})
	return c
}

func (c *client) log() string { return filepath.Join(c.dir, "home", c.session+".jsonl") }

// named are the events of Gemini CLI, which has other words for them.
var named = map[string]string{"UserPromptSubmit": "BeforeAgent", "PreToolUse": "BeforeTool", "PostToolUse": "AfterTool", "Stop": "AfterAgent"}

// hook tells the hook program an event, and gives its reply.
func (c *client) hook(event string, more map[string]any) string {
	c.t.Helper()
	if other := named[event]; other != "" && c.of == "gemini" {
		event = other
	}
	payload := map[string]any{"session_id": c.session, "transcript_path": c.log(), "cwd": c.root, "hook_event_name": event, "timestamp": time.Now().UTC().Format(time.RFC3339)}
	maps.Copy(payload, more)
	text, err := json.Marshal(payload)
	if err != nil {
		c.t.Fatal(err)
	}
	x := c.command("piton-hook", c.of)
	x.Dir, x.Stdin = c.root, strings.NewReader(string(text))
	x.Env = append(x.Env, fmt.Sprintf("CLAUDE_PID=%d", c.pid), "CLAUDE_PROJECT_DIR="+c.root)
	out, err := x.CombinedOutput()
	if err != nil {
		c.t.Fatalf("piton-hook at %s: %v: %s", event, err, out)
	}
	return string(out)
}

// line adds a line to Claude Code's log.
func (c *client) line(members map[string]any) {
	c.t.Helper()
	now := time.Now()
	line := map[string]any{"parentUuid": nil, "isSidechain": false, "uuid": fmt.Sprint("u", now.UnixNano()), "timestamp": now.UTC().Format("2006-01-02T15:04:05.000Z"), "userType": "external", "cwd": c.root, "sessionId": c.session, "version": "2.1.300", "gitBranch": "main"}
	maps.Copy(line, members)
	text, err := json.Marshal(line)
	f, err2 := os.OpenFile(c.log(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil || err2 != nil {
		c.t.Fatal(err, err2)
	}
	defer f.Close()
	if _, err := f.Write(append(text, '\n')); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) asks(prompt string) {
	c.t.Helper()
	c.line(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": prompt}, "origin": map[string]any{"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"})
	c.hook("UserPromptSubmit", map[string]any{"prompt": prompt})
}

func (c *client) says(text string) {
	c.t.Helper()
	c.line(map[string]any{"type": "assistant", "message": map[string]any{"id": fmt.Sprint("msg_", time.Now().UnixNano()), "type": "message", "role": "assistant", "model": "m", "content": []any{map[string]any{"type": "text", "text": text}}, "usage": map[string]any{"input_tokens": 1200, "output_tokens": 300}}})
}

// begins is a call of a tool in the log.
func (c *client) begins(tool string, input map[string]any) (id string) {
	c.t.Helper()
	c.calls++
	id = fmt.Sprintf("toolu_%s_%d", c.session, c.calls)
	c.line(map[string]any{"type": "assistant", "message": map[string]any{"id": "msg_" + id, "type": "message", "role": "assistant", "model": "m", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}, "usage": map[string]any{"input_tokens": 1000, "output_tokens": 200}}})
	return id
}

// call is a whole one.
func (c *client) call(tool string, input map[string]any, output string, failed bool, result map[string]any) {
	c.t.Helper()
	id := c.begins(tool, input)
	c.line(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": []any{map[string]any{"tool_use_id": id, "type": "tool_result", "content": output, "is_error": failed}}}, "toolUseResult": result})
}

// writes has the agent write a file.
func (c *client) writes(name, text string) {
	c.t.Helper()
	path := filepath.Join(c.root, name)
	c.call("Read", map[string]any{"file_path": path}, "read", false, map[string]any{"type": "text"})
	c.put(path, text)
	c.call("Write", map[string]any{"file_path": path}, "written", false, map[string]any{"type": "update", "filePath": path})
}

// runs has the agent's tests come to an end that is only told.
func (c *client) runs(command, output string, failed bool) {
	c.t.Helper()
	c.call("Bash", map[string]any{"command": command}, output, failed, map[string]any{"stdout": output, "stderr": "", "interrupted": false})
}

// shell has the agent run a command, between its two hooks.
func (c *client) shell(command string) {
	c.t.Helper()
	call := map[string]any{"tool_name": "Bash", "tool_use_id": fmt.Sprintf("toolu_%s_%d", c.session, c.calls+1), "tool_input": map[string]any{"command": command}}
	c.hook("PreToolUse", call)
	c.sh(c.root, command)
	call["tool_response"] = map[string]any{"stdout": "", "stderr": "", "interrupted": false}
	c.hook("PostToolUse", call)
	c.runs(command, "", false)
}

func (c *client) stops() string {
	c.t.Helper()
	return c.hook("Stop", map[string]any{"stop_hook_active": false, "last_assistant_message": "done"})
}

// sh runs a line of shell.
func (w *world) sh(dir, line string) {
	w.t.Helper()
	x := exec.Command("sh", "-c", line)
	x.Dir, x.Env = dir, w.env
	if out, err := x.CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v: %s", line, err, out)
	}
}

func (w *world) put(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// tree is a work tree with a program in it that is committed.
func (w *world) tree(name string) string {
	w.t.Helper()
	root := filepath.Join(w.dir, "work", name)
	for file, text := range map[string]string{"go.mod": "module " + name + "\n", "calc.go": "package calc\n", "calc_test.go": "package calc\n", "notes.txt": "notes\n", ".gitignore": "*.log\n"} {
		w.put(filepath.Join(root, file), text)
	}
	w.sh(root, "git init -q -b main && git add -A && git commit -qm first")
	return root
}

// sum ids of what a world holds, for addresses.
type ids struct{ held, waits, lost, workflow, first, second, approval, failed, done string }

// fill plays what a day of work leaves behind, with the real programs.
func (w *world) fill() {
	w.t.Helper()
	w.demo()

	held := w.agent("claude", "11111111-0000-4000-8000-000000000001", w.tree("orders"))
	held.asks("Round the totals of an invoice once, at its end, and add a test")
	held.says("I read how the totals are summed first.\n\nThen I change **one** place.")
	held.runs("go test ./...", "--- FAIL: TestTotal\nFAIL", true)
	held.writes("calc.go", "package calc\n\nconst rounded = true\n")
	if out := held.stops(); !strings.Contains(out, "block") {
		w.t.Fatalf("the stop is let go: %q", out)
	}

	waits := w.agent("claude", "11111111-0000-4000-8000-000000000002", w.tree("shop"))
	waits.asks("Publish the packages")
	waits.begins("Bash", map[string]any{"command": "npm publish --access public"})
	waits.hook("PermissionRequest", map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "npm publish --access public"}})

	lost := w.agent("claude", "11111111-0000-4000-8000-000000000003", w.tree("site"))
	w.put(filepath.Join(lost.root, "drafts/plan.md"), "a plan of mine\n")
	w.put(filepath.Join(lost.root, "calc.go"), "package calc\n\n// not committed\n")
	lost.asks("Clean up")
	lost.shell("git checkout -- . && git clean -fdq")
	lost.stops()

	codex := w.agent("codex", "01a1f853-4861-73a2-95db-690c98388763", w.tree("ledger"))
	codex.hook("UserPromptSubmit", map[string]any{"prompt": "Mirror the ledger every night", "turn_id": "t1", "model": "gpt-5.5"})
	codex.hook("PreToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "call_1", "tool_input": map[string]any{"command": "ls"}, "turn_id": "t1"})

	gemini := w.agent("gemini", "fa16b826-9f0e-405e-8047-28470f9bff76", w.tree("search"))
	gemini.hook("SessionStart", map[string]any{"source": "startup"})
	gemini.hook("UserPromptSubmit", map[string]any{"prompt": "Rank newer pages higher"})

	first := w.run(`{"phase":"Read","done":["a.csv","b.csv"],"todo":[{"content":"parse","status":"pending"}],"rows":{"read":1200,"wrong":3}}`, "save", "--workflow", "import", "--type", "custom", "--task", "Import the old invoices", "--step-name", "Read the files", "--step", "1", "--progress", "20", "--tag", "night", "--token-usage", "input=1200,output=300")
	first = strings.TrimSpace(first)
	w.run(`{"phase":"Parse","done":["a.csv","b.csv","c.csv"],"todo":[],"rows":{"read":1800,"wrong":4}}`, "save", "--workflow", "import", "--step-name", "Parse them", "--step", "2", "--progress", "55", "--description", "two files have another column")
	w.run("", "fork", id(first, "chk"), "--branch", "try-streams", "--name", "streams")
	w.run(`{"phase":"Stream","done":["a.csv"]}`, "save", "--workflow", "import", "--branch", "try-streams", "--step-name", "Stream them")

	for _, plan := range []struct {
		ends int
		name string
		more []string
	}{{9, "release", []string{"--input", "version=1.4.0"}}, {7, "research", []string{"--input", "up=" + w.dir + "/never"}}, {0, "nightly", nil}} {
		text, err := os.ReadFile("../../examples/" + plan.name + ".yaml")
		if err != nil {
			w.t.Fatal(err)
		}
		w.file("plans/"+plan.name+".yaml", string(text))
		w.ends(plan.ends, append([]string{"run", "plans/" + plan.name + ".yaml"}, plan.more...)...)
	}
	w.letter()
	w.find()
}

// find looks up the ids of what was made.
func (w *world) find() {
	w.t.Helper()
	var sessions struct {
		Sessions []struct {
			ID       string
			ClientID string `json:"client_id"`
		}
	}
	w.json(&sessions, "sessions", "--limit", "0")
	for _, s := range sessions.Sessions {
		switch s.ClientID {
		case "11111111-0000-4000-8000-000000000001":
			w.ids.held = s.ID
		case "11111111-0000-4000-8000-000000000002":
			w.ids.waits = s.ID
		case "11111111-0000-4000-8000-000000000003":
			w.ids.lost = s.ID
		}
	}
	var list struct {
		Checkpoints []struct {
			ID         string
			WorkflowID string `json:"workflow_id"`
		}
	}
	w.json(&list, "list", "--workflow", "import")
	if n := len(list.Checkpoints); n != 4 {
		w.t.Fatalf("%d checkpoints of the workflow, want 4", n)
	}
	w.ids.workflow, w.ids.first, w.ids.second = list.Checkpoints[0].WorkflowID, list.Checkpoints[3].ID, list.Checkpoints[2].ID
	var runs struct {
		Runs []struct{ ID, Status string }
	}
	w.json(&runs, "runs", "list")
	for _, r := range runs.Runs {
		switch r.Status {
		case "waiting":
			w.ids.approval = r.ID
		case "failed":
			w.ids.failed = r.ID
		case "completed":
			w.ids.done = r.ID
		}
	}
	for _, id := range []string{w.ids.held, w.ids.waits, w.ids.lost, w.ids.approval, w.ids.failed, w.ids.done} {
		if id == "" {
			w.t.Fatalf("something was not made: %+v", w.ids)
		}
	}
}

// json reads what a command prints with --json.
func (w *world) json(to any, args ...string) {
	w.t.Helper()
	c := w.command("piton", append(args, "--json")...)
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, to)
	}
	if err != nil {
		w.t.Fatalf("piton %s: %v: %.500s", strings.Join(args, " "), err, out)
	}
}

// ends runs piton, which ends with a status.
func (w *world) ends(status int, args ...string) {
	w.t.Helper()
	c := w.command("piton", args...)
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		w.t.Fatal(err)
	}
	if got := c.ProcessState.ExitCode(); got != status {
		w.t.Fatalf("piton %s: status %d, want %d: %s", strings.Join(args, " "), got, status, out)
	}
}

// letter leaves a letter that was given up.
func (w *world) letter() {
	w.t.Helper()
	st := w.store()
	defer st.Close()
	s, err := st.Local().SessionByClient(w.t.Context(), "claude", "11111111-0000-4000-8000-000000000001")
	if err == nil {
		err = st.Local().Update(w.t.Context(), func(tx store.LocalTx) error {
			l := agent.Letter{ID: "ltr_0000000000000001", SessionID: s.ID, To: agent.ToListener("team"), Kind: "announce", Body: `{"event":"agent_held"}`, Attempts: 12}
			if err := tx.Post(w.t.Context(), redact.Value(l)); err != nil {
				return err
			}
			l.DoneAt, l.Outcome = piton.At(time.Now()), agent.LetterParked+": the webhook answers 503"
			_, err := tx.Settle(w.t.Context(), redact.Value(l))
			return err
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// store is the world's, opened beside the programs.
func (w *world) store() *sqlstore.Store {
	w.t.Helper()
	st, err := sqlite.Open(w.t.Context(), filepath.Join(w.dir, "state", "piton.db"), sqlite.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	return st
}

// id is the first id of a kind in a text.
func id(text, kind string) string { return regexp.MustCompile(kind + `_\w{16}`).FindString(text) }

var whole *world

// full is the world that tests share which change nothing in it, with its daemon.
func full(t *testing.T) *world {
	t.Helper()
	if whole == nil {
		dir, err := os.MkdirTemp("", "piton-world")
		if err != nil {
			t.Fatal(err)
		}
		atEnd = append(atEnd, func() { os.RemoveAll(dir) })
		w := newWorld(t, dir)
		w.shared = true
		w.fill()
		w.serve()
		whole = w
	}
	w := *whole
	w.t = t
	return &w
}
