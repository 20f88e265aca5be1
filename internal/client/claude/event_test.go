package claude

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

const (
	logs  = "/home/dev/.claude/projects/-home-dev-project/"
	tour  = "34d60163-a886-44d9-b602-80c0fff22963"
	turns = "6152e381-4c21-432b-8da3-8b6a5782ebeb"
)

func environment(name string) string {
	return map[string]string{
		"CLAUDE_PROJECT_DIR":     clienttest.Project,
		"CLAUDE_PID":             "7219",
		"CLAUDE_CODE_SESSION_ID": "from-the-environment",
	}[name]
}

// event is what a payload of the project says at least.
func event(kind agent.EventKind, session string) agent.Event {
	return agent.Event{Kind: kind, Agent: "claude", ClientID: session, Transcript: logs + session + ".jsonl",
		Cwd: clienttest.Project, ProjectDir: clienttest.Project, PID: 7219}
}

func TestDecodePayloads(t *testing.T) {
	shell := func(id, command string) func(*agent.Event) {
		return func(e *agent.Event) { e.Tool, e.Call, e.CallID, e.Command = "Bash", agent.CallShell, id, command }
	}
	helper := func(e *agent.Event) { e.Subagent, e.Role = "aeabea24d591dffdf", "general-purpose" }
	tests := map[string]agent.Event{
		"SessionStart": clienttest.With(event(agent.EventSessionStart, turns), func(e *agent.Event) { e.Source = "startup" }),
		"SessionStart.clear": clienttest.With(event(agent.EventSessionStart, "e27c9366-66b0-4efe-8066-6631626300c5"),
			func(e *agent.Event) { e.Source = "clear" }),
		"SessionStart.compact": clienttest.With(event(agent.EventSessionStart, turns), func(e *agent.Event) { e.Source = "compact" }),
		"SessionStart.fork": clienttest.With(event(agent.EventSessionStart, "4e7070f5-cde1-4712-a9a2-0ba265fc4fa7"),
			func(e *agent.Event) { e.Source = "fork" }),
		"SessionStart.resume": clienttest.With(event(agent.EventSessionStart, "457eedc0-f4d2-45eb-9fb2-f0f64c61741e"),
			func(e *agent.Event) { e.Source = "resume" }),
		"UserPromptSubmit": clienttest.With(event(agent.EventPrompt, turns), func(e *agent.Event) { e.Prompt = "please fix the program" }),
		"UserPromptSubmit.slash": clienttest.With(event(agent.EventPrompt, tour),
			func(e *agent.Event) { e.Prompt, e.Cwd = "/greet Bob", clienttest.Project+"/sub" }),
		"PreToolUse": clienttest.With(event(agent.EventToolUse, turns),
			shell("toolu_mock0001_0", "ls")),
		"PreToolUse.subagent": clienttest.With(clienttest.With(event(agent.EventToolUse, turns), helper),
			shell("toolu_mock0009_0", "echo from-subagent")),
		"PostToolUse": clienttest.With(event(agent.EventToolDone, turns),
			func(e *agent.Event) {
				e.Tool, e.Call, e.CallID, e.Took = "Read", agent.CallRead, "toolu_mock0001_1", 28*time.Millisecond
			}),
		"PostToolUse.Agent": clienttest.With(event(agent.EventToolDone, turns),
			func(e *agent.Event) {
				e.Tool, e.Call, e.CallID, e.Took = "Agent", agent.CallOther, "toolu_mock0008_0", 13*time.Millisecond
			}),
		"PostToolUse.Edit": clienttest.With(event(agent.EventToolDone, turns),
			func(e *agent.Event) {
				e.Tool, e.Call, e.CallID, e.Took, e.Paths = "Edit", agent.CallEdit, "toolu_mock0003_0", 83*time.Millisecond, []string{"/home/dev/project/app.py"}
			}),
		"PostToolUse.Write": clienttest.With(event(agent.EventToolDone, turns),
			func(e *agent.Event) {
				e.Tool, e.Call, e.CallID, e.Took, e.Paths = "Write", agent.CallEdit, "toolu_mock0002_0", 24*time.Millisecond, []string{"/home/dev/project/app.py"}
			}),
		"PostToolUse.background": clienttest.With(clienttest.With(event(agent.EventToolDone, "af411b4f-9ae1-4e1e-8095-48553c3f9afb"),
			shell("toolu_mock0002_0", "timeout 30 tail -f /dev/null")), func(e *agent.Event) { e.Took, e.GoesOn = 19*time.Millisecond, true }),
		"PostToolUse.mcp": clienttest.With(event(agent.EventToolDone, "e17906e2-2768-453e-b342-880bd7329bee"),
			func(e *agent.Event) {
				e.Tool, e.Call, e.CallID, e.Took = "mcp__trivial__ping", agent.CallOther, "toolu_mock0001_0", 6*time.Millisecond
				e.MCP, e.MarksOnly = true, true
			}),
		"PostToolUseFailure": clienttest.With(clienttest.With(event(agent.EventToolDone, turns), shell("toolu_mock0004_0",
			`printf 'Traceback (most recent call last):\n  File "app.py", line 3, in <module>\n    f(0)\nValueError: bad value\n' >&2; exit 1`)),
			func(e *agent.Event) { e.Took, e.Failed, e.MarksOnly = 24*time.Millisecond, true, true }),
		"Stop": clienttest.With(event(agent.EventStop, turns),
			func(e *agent.Event) { e.LastOutput = "The program is changed; the last run failed." }),
		"Stop.active": clienttest.With(event(agent.EventStop, turns),
			func(e *agent.Event) { e.LastOutput = "Checkpoint handled: the tests pass now." }),
		"Stop.background": clienttest.With(event(agent.EventStop, turns), func(e *agent.Event) {
			e.LastOutput = "The helper is at work."
			e.Background = []agent.Background{{ID: "aeabea24d591dffdf", Type: "subagent", Running: true}}
		}),
		"Stop.background-shell": clienttest.With(event(agent.EventStop, "af411b4f-9ae1-4e1e-8095-48553c3f9afb"), func(e *agent.Event) {
			e.LastOutput = "Started in the background."
			e.Background = []agent.Background{{ID: "berzsvsv4", Type: "shell", Kind: agent.CallShell, Command: "timeout 30 tail -f /dev/null", Running: true}}
		}),
		"StopFailure": clienttest.With(event(agent.EventStopFailed, "1b4ea915-e207-43b6-b098-1c0a0e346897"),
			func(e *agent.Event) { e.Error, e.LastOutput = "unknown", "API Error: 400 mock failure" }),
		"SubagentStart": clienttest.With(event(agent.EventSubagentStart, turns), helper),
		"SubagentStop": clienttest.With(clienttest.With(event(agent.EventSubagentStop, turns), helper),
			func(e *agent.Event) { e.LastOutput = "Hello from the subagent." }),
		"SubagentStop.compaction": clienttest.With(event("", turns), func(e *agent.Event) {
			e.Subagent, e.LastOutput = "a2a3b53caccffdc48", "<summary>Mock summary of the session.</summary>"
		}),
		"PermissionRequest": clienttest.With(event(agent.EventPermissionRequest, tour), func(e *agent.Event) { e.Tool = "Bash" }),
		"PreCompact":        clienttest.With(event(agent.EventPreCompact, turns), func(e *agent.Event) { e.Source = "manual" }),
		"SessionEnd":        clienttest.With(event(agent.EventSessionEnd, turns), func(e *agent.Event) { e.Source = "prompt_input_exit" }),
		"SessionEnd.clear": clienttest.With(event(agent.EventSessionEnd, "5cd08df1-f1a4-4392-a671-c6fb79cabe9a"),
			func(e *agent.Event) { e.Source = "clear" }),
		"Notification": clienttest.With(event(agent.EventNotification, tour), func(e *agent.Event) {
			e.Source, e.Message, e.Asks = "permission_prompt", "Claude needs your permission", true
		}),
		"Notification.idle_prompt": clienttest.With(event(agent.EventNotification, "e27c9366-66b0-4efe-8066-6631626300c5"),
			func(e *agent.Event) {
				e.Source, e.Message, e.Asks = "idle_prompt", "Claude is waiting for your input", true
			}),
		"Notification.elicitation_response": clienttest.With(event(agent.EventNotification, "e17906e2-2768-453e-b342-880bd7329bee"),
			func(e *agent.Event) {
				e.Source, e.Message = "elicitation_response", `Elicitation response for server "trivial": cancel`
			}),
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Client{}.Decode(Payload(t, name), environment)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, want)
			}
		})
	}
}

