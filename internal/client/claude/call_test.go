package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/clienttest"
)

// session writes lines as a transcript and returns its path. A line begins with
// its second: "3 {…" is stamped 10:00:03.
func session(t testing.TB, lines ...string) string {
	t.Helper()
	var b strings.Builder
	for _, l := range lines {
		second, rest, _ := strings.Cut(l, " ")
		rest = strings.TrimSuffix(rest, "}")
		fmt.Fprintf(&b, `%s,"cwd":"/home/dev/project","version":"2.1.328","timestamp":"2026-11-20T10:00:%02sZ"}`+"\n", rest, second)
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func asked(words string) string {
	return `{"type":"user","message":{"content":"` + words + `"},"origin":{"kind":"human"}}`
}

func used(id, tool, input string) string {
	return `{"type":"assistant","message":{"id":"m` + id + `","content":[{"type":"tool_use","id":"` + id + `","name":"` + tool + `","input":` + input + `}]}}`
}

func answered(id, block, line string) string {
	return `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `",` + block + `}]}` + line + `}`
}

func TestCalls(t *testing.T) {
	const bash = `{"command":"make test"}`
	for _, tt := range []struct {
		name, tool, input, block, line string
		want                           string
	}{
		{"a command", "Bash", bash, `"content":"ok","is_error":false`, "", `shell "make test" "ok"`},
		{"a failed command", "Bash", bash, `"content":"Exit code 2\nbad","is_error":true`, `,"toolUseResult":"Error: Exit code 2\nbad"`, `shell "make test" failed exit 2 "Exit code 2\nbad"`},
		{"a failed command that says no code", "Bash", bash, `"content":"Exit code: two","is_error":true`, "", `shell "make test" failed "Exit code: two"`},
		{"a command that speaks of a code", "Bash", bash, `"content":"Exit code 2","is_error":false`, "", `shell "make test" "Exit code 2"`},
		{"a flag of a wrong type", "Bash", bash, `"content":"ok","is_error":"true"`, "", `shell "make test" "ok"`},
		{"stopped by a person", "Bash", bash, `"content":"The user doesn't want to proceed with this tool use.","is_error":true`, `,"toolDenialKind":"user-rejected"`, `shell "make test" interrupted "The user doesn't want to proceed with this tool use."`},
		{"stopped, in an old version", "Bash", bash, `"content":"The user doesn't want to take this action right now.","is_error":true`, "", `shell "make test" interrupted "The user doesn't want to take this action right now."`},
		{"interrupted with output", "Bash", bash, `"content":"some","is_error":true`, `,"toolUseResult":{"stdout":"some","interrupted":true}`, `shell "make test" interrupted "some"`},
		{"denied by a rule", "Bash", bash, `"content":"Permission to use Bash has been denied.","is_error":true`, `,"toolDenialKind":"permission-rule"`, `shell "make test" interrupted never ran "Permission to use Bash has been denied."`},
		{"denied by a hook", "Bash", bash, `"content":"Hook PreToolUse:Bash denied this tool","is_error":true`, "", `shell "make test" interrupted never ran "Hook PreToolUse:Bash denied this tool"`},
		{"denied by a rule, in an old version", "Bash", bash, `"content":"Permission to use Bash with command make test has been denied.","is_error":true`, "", `shell "make test" interrupted never ran "Permission to use Bash with command make test has been denied."`},
		{"not granted in print mode", "Edit", `{"file_path":"/p/a.go"}`, `"content":"Claude requested permissions to write to /p/a.go, but you haven't granted it yet.","is_error":true`, "", `edit [/p/a.go] interrupted never ran "Claude requested permissions to write to /p/a.go, but you haven't granted it yet."`},
		{"denied by a hook", "Bash", bash, `"content":"PreToolUse:Bash hook error: no","is_error":true`, "", `shell "make test" interrupted never ran "PreToolUse:Bash hook error: no"`},
		{"a parallel call failed first", "Bash", bash, `"content":"<tool_use_error>Sibling tool call errored</tool_use_error>","is_error":true`, "", `shell "make test" interrupted never ran "<tool_use_error>Sibling tool call errored</tool_use_error>"`},
		{"a parallel call failed first, cancelled", "Bash", bash, `"content":"Cancelled: parallel tool call Bash(x) errored","is_error":true`, `,"toolDenialKind":"cancelled"`, `shell "make test" interrupted never ran "Cancelled: parallel tool call Bash(x) errored"`},
		{"a command that says so itself", "Bash", bash, `"content":"Sibling tool call errored"`, "", `shell "make test" "Sibling tool call errored"`},
		{"an edit that could not be made", "Edit", `{"file_path":"/p/a.go"}`, `"content":"<tool_use_error>String to replace not found in file.</tool_use_error>","is_error":true`, "", `edit [/p/a.go] failed "<tool_use_error>String to replace not found in file.</tool_use_error>"`},
		{"a tool of a server that failed", "mcp__db__run", `{}`, `"content":[{"type":"text","text":"no such table"}],"is_error":true`, "", `other failed "no such table"`},
		{"a failed command of which the middle is missing", "Bash", bash, `"content":"Exit code 1\none\n\n... [4000 characters truncated] ...\n\ntwo","is_error":true`, "", `shell "make test" failed cut exit 1 "Exit code 1\none\n\n... [4000 characters truncated] ...\n\ntwo"`},
		{"refused by a person with a reason", "Bash", bash, `"content":"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nnot yet","is_error":true`, "", `shell "make test" interrupted never ran "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nnot yet"`},
		{"words of a refusal without an error", "Bash", bash, `"content":"The user doesn't want to"`, "", `shell "make test" "The user doesn't want to"`},
		{"started behind", "Bash", `{"command":"make test","run_in_background":true}`, `"content":"running"`, "", `shell "make test" background "running"`},
		{"moved behind", "Bash", bash, `"content":"running"`, `,"toolUseResult":{"backgroundTaskId":"b1"}`, `shell "make test" background task b1 "running"`},
		{"a large output kept in a file", "Bash", bash, `"content":"<persisted-output>\nsaved"`, `,"toolUseResult":{"stdout":"one two three four five six","stderr":"seven"}`, `shell "make test" cut "one two three four five six\nseven"`},
		{"an edit", "Edit", `{"file_path":"/p/a.go","old_string":"x"}`, `"content":"ok"`, `,"toolUseResult":{"filePath":"/p/a.go"}`, `edit [/p/a.go] "ok"`},
		{"a new file", "Write", `{"file_path":"/p/a.go"}`, `"content":"ok"`, `,"toolUseResult":{"type":"create"}`, `edit [/p/a.go] created "ok"`},
		{"a file written again", "Write", `{"file_path":"/p/a.go"}`, `"content":"ok"`, `,"toolUseResult":{"type":"update"}`, `edit [/p/a.go] "ok"`},
		{"a failed write", "Write", `{"file_path":"/p/a.go"}`, `"content":"no","is_error":true`, `,"toolUseResult":{"type":"create"}`, `edit [/p/a.go] failed "no"`},
		{"many edits", "MultiEdit", `{"file_path":"/p/a.go","edits":[]}`, `"content":"ok"`, "", `edit [/p/a.go] "ok"`},
		{"a notebook", "NotebookEdit", `{"notebook_path":"/p/a.ipynb"}`, `"content":"ok"`, "", `edit [/p/a.ipynb] "ok"`},
		{"a file read", "Read", `{"file_path":"/p/a.go"}`, `"content":[{"type":"text","text":"1"},{"type":"text","text":"2"}]`, "", `read [/p/a.go] "1\n2"`},
		{"an image read", "Read", `{"file_path":"/p/a.png"}`, `"content":[{"type":"image","source":{"type":"base64","data":"iVBORw0KGgo="}}]`, "", `read [/p/a.png] ""`},
		{"a notebook read", "NotebookRead", `{"notebook_path":"/p/a.ipynb"}`, `"content":"ok"`, "", `read [/p/a.ipynb] "ok"`},
		{"another tool", "mcp__x__run", `{"command":"make","file_path":"/p"}`, `"content":[{"type":"text","text":"pong"}]`, "", `other "pong"`},
		{"input of a wrong type", "Bash", `["make"]`, `"content":{}`, "", `shell ""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := session(t, "0 "+asked("go"), "1 "+used("t1", tt.tool, tt.input), "3 "+answered("t1", tt.block, tt.line))
			got := transcript(t, path, time.Time{})
			if len(got.Calls) != 1 {
				t.Fatalf("got %d calls, want one", len(got.Calls))
			}
			c := got.Calls[0]
			if s := clienttest.FormatCall(c); s != tt.want || !c.StartedAt.Equal(clienttest.At(1)) || !c.EndedAt.Equal(clienttest.At(3)) || c.Dir != "/home/dev/project" {
				t.Errorf("got  %s\nwant %s\nfrom %s to %s in %s", s, tt.want, clienttest.Clock(c.StartedAt), clienttest.Clock(c.EndedAt), c.Dir)
			}
		})
	}
}

func TestCallsArePairedByID(t *testing.T) {
	path := session(t, "0 "+asked("go"),
		"1 "+answered("before", `"content":"its use lies before the turn"`, ""),
		"2 "+used("a", "Bash", `{"command":"one"}`), "3 "+used("b", "Bash", `{"command":"two"}`), "4 "+used("c", "Bash", `{"command":"three"}`),
		"5 "+answered("c", `"content":"third"`, ""), "6 "+answered("a", `"content":"first"`, ""),
		"7 "+answered("a", `"content":"a copy"`, ""), "8 "+used("a", "Bash", `{"command":"a copy"}`))
	var got []string
	for _, c := range transcript(t, path, time.Time{}).Calls {
		got = append(got, c.Command+" "+c.Output+" "+clienttest.Clock(c.EndedAt))
	}
	if got, want := strings.Join(got, ", "), "one first 10:00:06.000, two  -, three third 10:00:05.000"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
