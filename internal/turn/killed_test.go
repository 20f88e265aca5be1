package turn_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/turn"
)

// A scribe writes a client's log in the client's own form.
type scribe interface {
	head() string
	asks(text string) string
	edits(path string, created bool) string
	runs(command string, exit int) string // a negative exit: no end of it
	says(text string) string
}

// hand is what the forms need.
type hand struct {
	w *world
	n *int
}

func (h hand) next() int   { *h.n++; return *h.n }
func (h hand) at() string  { return h.w.now.UTC().Format("2006-01-02T15:04:05.000Z") }
func (h hand) end() string { h.w.after(time.Second); return h.at() }

type claudeHand struct{ hand }

func (h claudeHand) line(members string) string {
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,%s,"uuid":"u%d","timestamp":%q,"userType":"external","cwd":%s,"sessionId":%q,"version":"2.1.300"}`+"\n",
		members, h.next(), h.at(), quoted(h.w.root), h.w.id)
}
func (h claudeHand) head() string { return "" }
func (h claudeHand) asks(text string) string {
	return h.line(`"type":"user","message":{"role":"user","content":` + quoted(text) + `},"origin":{"kind":"human"},"promptSource":"typed","turnOrigin":"human"`)
}
func (h claudeHand) says(text string) string {
	return h.line(fmt.Sprintf(`"message":{"id":"m%d","type":"message","role":"assistant","content":[{"type":"text","text":%s}],"usage":{"input_tokens":1,"output_tokens":1}},"type":"assistant"`, h.next(), quoted(text)))
}
func (h claudeHand) call(tool, input, result string, failed, ended bool) string {
	id := h.next()
	text := h.line(fmt.Sprintf(`"message":{"id":"m%d","type":"message","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":%q,"input":%s}],"usage":{"input_tokens":1,"output_tokens":1}},"type":"assistant"`, id, id, tool, input))
	if h.end(); ended {
		text += h.line(fmt.Sprintf(`"type":"user","message":{"role":"user","content":[{"tool_use_id":"t%d","type":"tool_result","content":"x","is_error":%v}]},"toolUseResult":%s`, id, failed, result))
	}
	return text
}
func (h claudeHand) edits(path string, created bool) string {
	kind := map[bool]string{true: "create", false: "update"}[created]
	return h.call("Write", `{"file_path":`+quoted(path)+`}`, `{"type":"`+kind+`","filePath":`+quoted(path)+`}`, false, true)
}
func (h claudeHand) runs(command string, exit int) string {
	result := `{"stdout":"x","stderr":"","interrupted":false}`
	if exit > 0 {
		result = fmt.Sprintf(`"Error: Exit code %d\nx"`, exit)
	}
	return h.call("Bash", `{"command":`+quoted(command)+`}`, result, exit > 0, exit >= 0)
}

type geminiHand struct{ hand }

func (h geminiHand) head() string {
	return fmt.Sprintf(`{"sessionId":%q,"projectHash":"x","startTime":%q,"lastUpdated":%q,"kind":"main"}`+"\n", h.w.id, h.at(), h.at())
}
func (h geminiHand) asks(text string) string {
	return fmt.Sprintf(`{"id":"u%d","timestamp":%q,"type":"user","content":[{"text":%s}]}`+"\n", h.next(), h.at(), quoted(text))
}
func (h geminiHand) says(text string) string {
	return fmt.Sprintf(`{"id":"g%d","timestamp":%q,"type":"gemini","content":%s,"thoughts":[],"tokens":{"input":1,"output":1},"model":"m"}`+"\n", h.next(), h.at(), quoted(text))
}
func (h geminiHand) call(tool, args, output, display string) string {
	id, began := h.next(), h.at()
	return fmt.Sprintf(`{"id":"g%d","timestamp":%q,"type":"gemini","content":"","thoughts":[],"tokens":{"input":1,"output":1},"model":"m","toolCalls":[{"id":"c%d","name":%q,"args":%s,"result":[{"functionResponse":{"id":"c%d","name":%q,"response":{"output":%s}}}],"status":"success","timestamp":%q,"resultDisplay":%s}]}`+"\n",
		id, began, id, tool, args, id, tool, quoted(output), h.end(), display)
}
func (h geminiHand) edits(path string, created bool) string {
	said := "Successfully modified file: " + path
	if created {
		said = "Successfully created and wrote to new file: " + path
	}
	return h.call("write_file", `{"file_path":`+quoted(path)+`,"content":"x"}`, said, `{"fileName":"x","filePath":`+quoted(path)+`}`)
}
func (h geminiHand) runs(command string, exit int) string {
	if exit < 0 {
		return "" // the client writes a call when it has ended
	}
	output := "Output: x\n"
	if exit > 0 {
		output += fmt.Sprintf("Exit Code: %d\n", exit)
	}
	return h.call("run_shell_command", `{"command":`+quoted(command)+`}`, "<untrusted_context>\n"+output+"Process Group PGID: 7\n</untrusted_context>", `"x"`)
}

type codexHand struct{ hand }

func (h codexHand) line(kind, payload string) string {
	return fmt.Sprintf(`{"timestamp":%q,"ordinal":%d,"type":%q,"payload":%s}`+"\n", h.at(), h.next(), kind, payload)
}
func (h codexHand) item(item string) string {
	return h.line("event_msg", `{"type":"item_completed","thread_id":`+quoted(h.w.id)+`,"turn_id":"turn","item":`+item+`}`)
}
func (h codexHand) head() string {
	return h.line("session_meta", fmt.Sprintf(`{"session_id":%q,"id":%q,"cwd":%s,"cli_version":"0.169.0","source":"cli","thread_source":"user"}`, h.w.id, h.w.id, quoted(h.w.root)))
}
func (h codexHand) asks(text string) string {
	return h.line("event_msg", `{"type":"task_started","turn_id":"turn"}`) + h.item(`{"type":"UserMessage","id":"u","content":[{"type":"text","text":`+quoted(text)+`}]}`)
}
func (h codexHand) says(text string) string {
	return h.item(fmt.Sprintf(`{"type":"AgentMessage","id":"a%d","content":[{"type":"Text","text":%s}]}`, h.next(), quoted(text)))
}
func (h codexHand) edits(path string, created bool) string {
	kind := map[bool]string{true: "add", false: "update"}[created]
	h.end()
	return h.item(fmt.Sprintf(`{"type":"FileChange","id":"f%d","changes":{%s:{"type":%q,"content":"x"}},"status":"completed","stdout":"Success."}`, h.next(), quoted(path), kind))
}
func (h codexHand) runs(command string, exit int) string {
	id := h.next()
	args := quoted(`{"cmd":` + quoted(command) + `}`)
	asked := h.line("response_item", fmt.Sprintf(`{"type":"function_call","name":"exec_command","arguments":%s,"call_id":"x%d"}`, args, id))
	if h.end(); exit < 0 {
		return asked
	}
	status := map[bool]string{true: "failed", false: "completed"}[exit > 0]
	return asked + h.item(fmt.Sprintf(`{"type":"CommandExecution","id":"x%d","command":["bash","-lc",%s],"cwd":%s,"status":%q,"exit_code":%d,"aggregated_output":"x"}`, id, quoted(command), quoted(h.w.root), status, exit))
}

// killed is a session whose client is killed within a minute of its first edit: one
// file is in the save, two files and two commands come after it.
func killed(t *testing.T, name string) (*world, scribe) {
	t.Helper()
	w := shop(t, "old.go", "package shop\n\nfunc old() {}\n")
	w.client, _ = clients.ByName(name)
	n := 0
	h := hand{w, &n}
	log := map[string]scribe{"claude": claudeHand{h}, "gemini": geminiHand{h}, "codex": codexHand{h}}[name]
	w.id = "0199a213-81c0-7800-8aa1-bbab2a035a53"
	w.script = filepath.Join(t.TempDir(), "sessions", "2026", "11", "22", "rollout-2026-11-22T10-00-00-"+w.id+".jsonl")
	w.logs(log.head())
	w.logs(log.asks("add the tax to the cart, and drop old.go"))
	w.tells(agent.Event{Kind: agent.EventPrompt, Prompt: "add the tax to the cart, and drop old.go"})
	w.after(5 * time.Second)
	w.write("main.go", "package shop\n\nconst text = `tax`\n")
	w.logs(log.edits(w.path("main.go"), false))
	w.tells(agent.Event{Kind: agent.EventToolDone, Tool: "edit", Call: agent.CallEdit, Paths: []string{w.path("main.go")}})
	w.after(5 * time.Second)
	w.write("tax.go", "package shop\n\nconst text = `new`\n")
	w.touch("tax.go")
	w.logs(log.edits(w.path("tax.go"), true))
	w.tells(agent.Event{Kind: agent.EventToolDone, Tool: "edit", Call: agent.CallEdit, Paths: []string{w.path("tax.go")}})
	w.after(time.Second)
	if err := os.Remove(w.path("old.go")); err != nil {
		t.Fatal(err)
	}
	w.logs(log.runs("git rm -q old.go", 0))
	w.after(time.Second)
	w.logs(log.runs("go build ./...", 1))
	w.logs(log.says("Next I wire the tax into Total."))
	w.after(time.Second)
	w.logs(log.runs("go test ./...", -1))
	return w, log
}

// touch gives a file the time of the world.
func (w *world) touch(name string) {
	w.Helper()
	w.dated(name, w.now)
}

// dated gives a file another time.
func (w *world) dated(name string, at time.Time) {
	w.Helper()
	if err := os.Chtimes(w.path(name), at, at); err != nil {
		w.Fatal(err)
	}
}

// logs appends to the transcript.
func (w *world) logs(text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.script), 0o755); err != nil {
		w.Fatal(err)
	}
	f, err := os.OpenFile(w.script, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		w.Fatal(err)
	}
}

// tells hands an event of the client to Piton.
func (w *world) tells(e agent.Event) []byte {
	w.Helper()
	e.At, e.Agent, e.ClientID, e.Transcript, e.Cwd, e.ProjectDir = w.now, w.client.Name(), w.id, w.script, w.root, w.root
	reply, err := w.turns().Handle(context.Background(), e)
	if err != nil {
		w.Fatal(err)
	}
	return reply.Get()
}

// resumes is what `piton resume` answers for a checkpoint.
func (w *world) resumes(id string) history.Resumption {
	w.Helper()
	k := w.keeper()
	k.Drift = turn.Drift
	k.Since = func(ctx context.Context, c piton.Checkpoint, state []byte) *history.Since {
		t := w.turns()
		t.Client = nil // a person asks
		return t.Since(ctx, w.root, c, state)
	}
	w.Chdir(w.root)
	r, err := k.Resume(w.Context(), history.Selector{ID: id})
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// Chdir is that of the test.
func (w *world) Chdir(dir string) {
	if t, ok := w.TB.(*testing.T); ok {
		t.Chdir(dir)
	}
}

func (w *world) briefHas(r history.Resumption, parts ...string) {
	w.Helper()
	for _, part := range parts {
		if !strings.Contains(r.Brief, part) {
			w.Errorf("the brief lacks %q:\n%s", part, r.Brief)
		}
	}
}

func (w *world) briefLacks(r history.Resumption, parts ...string) {
	w.Helper()
	for _, part := range parts {
		if strings.Contains(r.Brief, part) {
			w.Errorf("the brief should not say %q:\n%s", part, r.Brief)
		}
	}
}

// Within a minute of the first edit there is one save. A resume tells the rest.
func TestKilledWithinAMinute(t *testing.T) {
	for _, name := range clients.Names() {
		for _, c := range []struct {
			name  string
			then  func(w *world)
			check func(w *world, r history.Resumption)
		}{
			{"on the same tree", func(*world) {}, func(w *world, r history.Resumption) {
				w.briefHas(r, "**Task**: add the tax to the cart, and drop old.go\n", "**Since the last save**: the session went on for ",
					"- main.go\n", "- tax.go (new, after the save)\n", "- old.go (deleted, after the save)\n",
					"- git rm -q old.go (after the save)\n", "- go build ./... (failed, after the save)\n", "Next I wire the tax into Total.", "### Not Verified Yet\n")
				if name != "gemini" { // which writes a call when it has ended
					w.briefHas(r, "- go test ./... (no end of it is known, after the save)\n")
				}
				w.briefLacks(r, "Changed since", "Current task", "files)")
				if n := strings.Count(r.Brief, "add the tax to the cart"); n != 1 {
					w.Errorf("the task is named %d times, want once:\n%s", n, r.Brief)
				}
				if !r.Since.Known || len(r.Since.New()) != 2 || r.Since.Why != "" {
					w.Errorf("got %+v, want it known, with two more files", r.Since)
				}
			}},
			{"on a tree where a person has committed all of it", func(w *world) {
				w.git("add", "-A")
				w.git("commit", "-q", "-m", "half of the tax")
			}, func(w *world, r history.Resumption) {
				w.briefHas(r, "- main.go", "- tax.go", "git_head: was ", "- go build ./... (failed, after the save)\n")
			}},
			{"on another branch", func(w *world) {
				w.git("stash", "-q", "-u")
				w.git("checkout", "-q", "-b", "other")
			}, func(w *world, r history.Resumption) {
				w.briefHas(r, "- tax.go (missing, after the save)\n", "git_branch: was main, is other")
			}},
			{"where a person has changed something else since", func(w *world) {
				w.after(time.Minute)
				w.write("README.md", "shop, by a person\n")
				w.touch("README.md")
			}, func(w *world, r history.Resumption) {
				w.briefHas(r, "- README.md: changed after the save, by whom is not known")
			}},
			{"with its log gone", func(w *world) {
				if err := os.Remove(w.script); err != nil {
					w.Fatal(err)
				}
			}, func(w *world, r history.Resumption) {
				w.briefHas(r, "**Since the last save**: not known, so work may be missing below (its log is gone: "+w.script+")", "- main.go", "- tax.go: changed after the save")
				if r.Since.Known {
					w.Errorf("got %+v, want it not known", r.Since)
				}
			}},
		} {
			t.Run(name+", "+c.name, func(t *testing.T) {
				w, _ := killed(t, name)
				saved := w.checkpoints()
				if len(saved) != 1 {
					t.Fatalf("got %d saves, want one", len(saved))
				}
				before, err := w.store.Checkpoints.State(t.Context(), saved[0].ID)
				if err != nil {
					t.Fatal(err)
				}
				c.then(w)
				r := w.resumes(saved[0].ID)
				c.check(w, r)
				if string(r.State) != string(before) || len(w.checkpoints()) != 1 {
					t.Errorf("got the state %s and %d checkpoints, want both as they were", r.State, len(w.checkpoints()))
				}
			})
		}
	}
}

// A prompt that came after the save is what the person wants now.
func TestKilledAfterANewPrompt(t *testing.T) {
	for _, name := range clients.Names() {
		t.Run(name, func(t *testing.T) {
			w, log := killed(t, name)
			w.after(time.Minute)
			w.logs(log.asks("leave the tax, mend the total"))
			w.tells(agent.Event{Kind: agent.EventPrompt, Prompt: "leave the tax, mend the total"})
			w.after(time.Second)
			w.logs(log.runs("cat main.go", 0))
			w.briefHas(w.resumes(w.checkpoints()[0].ID), "**Task**: add the tax to the cart, and drop old.go\n**Asked after the save**: leave the tax, mend the total\n", "- tax.go (new, after the save)\n", "- cat main.go (after the save)\n")
		})
	}
}

// Nothing came after the save: the brief says so, and nothing else.
func TestKilledRightAfterASave(t *testing.T) {
	for _, name := range clients.Names() {
		t.Run(name, func(t *testing.T) {
			w, _ := killed(t, name)
			w.after(time.Second)
			w.tells(agent.Event{Kind: agent.EventPreCompact, Source: agent.SourceManual})
			r := w.resumes(w.checkpoints()[0].ID)
			w.briefHas(r, "**Since the last save**: nothing; the save is the last that the session did\n", "- tax.go (new)\n", "- old.go (deleted)\n", "- go build ./... (failed)\n")
			w.briefLacks(r, "after the save")
			if r := w.resumes(w.checkpoints()[1].ID); r.Since != nil {
				t.Errorf("got %+v for an older checkpoint, want nothing: the next one tells", r.Since)
			}
		})
	}
}

// Another machine has the checkpoint in its store, and no session of it.
func TestKilledOnAnotherMachine(t *testing.T) {
	w, _ := killed(t, "claude")
	c := w.checkpoints()[0]
	state, err := w.store.Checkpoints.State(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	other := shop(t)
	c.Origin.Host = "forge"
	since := other.turns().Since(t.Context(), other.root, c, state)
	if since == nil || since.Known || !strings.Contains(since.Why, "on the machine forge") {
		t.Errorf("got %+v, want it said that the log is on the machine forge", since)
	}
}

// A killed session is offered to another one, of its own client and of others, with
// what came after its save.
func TestKilledIsOffered(t *testing.T) {
	for _, from := range clients.Names() {
		for _, to := range clients.All {
			t.Run(from+" to "+to.Name(), func(t *testing.T) {
				w, _ := killed(t, from)
				w.after(agent.Quiet + time.Minute)
				w.client, w.id, w.script = to, "another", filepath.Join(t.TempDir(), "none.jsonl")
				got := string(w.tells(agent.Event{Kind: agent.EventSessionStart, Source: agent.SourceStartup}))
				if got == "" {
					got = string(w.tells(agent.Event{Kind: agent.EventPrompt, Prompt: "hello"}))
				}
				for _, part := range []string{"Resume from add the tax to the cart, and drop …?", "After that save its agent changed tax.go, removed old.go, ran ", "piton resume chk_"} {
					if !strings.Contains(got, part) {
						t.Errorf("the offer lacks %q: %s", part, got)
					}
				}
			})
		}
	}
}