// The machine's prompts are decoded like any other; that they are not a
// person's is the ground's to tell.
func TestDecodeMachinePrompts(t *testing.T) {
	for _, name := range []string{"UserPromptSubmit.task-notification", "UserPromptSubmit.rewake"} {
		got, err := Client{}.Decode(Payload(t, name), environment)
		if err != nil || got.Kind != agent.EventPrompt || !agent.Injected(got.Prompt) {
			t.Errorf("%s: got kind %q, injected %v, error %v; want %q, true, none", name, got.Kind, agent.Injected(got.Prompt), err, agent.EventPrompt)
		}
	}
}

func TestDecodeOtherEvents(t *testing.T) {
	for _, name := range []string{
		"ConfigChange", "CwdChanged", "DirectoryAdded", "Elicitation", "ElicitationResult", "FileChanged",
		"InstructionsLoaded", "MessageDisplay", "PostCompact", "PostModelSwitch", "PostToolBatch", "PreModelSwitch",
		"Setup", "TaskCompleted", "TaskCreated", "UserPromptExpansion", "WorktreeCreate",
	} {
		got, err := Client{}.Decode(Payload(t, name), environment)
		if err != nil || got.Kind != "" || got.ClientID == "" {
			t.Errorf("%s: got kind %q, id %q, error %v; want no kind, an id, no error", name, got.Kind, got.ClientID, err)
		}
	}
}

