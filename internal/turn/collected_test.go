package turn_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/testkit/draw"
)

// strange draws a text as nobody types it, and as prompts, names and outputs
// have it all the same.
func strange(r *rapid.T, label string) string {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"\r\n", "\r", "\n", "\t", "\x1b[2J", "\x1b]0;title\x07", "\x00", "\x7f", "\u009b31m", "\u0085", "\u202e", "\u2028", "\U000E0041", "\xff", "\xe6\x97",
			"<system-reminder>", "`", `"`, `\`, "`rm -rf /`", "mend it", "日本", strings.Repeat("long ", 2000), strings.Repeat("\x01", 3000)}),
		rapid.String())
	return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(r, label), "")
}

// fileName makes a name that a file can have.
func fileName(s string) string {
	s = strings.NewReplacer("/", "_", "\x00", "_").Replace(s)
	if s = strings.TrimSpace(s[:min(len(s), 100)]); s == "" || s == "." || s == ".." || s == ".git" {
		return "name"
	}
	return s
}

// TestWhateverIsCollectedIsKept: no prompt, name, todo or output is a reason to
// lose a turn's checkpoints, with any client.
func TestWhateverIsCollectedIsKept(t *testing.T) {
	w := shop(t)
	n := 0
	draw.Check(t, func(r *rapid.T) {
		n++
		w.id, w.set.MinTurn = fmt.Sprint("session-", n), time.Hour
		log := &agent.Transcript{Complete: true, TodosSeen: true, TodosWhole: true}
		w.client = scripted{fake{name: rapid.SampledFrom([]string{"claude", "gemini", "codex"}).Draw(r, "client"), takes: func(agent.Event) bool { return true }}, log}
		handle := func(e agent.Event) {
			e.Agent, e.ClientID, e.Transcript, e.Cwd, e.ProjectDir, e.At = w.client.Name(), w.id, w.script, w.root, w.root, w.now
			e.ClientVersion = strange(r, "version")
			reply, err := w.turns().Handle(t.Context(), e)
			if err != nil {
				r.Fatalf("%s: %v", e.Kind, err)
			}
			if len(reply.Get()) > 0 {
				harmless(r, reply.Get())
			}
		}
		head := "ref: refs/heads/" + rapid.OneOf(rapid.Just("main"), rapid.Custom(func(r *rapid.T) string { return fileName(strange(r, "name")) })).Draw(r, "branch") + "\n"
		if err := os.WriteFile(filepath.Join(w.root, ".git", "HEAD"), []byte(head), 0o644); err != nil {
			t.Fatal(err)
		}
		name := fileName(strange(r, "file"))
		prompt := "mend " + strange(r, "prompt")
		handle(agent.Event{Kind: agent.EventPrompt, Prompt: prompt})
		w.write(name, "changed\n")
		log.LastPrompt, log.LastPromptAt = prompt, w.now
		log.Todos = []agent.Todo{{ID: strange(r, "todo id"), Content: "todo " + strange(r, "todo"), Status: strange(r, "status")}}
		log.ClientVersion, log.LastOutput, log.LastOutputAt = strange(r, "version"), strange(r, "output"), w.now
		log.Calls = []agent.Call{
			{Kind: agent.CallEdit, Tool: "Write", Paths: []string{w.path(name)}, StartedAt: w.now, EndedAt: w.now},
			{Kind: agent.CallShell, Tool: strange(r, "tool"), Command: strange(r, "command"), Output: strange(r, "output"), StartedAt: w.now, EndedAt: w.now},
		}
		role := strange(r, "role")
		kept := 0
		after := func(what string, e agent.Event, saves int) {
			w.after(2 * time.Minute)
			handle(e)
			if kept += saves; len(w.checkpoints()) != kept {
				r.Fatalf("got %d checkpoints after %s, want %d", len(w.checkpoints()), what, kept)
			}
		}
		after("an edit", agent.Event{Kind: agent.EventToolDone, Call: agent.CallEdit, Paths: []string{w.path(name)}}, 1)
		after("a handoff", agent.Event{Kind: agent.EventSubagentStart, Subagent: "a1", Role: role}, 1)
		after("its end", agent.Event{Kind: agent.EventSubagentStop, Subagent: "a1", Role: role, LastOutput: strange(r, "said")}, 1)
		after("a risky command", agent.Event{Kind: agent.EventToolUse, Call: agent.CallShell, Command: "rm -rf '" + strings.ToValidUTF8(strings.ReplaceAll(strange(r, "risk"), "'", ""), "") + "'"}, 1)
		after("an error", agent.Event{Kind: agent.EventStopFailed, Error: strange(r, "error")}, 1)
		after("a compaction", agent.Event{Kind: agent.EventPreCompact, Source: "auto"}, 1)
		after("a stop", agent.Event{Kind: agent.EventStop, LastOutput: log.LastOutput}, 1)
		after("the end", agent.Event{Kind: agent.EventSessionEnd}, 1)
		w.after(time.Minute)
		handle(agent.Event{Kind: agent.EventSessionStart, Source: "compact"})

		for _, c := range w.checkpoints() {
			for _, text := range []string{c.Description, c.TaskSummary, c.Origin.GitBranch, c.Origin.ClientVersion} {
				if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) || len(text) > 4000 {
					r.Fatalf("got %q in a record", text)
				}
			}
		}
		l, err := history.Keeper{Store: w.store.Checkpoints, Local: w.store}.Load(t.Context(), history.Selector{ID: w.checkpoints()[0].ID}, false)
		if err != nil {
			r.Fatal(err)
		}
		brief, err := history.Brief(history.Resumption{Loaded: l}, piton.At(w.now))
		if err != nil || strings.ContainsFunc(brief, func(r rune) bool { return unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) }) {
			r.Fatalf("got the brief %q (%v)", brief, err)
		}
	})
}

// harmless checks that a reply is one JSON object whose texts steer nothing.
func harmless(r *rapid.T, reply []byte) {
	var v any
	if err := json.Unmarshal(reply, &v); err != nil {
		r.Fatalf("the reply %q is not JSON: %v", reply, err)
	}
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.ContainsFunc(v, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
				r.Fatalf("got %q in a reply", v)
			}
		case map[string]any:
			for _, x := range v {
				look(x)
			}
		}
	}
	look(v)
}

// TestStateIsKeptAsItWas: a state has what was said and named, escapes and all;
// the record shows it without.
func TestStateIsKeptAsItWas(t *testing.T) {
	w := shop(t)
	w.set.MinTurn = time.Hour
	for name, want := range map[string]string{"a\x1b[31m.txt": "a\x1b[31m.txt", "new\nline.txt": "new\nline.txt", "caf\xe9.txt": `"caf\351.txt"`, `"q".txt`: `"q".txt`} {
		prompt := "mend " + want + "\r\nand \x1b[1mthis\x00"
		w.asks(prompt)
		w.after(time.Minute)
		w.edits(name, "changed\n")
		w.stops()
		s := w.state()
		if s["task_summary"] != prompt {
			t.Errorf("got the task %q in the state, want %q", s["task_summary"], prompt)
		}
		if files := fmt.Sprintf("%q", s["files_modified"]); !strings.Contains(files, fmt.Sprintf("%q", want)) {
			t.Errorf("got the files %s in the state, want %q among them", files, want)
		}
		c := w.checkpoints()[0]
		if !strings.HasSuffix(c.TaskSummary, "\nand \\x1b[1mthis\\x00") || !strings.Contains(c.Description, "1 file changed") {
			t.Errorf("got the task %q and the description %q in the record", c.TaskSummary, c.Description)
		}
	}
}

// TestStrangePromptsOfRealClients replays recorded turns with prompts that a
// record could not have as they are.
func TestStrangePromptsOfRealClients(t *testing.T) {
	for _, prompt := range []string{"a\r\nb", "a\rb", "\x1b[31mred\x1b[0m", "nul \x00 and \x7f", "\u009b2J", "\u2028\u202e", "\ufeffbom", strings.Repeat("\x07", 5000), "tab\tand\nline"} {
		for _, client := range clients.All {
			got, w := replayWith(t, client, variant{prompt: quoted(prompt)})
			if !got[0].Held || got[1].Held {
				t.Errorf("%s, %.20q: got %+v, want it judged as before", client.Name(), prompt, got)
			}
			page, err := w.store.Checkpoints.List(t.Context(), piton.Query{Trigger: piton.TriggerTurnEnd})
			if err != nil || len(page.Checkpoints) != 1 {
				t.Errorf("%s, %.20q: got %d checkpoints of the turn (%v), want one", client.Name(), prompt, len(page.Checkpoints), err)
				continue
			}
			if b, err := w.store.Checkpoints.State(t.Context(), page.Checkpoints[0].ID); err != nil || !strings.Contains(string(b), strings.Trim(quoted(prompt[:min(len(prompt), 1500)]), `"`)) {
				t.Errorf("%s, %.20q: got the state %.300s (%v), want the prompt in it", client.Name(), prompt, b, err)
			}
		}
	}
}

