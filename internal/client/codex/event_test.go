package codex

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

func payloadFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/payloads", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// baseEvent is what a payload of the recorded project says at least.
func baseEvent(kind agent.EventKind, at, session string) agent.Event {
	return agent.Event{Kind: kind, Agent: "codex", Child: true, ClientID: session, Cwd: clienttest.Project,
		Transcript: "/home/dev/.codex/sessions/2026/11/20/rollout-2026-11-20T" + at + "-" + session + ".jsonl"}
}

func TestDecodePayloads(t *testing.T) {
	work := func(kind agent.EventKind) agent.Event {
		return baseEvent(kind, "09-19-17", "01a1f840-c713-7d62-8200-580091ca6e2e")
	}
	compacted := func(kind agent.EventKind) agent.Event {
		return baseEvent(kind, "09-36-50", "01a1f850-d9c1-7451-9f4f-d83f6c994027")
	}
	delegated := func(kind agent.EventKind) agent.Event {
		e := baseEvent(kind, "09-43-13", "01a1f856-b149-7d22-b296-bf8d22a3d18d")
		e.Subagent, e.Role = "01a1f856-b2c5-7683-b3ae-fa4479bb6347", "default"
		return e
	}
	tool := func(e agent.Event, name string, call agent.CallKind, id, command string) agent.Event {
		e.Tool, e.Call, e.CallID, e.Command = name, call, id, command
		e.MCP = call == agent.CallOther
		e.MarksOnly = e.MCP && e.Kind == agent.EventToolDone
		return e
	}
	noted := func(kind agent.EventKind) agent.Event {
		return tool(baseEvent(kind, "09-40-08", "01a1f853-df99-72a3-8a8a-20d7c929af08"), "mcp__demo__save_note", agent.CallOther, "call_s1_mwosg06e3", "")
	}
	for name, want := range map[string]agent.Event{
		"SessionStart":         clienttest.With(work(agent.EventSessionStart), func(e *agent.Event) { e.Source = "startup" }),
		"SessionStart.startup": clienttest.With(work(agent.EventSessionStart), func(e *agent.Event) { e.Source = "startup" }),
		"SessionStart.compact": clienttest.With(compacted(agent.EventSessionStart), func(e *agent.Event) { e.Source = "compact" }),
		"SessionStart.resume": clienttest.With(baseEvent(agent.EventSessionStart, "09-38-10", "01a1f852-11e0-7452-8e52-17a6bcdf5a10"),
			func(e *agent.Event) { e.Source = "resume" }),
		"SessionEnd":                 clienttest.With(work(agent.EventSessionEnd), func(e *agent.Event) { e.Source = "other" }),
		"UserPromptSubmit":           clienttest.With(work(agent.EventPrompt), func(e *agent.Event) { e.Prompt = "Please do the work" }),
		"PreToolUse":                 tool(work(agent.EventToolUse), "Bash", agent.CallShell, "call_s0_mworp6t81", "echo hello && pwd"),
		"PreToolUse.failed-command":  tool(work(agent.EventToolUse), "Bash", agent.CallShell, "call_s2_mworp8cj7", "cat does-not-exist; exit 3"),
		"PreToolUse.apply_patch":     clienttest.Edited(tool(work(agent.EventToolUse), "apply_patch", agent.CallEdit, "call_s1_mworp7nw4", ""), "/home/dev/project/made.txt"),
		"PreToolUse.mcp":             noted(agent.EventToolUse),
		"PostToolUse":                tool(work(agent.EventToolDone), "Bash", agent.CallShell, "call_s0_mworp6t81", "echo hello && pwd"),
		"PostToolUse.failed-command": tool(work(agent.EventToolDone), "Bash", agent.CallShell, "call_s2_mworp8cj7", "cat does-not-exist; exit 3"),
		"PostToolUse.apply_patch":    clienttest.Edited(tool(work(agent.EventToolDone), "apply_patch", agent.CallEdit, "call_s1_mworp7nw4", ""), "/home/dev/project/made.txt"),
		"PostToolUse.mcp":            noted(agent.EventToolDone),
		"PermissionRequest": clienttest.With(baseEvent(agent.EventPermissionRequest, "09-39-30", "01a1f853-4861-73a2-95db-690c98388763"),
			func(e *agent.Event) { e.Tool = "Bash" }),
		"PreCompact": clienttest.With(compacted(agent.EventPreCompact), func(e *agent.Event) { e.Source = "manual" }),
		"Interrupt":  compacted(agent.EventInterrupt),
		"Stop":       clienttest.With(work(agent.EventStop), func(e *agent.Event) { e.LastOutput = "All work done." }),
		"Stop.active": clienttest.With(baseEvent(agent.EventStop, "09-19-44", "01a1f841-32df-72f3-a2dc-3b7639e64f10"),
			func(e *agent.Event) { e.LastOutput = "Checkpoint handled." }),
		"SubagentStart": clienttest.With(delegated(agent.EventSubagentStart), func(e *agent.Event) { e.Transcript = "" }),
		"SubagentStop":  clienttest.With(delegated(agent.EventSubagentStop), func(e *agent.Event) { e.LastOutput = "OK." }),
		// What means nothing to Piton has no kind.
		"PostCompact":      compacted(""),
		"PreModelRequest":  work(""),
		"PostModelRequest": work(""),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Client{}.Decode(payloadFile(t, name), func(name string) string {
				t.Errorf("the environment was asked for %s", name)
				return "another session's"
			})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
			}
		})
	}
}

