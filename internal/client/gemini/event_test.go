package gemini

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

func environment(name string) string {
	return map[string]string{
		"GEMINI_SESSION_ID":  "from-the-environment",
		"GEMINI_PROJECT_DIR": clienttest.Project,
		"GEMINI_CWD":         clienttest.Project + "/sub",
		"GEMINI_API_KEY":     "never read",
		"CLAUDE_PROJECT_DIR": "/not/ours",
	}[name]
}

func payloadFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/payloads", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	steps   = "2026-11-20T09-18-ffce36ee-8b71-47f4-8622-b542a972c132" // when, and which
	asks    = "2026-11-20T09-25-394c02b8-856e-4a8f-a46c-33ffa09466c9"
	pinger  = "2026-11-20T09-32-95a90343-8dff-4afe-b295-8ae50ccaa732"
	failing = "2026-11-20T09-36-fa16b826-9f0e-405e-8047-28470f9bff76"
)

// baseEvent is what a payload of a session says at least.
func baseEvent(kind agent.EventKind, session string) agent.Event {
	return agent.Event{Kind: kind, Agent: "gemini", Child: true, ClientID: session[17:], Cwd: clienttest.Project, ProjectDir: clienttest.Project,
		Transcript: "/home/dev/.gemini/tmp/project/chats/session-" + session[:25] + ".jsonl"}
}

func TestDecodePayloads(t *testing.T) {
	tool := func(kind agent.EventKind, session, name string, call agent.CallKind, command string) agent.Event {
		e := baseEvent(kind, session)
		e.Tool, e.Call, e.Command = name, call, command
		e.MCP = strings.HasPrefix(name, "mcp_")
		e.MarksOnly = e.MCP && kind == agent.EventToolDone
		return e
	}
	failed := func(e agent.Event) agent.Event { return clienttest.With(e, func(e *agent.Event) { e.Failed = true }) }
	said := func(session, asked, words string) agent.Event {
		return clienttest.With(baseEvent(agent.EventStop, session), func(e *agent.Event) { e.Prompt, e.LastOutput = asked, words })
	}
	from := func(kind agent.EventKind, session, source string) agent.Event {
		return clienttest.With(baseEvent(kind, session), func(e *agent.Event) { e.Source = source })
	}
	asked := func(message string) agent.Event {
		return clienttest.With(from(agent.EventPermissionRequest, asks, "ToolPermission"), func(e *agent.Event) { e.Message = message })
	}
	tests := map[string]agent.Event{
		"SessionStart":       from(agent.EventSessionStart, steps, "startup"),
		"SessionStart.clear": from(agent.EventSessionStart, "2026-11-20T09-25-f93badfa-83b6-4110-8061-cf1f4ce7a0e4", "clear"),
		// What it names is not the file that the conversation goes on in.
		"SessionStart.resume": clienttest.With(from(agent.EventSessionStart, asks, "resume"), func(e *agent.Event) { e.Transcript = "" }),
		"BeforeAgent":         clienttest.With(baseEvent(agent.EventPrompt, steps), func(e *agent.Event) { e.Prompt = "Do the steps." }),
		"BeforeAgent.retry": clienttest.With(baseEvent(agent.EventPrompt, "2026-11-20T09-19-b214ce7e-deea-423a-968a-2adf2ad9fb4d"),
			func(e *agent.Event) { e.Prompt = "CHECKPOINT-REASON please verify" }),
		"BeforeTool":                      tool(agent.EventToolUse, steps, "run_shell_command", agent.CallShell, "echo hi"),
		"BeforeTool.mcp":                  tool(agent.EventToolUse, pinger, "mcp_ckpt_echo", agent.CallOther, ""),
		"AfterTool":                       tool(agent.EventToolDone, steps, "run_shell_command", agent.CallShell, "echo hi"),
		"AfterTool.shell-exit3":           tool(agent.EventToolDone, steps, "run_shell_command", agent.CallShell, "echo oops >&2; exit 3"),
		"AfterTool.write_file":            clienttest.Edited(tool(agent.EventToolDone, steps, "write_file", agent.CallEdit, ""), "/home/dev/project/notes.txt"),
		"AfterTool.replace":               clienttest.Edited(tool(agent.EventToolDone, steps, "replace", agent.CallEdit, ""), "/home/dev/project/notes.txt"),
		"AfterTool.replace-error":         failed(clienttest.Edited(tool(agent.EventToolDone, asks, "replace", agent.CallEdit, ""), "/home/dev/project/missing.txt")),
		"AfterTool.mcp":                   tool(agent.EventToolDone, pinger, "mcp_ckpt_echo", agent.CallOther, ""),
		"AfterTool.mcp-error":             failed(tool(agent.EventToolDone, pinger, "mcp_ckpt_echo", agent.CallOther, "")),
		"AfterAgent":                      said(steps, "Do the steps.", "I will look. \nAll steps are done."),
		"AfterAgent.retry-text-only":      said("2026-11-20T09-19-b214ce7e-deea-423a-968a-2adf2ad9fb4d", "Original prompt", "R1\nR2"),
		"AfterAgent.retry-with-tools":     said("2026-11-20T09-19-759baf37-598f-4c38-a344-8ca4ebb40e66", "Original prompt", "R1 first answer\nVerifying. \nR2 after the tool of the retry"),
		"AfterAgent.cancelled-mid-stream": said(failing, "prompt slow", "slow one  slow two "),
		"AfterAgent.api-error-interactive": clienttest.With(baseEvent(agent.EventStopFailed, failing),
			func(e *agent.Event) { e.Error = "[no response text]" }),
		"PreCompress.manual":  from(agent.EventPreCompact, "2026-11-20T09-42-cb596004-86fe-4e19-9264-ce3698e58ce0", "manual"),
		"PreCompress":         baseEvent("", steps), // before each call of a model
		"BeforeModel":         baseEvent("", steps),
		"AfterModel":          baseEvent("", steps),
		"BeforeToolSelection": baseEvent("", steps),
		"Notification":        asked("Tool Confirm Shell Command requires execution"),
		"Notification.edit":   asked("Tool Confirm Write: a.txt requires editing"),
		"SessionEnd":          from(agent.EventSessionEnd, steps, "exit"),
		"SessionEnd.clear":    from(agent.EventSessionEnd, "2026-11-20T09-24-a1a242cc-238d-48d4-977e-32382998b805", "clear"),
	}
	for name, want := range tests {
		want.SaidAll = want.Kind == agent.EventStop && want.LastOutput != ""
		t.Run(name, func(t *testing.T) {
			got, err := Client{}.Decode(payloadFile(t, name), environment)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
			}
		})
	}
	all, _ := filepath.Glob("testdata/payloads/*.json")
	if len(all) != len(tests) {
		t.Errorf("got %d payloads, %d of them decoded", len(all), len(tests))
	}
}

