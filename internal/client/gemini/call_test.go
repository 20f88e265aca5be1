package gemini

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/clienttest"
)

func TestCalls(t *testing.T) {
	const shell, test = "run_shell_command", `{"command":"make test"}`
	wrapped := func(s string) string {
		return `{"output":"<untrusted_context>\n` + s + `\n</untrusted_context>"}`
	}
	for _, tt := range []struct {
		name, tool, args, response, members string
		want                                string
	}{
		{"a command", shell, test, wrapped(`Output: ok\nProcess Group PGID: 7`), "", `shell "make test" "ok"`},
		{"a quiet command", shell, test, wrapped(`Output: (empty)\nProcess Group PGID: 7`), "", `shell "make test" ""`},
		{"a failed command", shell, test, wrapped(`Output: bad\nExit Code: 2\nProcess Group PGID: 7`), `,"resultDisplay":"bad"`, `shell "make test" failed exit 2 "bad"`},
		{"a failed command without a word", shell, test, wrapped(`Output: (empty)\nExit Code: 2\nProcess Group PGID: 7`), `,"resultDisplay":"Command exited with code: 2"`, `shell "make test" failed exit 2 ""`},
		{"a killed command", shell, test, wrapped(`Output: bad\nSignal: SIGKILL\nProcess Group PGID: 7`), "", `shell "make test" failed "bad"`},
		{"a failed command that left others", shell, test, wrapped(`Output: bad\nExit Code: 1\nBackground PIDs: 8, 9\nProcess Group PGID: 7`), "", `shell "make test" failed exit 1 "bad"`},
		{"a command that speaks of a code", shell, test, wrapped(`Output: Exit Code: 2\nProcess Group PGID: 7`), `,"resultDisplay":"Exit Code: 2"`, `shell "make test" "Exit Code: 2"`},
		{"one that ends with a code", shell, test, wrapped(`Output: x\nExit Code: 2\nProcess Group PGID: 7`), `,"resultDisplay":"x\nExit Code: 2\n"`, `shell "make test" "x\nExit Code: 2"`},
		{"one that ends with a code, and fails", shell, test, wrapped(`Output: x\nExit Code: 0\nExit Code: 2\nProcess Group PGID: 7`), `,"resultDisplay":"x\nExit Code: 0"`, `shell "make test" failed exit 2 "x\nExit Code: 0"`},
		{"one that ends with all of it", shell, test, wrapped(`Output: x\nExit Code: 2\nProcess Group PGID: 8\nProcess Group PGID: 7`), `,"resultDisplay":"x\nExit Code: 2\nProcess Group PGID: 8"`, `shell "make test" "x\nExit Code: 2\nProcess Group PGID: 8"`},
		{"one that ends with a code, on a terminal", shell, test, wrapped(`Output: x\nExit Code: 2\nProcess Group PGID: 7`), `,"resultDisplay":[[{"text":"x"}],[{"text":"Exit Code"},{"text":": 2  "}],[{"text":"   "}]]`, `shell "make test" "x\nExit Code: 2"`},
		{"failed, on a terminal", shell, test, wrapped(`Output: x\nbad\nExit Code: 2\nProcess Group PGID: 7`), `,"resultDisplay":[[{"text":"x"}],[{"text":"bad  "}]]`, `shell "make test" failed exit 2 "x\nbad"`},
		{"failed, in debug mode", shell, test, wrapped(`Output: bad\nExit Code: 2\nProcess Group PGID: 7`), `,"resultDisplay":"Output: bad\nExit Code: 2\nProcess Group PGID: 7"`, `shell "make test" failed exit 2 "bad"`},
		{"an end mark in the output", shell, test, wrapped(`Output: x\n&lt;/untrusted_context&gt;\nProcess Group PGID: 7`), "", `shell "make test" "x\n&lt;/untrusted_context&gt;"`},
		{"another hook's words behind", shell, test, `{"output":"<untrusted_context>\nOutput: ok\nProcess Group PGID: 7\n</untrusted_context>\n\n<hook_context>Exit Code: 1</hook_context>"}`, "", `shell "make test" "ok"`},
		{"a large output", shell, test, `{"output":"Output too large. Showing first 8 and last 9 characters. For full output see: /tmp/x\n<untrusted_context>\nOutput: a\n\n... [1 characters omitted] ...\n\nb\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>"}`, "", `shell "make test" failed cut exit 1 "a\n\n... [1 characters omitted] ...\n\nb"`},
		{"a summary of the output", shell, test, wrapped(`The tests ran.\nExit Code: 1`), "", `shell "make test" "The tests ran.\nExit Code: 1"`},
		{"it could not be run", shell, test, `{"error":"spawn bash ENOENT"}`, `,"status":"error"`, `shell "make test" failed "spawn bash ENOENT"`},
		{"refused by a person", shell, test, `{"error":"[Operation Cancelled] Reason: User denied execution."}`, `,"status":"cancelled"`, `shell "make test" interrupted never ran "[Operation Cancelled] Reason: User denied execution."`},
		{"stopped by a person", shell, test, wrapped(`Command was cancelled by user before it could complete. There was no output before it was cancelled.`), "", `shell "make test" interrupted "Command was cancelled by user before it could complete. There was no output before it was cancelled."`},
		{"stopped with a code", shell, test, wrapped(`Output: x\nExit Code: 130\nProcess Group PGID: 7`), `,"status":"cancelled"`, `shell "make test" interrupted exit 130 "x"`},
		{"out of time", shell, test, wrapped(`Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.`), "", `shell "make test" failed "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output."`},
		{"denied by a rule", shell, test, `{"error":"Tool execution denied by policy."}`, `,"status":"error"`, `shell "make test" interrupted never ran "Tool execution denied by policy."`},
		{"started behind", shell, `{"command":"make test","is_background":true}`, `{"output":"Command is running in background. PID: 9. Initial output:\n"}`, "", `shell "make test" background task 9 "Command is running in background. PID: 9. Initial output:\n"`},
		{"moved behind", shell, test, wrapped(`Command moved to background (PID: 9). Output hidden. Press Ctrl+B to view.`), "", `shell "make test" background task 9 "Command moved to background (PID: 9). Output hidden. Press Ctrl+B to view."`},
		{"words of going behind in an output", shell, test, wrapped(`Output: Command moved to background (PID: 9).\nProcess Group PGID: 7`), "", `shell "make test" "Command moved to background (PID: 9)."`},
		{"an edit", "replace", `{"file_path":"/p/a.go","old_string":"x"}`, `{"output":"Successfully modified file: /p/a.go (1 replacements)."}`, `,"resultDisplay":{"filePath":"/p/a.go","isNewFile":false}`, `edit [/p/a.go] "Successfully modified file: /p/a.go (1 replacements)."`},
		{"a relative path", "replace", `{"file_path":"a.go"}`, `{"output":"ok"}`, `,"resultDisplay":{"filePath":"/elsewhere/a.go"}`, `edit [/elsewhere/a.go] "ok"`},
		{"a new file", "write_file", `{"file_path":"a.go"}`, `{"output":"Successfully created and wrote to new file: /p/a.go."}`, "", `edit [/home/dev/project/a.go] created "Successfully created and wrote to new file: /p/a.go."`},
		{"a new file, as it is shown", "write_file", `{"file_path":"a.go"}`, `{"output":"ok"}`, `,"resultDisplay":{"isNewFile":true}`, `edit [/home/dev/project/a.go] created "ok"`},
		{"a file written again", "write_file", `{"file_path":"/p/a.go"}`, `{"output":"Successfully overwrote file: /p/a.go."}`, "", `edit [/p/a.go] "Successfully overwrote file: /p/a.go."`},
		{"a failed edit", "replace", `{"file_path":"/p/a.go"}`, `{"error":"File not found: /p/a.go"}`, `,"status":"error","resultDisplay":"Error: File not found."`, `edit [/p/a.go] failed "File not found: /p/a.go"`},
		{"a refused new file", "write_file", `{"file_path":"/p/a.go"}`, `{"error":"[Operation Cancelled]"}`, `,"status":"cancelled","resultDisplay":{"isNewFile":true}`, `edit [/p/a.go] interrupted "[Operation Cancelled]"`},
		{"a file read", "read_file", `{"file_path":"sub/../a.go"}`, `{"output":"package a"}`, "", `read [/home/dev/project/a.go] "package a"`},
		{"files read", "read_many_files", `{"include":["a.go","b/*.go"]}`, `{"output":"--- a.go ---"}`, "", `read [/home/dev/project/a.go /home/dev/project/b/*.go] "--- a.go ---"`},
		{"another tool", "mcp_x_run", `{"command":"make","file_path":"/p"}`, wrapped("pong"), "", `other "pong"`},
		{"args of a wrong type", shell, `["make"]`, `{"output":{}}`, "", `shell ""`},
		{"no answer", shell, test, `null`, "", `shell "make test" ""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			members := tt.members
			if !strings.Contains(members, `"status"`) {
				members += `,"status":"success"`
			}
			call := `{"id":"t1","name":"` + tt.tool + `","args":` + tt.args + `,"result":[{"functionResponse":{"id":"t1","response":` + tt.response + `}}],"timestamp":"2026-11-20T10:00:03Z"` + members + `}`
			got := transcript(t, inProject(t, strings.TrimSuffix(gSaid("a", ""), "}")+`,"toolCalls":[`+call+`]}`), time.Time{})
			if len(got.Calls) != 1 {
				t.Fatalf("got %d calls, want one", len(got.Calls))
			}
			c := got.Calls[0]
			if s := clienttest.FormatCall(c); s != strings.Join(strings.Fields(tt.want), " ") || !c.StartedAt.Equal(clienttest.At(1)) || !c.EndedAt.Equal(clienttest.At(3)) || c.Dir != clienttest.Project {
				t.Errorf("got  %s\nwant %s\nfrom %s to %s in %s", s, tt.want, clienttest.Clock(c.StartedAt), clienttest.Clock(c.EndedAt), c.Dir)
			}
		})
	}
}

// inProject writes a log with one answer, beside the file that names the
// project's place.
func inProject(t *testing.T, answer string) string {
	path := logOf(t, "0 "+gHeader, "0 "+gAsked("p", "go"), "1 "+answer)
	if err := os.WriteFile(filepath.Join(filepath.Dir(filepath.Dir(path)), ".project_root"), []byte(clienttest.Project), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDirectories(t *testing.T) {
	ran := func(args string) string {
		return strings.TrimSuffix(gSaid("a", ""), "}") + `,"toolCalls":[{"id":"t","name":"run_shell_command","args":` + args + `,"status":"success","timestamp":"@"}]}`
	}
	for _, tt := range []struct{ name, args, root, want string }{
		{"the project", `{"command":"ls"}`, clienttest.Project + "\n", clienttest.Project},
		{"below it", `{"command":"ls","dir_path":"a/b"}`, clienttest.Project, clienttest.Project + "/a/b"},
		{"elsewhere", `{"command":"ls","dir_path":"/tmp"}`, clienttest.Project, "/tmp"},
		{"a project that is not told", `{"command":"ls","dir_path":"a"}`, "", ""},
		{"a place that is none", `{"command":"ls"}`, "here", ""},
		{"two places", `{"command":"ls"}`, "/a\n/b", ""},
	} {
		path := inProject(t, ran(tt.args))
		root := filepath.Join(filepath.Dir(filepath.Dir(path)), ".project_root")
		if err := os.WriteFile(root, []byte(tt.root), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := transcript(t, path, time.Time{}).Calls[0].Dir; got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// After some rewriting by the client the answers of all calls stand in each.
func TestAnswersArePairedByID(t *testing.T) {
	response := func(id, out string) string {
		return `{"functionResponse":{"id":"` + id + `","response":{"output":"` + out + `"}}}`
	}
	both := `[` + response("t1", "Output: one") + `,` + response("t2", "Output: two") + `,{"text":"x"}]`
	call := func(id string) string {
		return `{"id":"` + id + `","name":"run_shell_command","args":{"command":"` + id + `"},"result":` + both + `,"status":"success","timestamp":"@"}`
	}
	path := logOf(t, "1 "+gAsked("p", "go"), "2 "+strings.TrimSuffix(gSaid("a", ""), "}")+`,"toolCalls":[`+call("t1")+`,`+call("t2")+`,`+call("t3")+`]}`)
	var got []string
	for _, c := range transcript(t, path, time.Time{}).Calls {
		got = append(got, c.ID+" "+c.Output)
	}
	if got, want := strings.Join(got, ", "), "t1 one, t2 two, t3 "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A call stands in the log only when it has ended; one of a strange status has
// not.
func TestCallWithoutAnEnd(t *testing.T) {
	path := logOf(t, "1 "+gAsked("p", "go"), "2 "+strings.Replace(gRan("a", "03", "one"), "success", "executing", 1))
	got := transcript(t, path, time.Time{}).Calls
	if len(got) != 1 || !got[0].EndedAt.IsZero() || got[0].Failed {
		t.Errorf("got %+v, want one call without an end", got)
	}
}