func TestDecodeWrongTypes(t *testing.T) {
	want := agent.Event{Kind: agent.EventStop, Agent: "claude", ClientID: "from-the-environment", Cwd: clienttest.Project,
		ProjectDir: clienttest.Project, PID: 7219, Background: []agent.Background{{ID: "b2"}}}
	for name, in := range map[string]string{
		"numbers for strings": `{"session_id":7,"transcript_path":1e9,"cwd":"/home/dev/project","hook_event_name":"Stop","background_tasks":[1,"x",{"id":3},{"id":"b2","type":4,"status":["running"]}],"last_assistant_message":null}`,
		"objects for strings": `{"session_id":{"a":"b"},"hook_event_name":"Stop","background_tasks":[{"id":"b2"}],"cwd":"/home/dev/project","prompt":{"text":"x"},"duration_ms":"long"}`,
		"the last one counts": `{"hook_event_name":"Setup","cwd":false,"session_id":"x","session_id":[],"hook_event_name":"Stop","cwd":"/home/dev/project","background_tasks":[{"id":"b2"}]}`,
	} {
		got, err := Client{}.Decode([]byte(in), environment)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", name, got, err, want)
		}
	}
	got, err := Client{}.Decode([]byte(`{"hook_event_name":"Stop","background_tasks":"none","session_id":"s"}`), nil)
	if err != nil || got.Background != nil || got.ClientID != "s" {
		t.Errorf("background tasks that are text: got %+v, %v; want none of them, and the id", got, err)
	}
}

func TestDecodeNoPayload(t *testing.T) {
	whole := string(Payload(t, "Stop"))
	tests := map[string]string{
		"empty": "", "space": " \n", "text": "Stop", "array": `[{"hook_event_name":"Stop"}]`, "string": `"Stop"`, "null": "null",
		"binary": "\x00\x01\x02{", "two objects": `{"hook_event_name":"Stop"}{}`, "text behind": `{"hook_event_name":"Stop"} and more`,
		"no colon": `{"hook_event_name" "Stop"}`, "no quotes": `{hook_event_name:"Stop"}`, "comma at the end": `{"a":1,}`,
	}
	for i := range len(strings.TrimSpace(whole)) {
		if i%7 == 0 {
			tests["cut at "+whole[:i]] = whole[:i]
		}
	}
	for name, in := range tests {
		if got, err := (Client{}).Decode([]byte(in), environment); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%s: got %+v, %v; want an Invalid error", name, got, err)
		}
	}
}

func TestDecodeStepsOverLargeValues(t *testing.T) {
	big := append([]byte(`{"hook_event_name":"PostToolUse","tool_response":{"stdout":"`), bytes.Repeat([]byte(`a line\n`), 7<<20)...)
	big = append(big, `"},"tool_name":"Bash"}`...)
	var got agent.Event
	allocated := testing.AllocsPerRun(1, func() { got, _ = Client{}.Decode(big, nil) })
	if got.Tool != "Bash" || allocated > 10 {
		t.Errorf("got tool %q with %v allocations; want Bash with at most 10", got.Tool, allocated)
	}
}

func Payload(t testing.TB, name string) []byte {
	b, err := os.ReadFile(filepath.Join("testdata/payloads", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