// A call inside a subagent names the subagent's log, which is not the session's.
func TestDecodeSubagentsCall(t *testing.T) {
	const sub = "01a1fef7-571c-72d1-be7a-55686f5c5804"
	got, err := Client{}.Decode([]byte(`{"session_id":"s","agent_id":"`+sub+`","agent_type":"default","hook_event_name":"PreToolUse",
		"transcript_path":"/s/rollout-`+sub+`.jsonl","tool_name":"Bash","tool_input":{"command":["bash","-lc","make test"]}}`), nil)
	want := agent.Event{Kind: agent.EventToolUse, Agent: "codex", Child: true, ClientID: "s", Tool: "Bash", Call: agent.CallShell,
		Command: "make test", Subagent: sub, Role: "default"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestDecodeNoPayload(t *testing.T) {
	whole := strings.TrimSpace(string(payloadFile(t, "Stop")))
	tests := map[string]string{
		"empty": "", "text": "Stop", "array": `[{"hook_event_name":"Stop"}]`, "null": "null",
		"two objects": `{"hook_event_name":"Stop"}{}`, "text behind": `{"hook_event_name":"Stop"} and more`,
	}
	for i := range len(whole) {
		if i%7 == 0 {
			tests["cut at "+whole[:i]] = whole[:i]
		}
	}
	for name, in := range tests {
		if got, err := (Client{}).Decode([]byte(in), nil); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%s: got %+v, %v; want an Invalid error", name, got, err)
		}
	}
	for name, in := range map[string]string{
		"numbers for strings": `{"session_id":7,"transcript_path":1e9,"hook_event_name":"Stop","last_assistant_message":null}`,
		"objects for strings": `{"session_id":{"a":"b"},"hook_event_name":"Stop","prompt":{"text":"x"}}`,
	} {
		got, err := Client{}.Decode([]byte(in), nil)
		if want := (agent.Event{Kind: agent.EventStop, Agent: "codex", Child: true}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v; want %+v", name, got, err, want)
		}
	}
}

// homeWith lays the recorded rollouts under a home of the client's.
func homeWith(t testing.TB) (home string) {
	t.Helper()
	home = t.TempDir()
	if err := os.CopyFS(filepath.Join(home, "sessions"), os.DirFS("testdata/sessions")); err != nil {
		t.Fatal(err)
	}
	return home
}

func rolloutOf(t testing.TB, home, day, name string) string {
	t.Helper()
	path := filepath.Join(home, "sessions", filepath.FromSlash(day), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	thread := strings.TrimSuffix(name[len("rollout-2026-11-20T09-19-17-"):], ".jsonl")
	head := `{"timestamp":"2026-11-20T09:19:17.000Z","type":"session_meta","payload":{"id":"` + thread + `","source":"cli"}}` + "\n"
	if err := os.WriteFile(path, []byte(head), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDecodeNotify(t *testing.T) {
	home := homeWith(t)
	const day = "2026/11/20"
	exec := rolloutOf(t, home, day, "rollout-2026-11-20T09-19-17-01a1f840-c713-7d62-8200-580091ca6e2e.jsonl")
	// The folder is named after the client's day, which may be another than UTC's.
	tui := rolloutOf(t, home, "2026/11/21", "rollout-2026-11-20T09-36-50-01a1f850-d9c1-7451-9f4f-d83f6c994027.jsonl")
	getenv := func(name string) string { return map[string]string{"CODEX_HOME": home, "HOME": "/nowhere"}[name] }

	for name, want := range map[string]agent.Event{
		"notify.exec": {Kind: agent.EventStop, Agent: "codex", Unheard: true, Cwd: clienttest.Project, Transcript: exec,
			ClientID: "01a1f840-c713-7d62-8200-580091ca6e2e", LastOutput: "All work done."},
		"notify.tui": {Kind: agent.EventStop, Agent: "codex", Unheard: true, Cwd: clienttest.Project, Transcript: tui,
			ClientID: "01a1f850-d9c1-7451-9f4f-d83f6c994027", LastOutput: "OK."},
		"notify.tui.later-turn": {Kind: agent.EventStop, Agent: "codex", Unheard: true, Cwd: clienttest.Project, Transcript: tui,
			ClientID: "01a1f850-d9c1-7451-9f4f-d83f6c994027", LastOutput: "Slow work done."},
		"notify.title-thread": {Agent: "codex"},
		"notify.subagent":     {Agent: "codex"},
	} {
		got, err := Client{}.Decode(payloadFile(t, name), getenv)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", name, got, err, want)
		}
	}
}

func TestNotifyOfThreads(t *testing.T) {
	home := homeWith(t)
	odd := rolloutOf(t, home, "2024/01/02", "rollout-2026-11-20T09-19-17-7f1f0d3c-0000-4000-8000-580091ca6e2e.jsonl")
	under := t.TempDir()
	if err := os.Rename(filepath.Join(home, "sessions"), filepath.Join(under, "sessions")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(home, "u[ser]"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(under, filepath.Join(home, "u[ser]", ".codex")); err != nil {
		t.Fatal(err)
	}
	odd = strings.Replace(odd, filepath.Join(home, "sessions"), filepath.Join(home, "u[ser]", ".codex", "sessions"), 1)
	getenv := func(name string) string { return map[string]string{"HOME": filepath.Join(home, "u[ser]")}[name] }
	for _, tt := range []struct{ name, thread, want string }{
		{"a session, at home", "01a1fef7-55dc-7d70-9e4a-34e94c924e90", "rollout-2026-11-21T16-36-24-01a1fef7-55dc-7d70-9e4a-34e94c924e90.jsonl"},
		{"a subagent", "01a1fef7-571c-72d1-be7a-55686f5c5804", ""},
		{"a subagent with a copy of its session's log", "01a1fefb-53b0-7422-8355-6dc467aad476", ""},
		{"an id without a time", "7f1f0d3c-0000-4000-8000-580091ca6e2e", filepath.Base(odd)},
		{"unknown", "01a1fef7-55dc-7d70-9e4a-000000000000", ""},
		{"no id", "", ""},
		{"a pattern", "*", ""},
		{"a path", "../../../../../../../etc/passwd-aaaaaaaaaaaaa", ""},
	} {
		got, err := Client{}.Decode([]byte(`{"type":"agent-turn-complete","thread-id":"`+tt.thread+`"}`), getenv)
		found := ""
		if got.Transcript != "" {
			found = filepath.Base(got.Transcript)
		}
		if err != nil || found != tt.want || (got.Kind == agent.EventStop) != (tt.want != "") {
			t.Errorf("%s: got kind %q of %q, %v; want %q", tt.name, got.Kind, found, err, tt.want)
		}
	}
	if got, err := (Client{}).Decode([]byte(`{"type":"agent-turn-complete","thread-id":"01a1fef7-55dc-7d70-9e4a-34e94c924e90"}`), nil); err != nil || got.Kind != "" {
		t.Errorf("no environment: got %+v, %v; want no kind", got, err)
	}
	if got, err := (Client{}).Decode([]byte(`{"type":"approval-requested","thread-id":"01a1fef7-55dc-7d70-9e4a-34e94c924e90"}`), getenv); err != nil || got.Kind != "" {
		t.Errorf("another notice: got %+v, %v; want no kind", got, err)
	}
}

func TestHeads(t *testing.T) {
	instructions := strings.Repeat("Be kind. ", 20_000)
	for _, tt := range []struct {
		name, head string
		want       head
		subagent   bool
	}{
		{"of now", `{"timestamp":"x","type":"session_meta","payload":{"session_id":"a","id":"a","source":"cli","thread_source":"user","cli_version":"1"}}`,
			head{id: "a", session: "a", source: "user", version: "1"}, false},
		{"a subagent", `{"type":"session_meta","payload":{"session_id":"a","id":"b","parent_thread_id":"a","source":{"subagent":{"thread_spawn":{"parent_thread_id":"a"}}},"thread_source":"subagent"}}`,
			head{id: "b", session: "a", parent: "a", source: "subagent", nested: true}, true},
		{"an older subagent", `{"type":"session_meta","payload":{"id":"b","instructions":"` + instructions + `","source":{"subagent":{"thread_spawn":{"parent_thread_id":"a"}}}}}`,
			head{id: "b", parent: "a", nested: true}, true},
		{"a review", `{"type":"session_meta","payload":{"id":"b","source":{"subagent":"review"}}}`, head{id: "b", nested: true}, true},
		{"a thread of the client's own", `{"type":"session_meta","payload":{"id":"b","source":"cli","thread_source":"memory_consolidation"}}`,
			head{id: "b", source: "memory_consolidation"}, true},
		{"long instructions", `{"type":"session_meta","payload":{"id":"a","cwd":"/p","base_instructions":{"text":"` + instructions + `"},"source":"exec","cli_version":"2"}}`,
			head{id: "a", cwd: "/p", version: "2"}, false},
		{"another line", `{"type":"event_msg","payload":{"id":"a"}}`, head{}, false},
		{"nothing", ``, head{}, false},
	} {
		b := []byte(tt.head + "\n" + `{"type":"event_msg"}`)
		got, err := headFrom(bytes.NewReader(b), int64(len(b)))
		if err != nil || got != tt.want || got.subagent() != tt.subagent {
			t.Errorf("%s: got %+v, subagent %v, %v; want %+v, %v", tt.name, got, got.subagent(), err, tt.want, tt.subagent)
		}
	}
}

// A subagent that works on behind the stop is seen in its own log.
func TestDecodeStopWithSubagents(t *testing.T) {
	home := homeWith(t)
	day := filepath.Join(home, "sessions/2026/11/21")
	const child = "01a1fef7-571c-72d1-be7a-55686f5c5804"
	session := filepath.Join(day, "rollout-2026-11-21T16-36-24-01a1fef7-55dc-7d70-9e4a-34e94c924e90.jsonl")
	log := filepath.Join(day, "rollout-2026-11-21T16-36-24-"+child+".jsonl")
	stop := []byte(`{"session_id":"01a1fef7-55dc-7d70-9e4a-34e94c924e90","hook_event_name":"Stop","transcript_path":"` + session + `"}`)
	if got, err := (Client{}).Decode(stop, nil); err != nil || got.Background != nil {
		t.Errorf("the subagent has ended: got %+v, %v; want none", got.Background, err)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, b[:bytes.LastIndex(b, []byte(`{"timestamp"`))], 0o600); err != nil { // without task_complete
		t.Fatal(err)
	}
	want := []agent.Background{{ID: child, Type: "subagent", Kind: agent.CallOther, Running: true}}
	if got, err := (Client{}).Decode(stop, nil); err != nil || !reflect.DeepEqual(got.Background, want) {
		t.Errorf("the subagent works: got %+v, %v; want %+v", got.Background, err, want)
	}
}

// Nobody wakes the agent at the end of a command that goes on behind: a stop is
// judged as if it did not.
func TestDecodeStopWithCommands(t *testing.T) {
	home := homeWith(t)
	const id = "01a1fef7-55dc-7d70-9e4a-34e94c924e99"
	path := filepath.Join(home, "sessions/2026/11/21/rollout-2026-11-21T16-36-24-"+id+".jsonl")
	line := func(kind, payload string) string {
		return `{"timestamp":"2026-11-21T16:40:00Z","type":"` + kind + `","payload":` + payload + "}\n"
	}
	log := line("event_msg", `{"type":"task_started","turn_id":"t"}`) +
		line("response_item", `{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"go test ./...\"}","call_id":"a"}`) +
		line("response_item", `{"type":"function_call_output","call_id":"a","output":"Process running with session ID 5\nOutput:\n"}`)
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := (Client{}).Decode([]byte(`{"session_id":"`+id+`","hook_event_name":"Stop","transcript_path":"`+path+`"}`), nil)
	if err != nil || got.Background != nil {
		t.Errorf("got %+v (%v), want none", got.Background, err)
	}
}
