package gemini

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/clienttest"
)

// Of a long output the client tells its model the beginning and the end, and keeps
// all of it in a file.
func TestOutputsInFiles(t *testing.T) {
	const told = `Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /home/dev/.gemini/tmp/p/tool-outputs/session-x/run_1.txt\nOutput: one\n\n... [500 characters omitted] ...\n\nlast\nExit Code: 1`
	ran := func(output, status, tool string) string {
		return strings.TrimSuffix(gSaid("a", ""), "}") + `,"toolCalls":[{"id":"t","name":"` + tool + `","args":{"command":"make"},"result":[{"functionResponse":{"id":"t","response":{"output":"` + output + `"}}}],"status":"` + status + `","timestamp":"2026-11-20T10:00:03Z"}]}`
	}
	for _, x := range []struct{ name, output, status, file, want string }{
		{"kept", told, "success", "Output: one\nFAIL TestX\nlast\nExit Code: 1", `shell "make" failed exit 1 "one\nFAIL TestX\nlast"`},
		{"gone", told, "success", "", `shell "make" failed cut exit 1 "one\n\n... [500 characters omitted] ...\n\nlast"`},
		{"a path that leads out", strings.Replace(told, "session-x/run_1.txt", "../../../settings.json", 1), "success", "x", `shell "make" failed cut exit 1 "one\n\n... [500 characters omitted] ...\n\nlast"`},
		{"cut, with no file", `Output: one\n... [20 lines omitted] ...\nlast`, "success", "", `shell "make" cut "one\n... [20 lines omitted] ...\nlast"`},
		{"refused by the person", "[Operation Cancelled] Reason: User denied execution.", "cancelled", "", `shell "make" interrupted never ran "[Operation Cancelled] Reason: User denied execution."`},
		{"stopped in mid-run", "Command was cancelled by user before it could complete.", "cancelled", "", `shell "make" interrupted "Command was cancelled by user before it could complete."`},
		{"refused by a rule", "Tool execution denied by policy. No network.", "error", "", `shell "make" interrupted never ran "Tool execution denied by policy. No network."`},
		{"gone behind", "Command is running in background. PID: 4711. Output hidden.", "success", "", `shell "make" background task 4711 "Command is running in background. PID: 4711. Output hidden."`},
	} {
		t.Run(x.name, func(t *testing.T) {
			path := inProject(t, ran(x.output, x.status, "run_shell_command"))
			if x.file != "" {
				dir := filepath.Join(filepath.Dir(filepath.Dir(path)), "tool-outputs")
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "run_1.txt"), []byte(x.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := clienttest.FormatCall(transcript(t, path, time.Time{}).Calls[0]); got != x.want {
				t.Errorf("got %s, want %s", got, x.want)
			}
		})
	}
}

func TestAFailedToolOfAServer(t *testing.T) {
	path := inProject(t, strings.TrimSuffix(gSaid("a", ""), "}")+`,"toolCalls":[{"id":"t","name":"mcp_db_run","args":{},"result":[{"functionResponse":{"id":"t","response":{"error":"no such table"}}}],"status":"error","timestamp":"2026-11-20T10:00:03Z"}]}`)
	if got, want := clienttest.FormatCall(transcript(t, path, time.Time{}).Calls[0]), `other failed "no such table"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