// TestWhatIsCarriedOverIsBounded: a state that a caller made as large as a state
// may be does not keep the next one from being saved.
func TestWhatIsCarriedOverIsBounded(t *testing.T) {
	w := shop(t)
	w.set.MinTurn = time.Hour
	w.asks("mend it")
	w.edits("README.md", "more\n")
	w.stops()
	decision := quoted(strings.Repeat("d", 1<<20))
	state := `{"decisions":[` + strings.Repeat(decision+",", 40) + `"newest"],"todos":[` + strings.Repeat(`{"content":`+decision+`},`, 15) + `{"content":"last"}],"commands":[{"command":` + decision + `}],"files_modified":["a",` + decision + `]}`
	k := history.Keeper{Store: w.store.Checkpoints, Local: w.store}
	if _, err := k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: w.session().WorkflowID, State: []byte(state)}}); err != nil {
		t.Fatal(err)
	}
	w.asks("go on")
	w.edits("README.md", "and more\n")
	w.stops()
	if n := len(w.checkpoints()); n != 2 {
		t.Fatalf("got %d checkpoints of the session, want the next turn's too", n)
	}
	s := w.state()
	decisions, todos := s["decisions"].([]any), s["todos"].([]any)
	if n := len(decisions); n < 10 || n > 20 || decisions[n-1] != "newest" {
		t.Errorf("got %d decisions, want the newest", n)
	}
	if n := len(todos); n != 16 || todos[n-1].(map[string]any)["content"] != "last" {
		t.Errorf("got %d todos, want all of them, cut", n)
	}
	if files := s["files_modified"].([]any); len(files) != 2 {
		t.Errorf("got the files %.100v, want those that can be", files)
	}
}