// After a hold the client hands the message back as a prompt, as it is or with
// what other hooks have put before it.
func TestDecodeItsOwnText(t *testing.T) {
	own := agent.Prefix + "Verify what you changed.\nThen end."
	for name, tt := range map[string]struct {
		prompt string
		want   bool
	}{
		"whole":                  {own, true},
		"cut":                    {own[:30], true},
		"cut behind the prefix":  {strings.TrimSpace(agent.Prefix), true},
		"with space before it":   {"\n  " + own, true},
		"behind another's words": {"<hook_context>Today is Monday.</hook_context>\n\n" + own, true},
		"with words behind it":   {own + "<hook_context>x</hook_context>", true},
		"a person's":             {"<hook_context>" + own + "</hook_context>\n\nFix it.", false},
		"a person's that quotes": {"why " + own, false},
	} {
		prompt, _ := json.Marshal(tt.prompt)
		got, err := Client{}.Decode([]byte(`{"hook_event_name":"BeforeAgent","prompt":`+string(prompt)+`}`), nil)
		if err != nil || agent.Injected(got.Prompt) != tt.want || !tt.want && strings.Contains(got.Prompt, "<hook_context>") {
			t.Errorf("%s: got prompt %q, injected %v, %v; want %v", name, got.Prompt, agent.Injected(got.Prompt), err, tt.want)
		}
	}
}

// TestDecodeABackgroundCommand: its tool has ended, and the command has not.
func TestDecodeABackgroundCommand(t *testing.T) {
	t.Parallel()
	const call = `{"session_id":"s","cwd":"/w","hook_event_name":"%s","tool_name":"run_shell_command","tool_input":{"command":"make","is_background":%t}}`
	for _, c := range []struct {
		event        string
		behind, want bool
	}{{"BeforeTool", true, false}, {"AfterTool", true, true}, {"AfterTool", false, false}} {
		e, err := Client{}.Decode(fmt.Appendf(nil, call, c.event, c.behind), nil)
		if err != nil || e.GoesOn != c.want {
			t.Errorf("%s, in the background %t: it goes on: %t (%v), want %t", c.event, c.behind, e.GoesOn, err, c.want)
		}
	}
}

func TestDecodeReadsItsOwnVariablesOnly(t *testing.T) {
	var asked []string
	got, err := Client{}.Decode([]byte(`{"hook_event_name":"SessionEnd"}`), func(name string) string {
		asked = append(asked, name)
		return environment(name)
	})
	slices.Sort(asked)
	if want := []string{"GEMINI_CWD", "GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID"}; !slices.Equal(asked, want) {
		t.Errorf("got %v asked for, want %v", asked, want)
	}
	want := agent.Event{Kind: agent.EventSessionEnd, Agent: "gemini", Child: true, ClientID: "from-the-environment", Cwd: clienttest.Project + "/sub", ProjectDir: clienttest.Project}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
}

func TestDecodeWrongTypes(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want agent.Event
	}{
		"numbers for strings":           {`{"session_id":7,"cwd":1e9,"hook_event_name":"AfterAgent","prompt_response":null}`, agent.Event{Kind: agent.EventStop}},
		"an input that is a list":       {`{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":["ls"]}`, agent.Event{Kind: agent.EventToolUse, Tool: "run_shell_command", Call: agent.CallShell}},
		"a command that is none":        {`{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":{}}}`, agent.Event{Kind: agent.EventToolUse, Tool: "run_shell_command", Call: agent.CallShell}},
		"a compression of no kind":      {`{"hook_event_name":"PreCompress","trigger":1}`, agent.Event{}},
		"another notification":          {`{"hook_event_name":"Notification","notification_type":"Idle"}`, agent.Event{Kind: agent.EventNotification, Source: "Idle"}},
		"an event of the future":        {`{"hook_event_name":"AfterEverything","prompt":"x","prompt_response":"y"}`, agent.Event{}},
		"an event that is not an event": {`{"hook_event_name":{"a":1}}`, agent.Event{}},
	} {
		tt.want.Agent = "gemini"
		got, err := Client{}.Decode([]byte(tt.in), nil)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", name, got, err, tt.want)
		}
	}
	for _, in := range []string{"", "null", "[]", `"AfterAgent"`, `{"hook_event_name":"AfterAgent"`, `{"hook_event_name":"AfterAgent"}{}`} {
		if got, err := (Client{}).Decode([]byte(in), nil); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%q: got %+v, %v; want Invalid", in, got, err)
		}
	}
}
