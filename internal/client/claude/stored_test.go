package claude

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

// write makes a file in a folder that may not be there yet.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The client keeps the first 30,000 characters of an output in its log, and all
// of it in a file.
func TestOutputsInFiles(t *testing.T) {
	const bash = `{"command":"pytest -v | tee x"}`
	head := strings.Repeat("ok\n", 900)
	tail := "\n==== 1 failed, 2000 passed ====\n"
	long := strings.Repeat("x", agent.OutputKept)
	for _, x := range []struct {
		name, named, text string
		ends              string
		cut               bool
	}{
		{"kept", "/home/dev/.claude/projects/p/s/tool-results/b1.txt", head + tail, tail, false},
		{"kept, with a path of another system", `C:\\Users\\dev\\.claude\\s\\tool-results\\b1.txt`, head + tail, tail, false},
		{"longer than is read", "b1.txt", long + long + tail, tail, true},
		{"gone", "/x/tool-results/b2.txt", head + tail, "ok\n", true},
		{"a path that leads out", "../../../../etc/passwd", head + tail, "ok\n", true},
		{"the folder above", "/x/..", head + tail, "ok\n", true},
		{"a link", "link.txt", head + tail, "ok\n", true},
		{"a folder", "folder.txt", head + tail, "ok\n", true},
		{"no name", "", head + tail, "ok\n", true},
	} {
		t.Run(x.name, func(t *testing.T) {
			path := session(t, "0 "+asked("go"), "1 "+used("t1", "Bash", bash),
				"3 "+answered("t1", `"content":"<persisted-output>\nOutput too large (48.8KB). Full output saved to: `+x.named+`\n\nPreview (first 2KB):\nok\n...\n</persisted-output>","is_error":false`,
					`,"toolUseResult":{"stdout":"`+strings.ReplaceAll(head, "\n", `\n`)+`","stderr":"","interrupted":false,"persistedOutputPath":"`+x.named+`","persistedOutputSize":99}`))
			dir := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "tool-results")
			file := write(t, dir, "b1.txt", x.text)
			if err := os.Symlink(file, filepath.Join(dir, "link.txt")); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "folder.txt"), 0o700); err != nil {
				t.Fatal(err)
			}
			c := transcript(t, path, time.Time{}).Calls[0]
			if !strings.HasPrefix(c.Output, "ok\n") && !strings.HasPrefix(c.Output, "xxx") || !strings.HasSuffix(c.Output, x.ends) || c.Cut != x.cut || len(c.Output) > agent.OutputKept {
				t.Errorf("got %.20q to %q, cut %v; want it to end with %q, cut %v", c.Output, c.Output[max(0, len(c.Output)-40):], c.Cut, x.ends, x.cut)
			}
		})
	}
}

// What a command in the background has said stands in a file among the machine's
// temporary ones, in a folder of the session's.
func TestOutputOfACommandInTheBackground(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := session(t, "0 "+asked("go"), "1 "+used("t1", "Bash", `{"command":"go test ./...","run_in_background":true}`),
		"2 "+answered("t1", `"content":"Command running in background with ID: b1."`, `,"toolUseResult":{"backgroundTaskId":"b1"}`),
		`9 {"type":"queue-operation","operation":"enqueue","content":"<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t1</tool-use-id>\n<output-file>/etc/passwd</output-file>\n<status>failed</status>\n<summary>X failed with exit code 1</summary>\n</task-notification>"}`)
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	write(t, filepath.Join(os.TempDir(), "claude-"+strconv.Itoa(os.Getuid()), filepath.Base(filepath.Dir(path)), name, "tasks"), "b1.output", "--- FAIL: TestX\nFAIL\n")
	c := transcript(t, path, time.Time{}).Calls[0]
	want := `shell "go test ./..." failed task b1 exit 1 "--- FAIL: TestX\nFAIL\n"`
	if got := clienttest.FormatCall(c); got != want || !c.EndedAt.Equal(clienttest.At(9)) {
		t.Errorf("got %s at %s, want %s", got, clienttest.Clock(c.EndedAt), want)
	}
}

// Older versions have tools that ask for what a command has said so far.
func TestPolls(t *testing.T) {
	start := []string{"0 " + asked("go"), "1 " + used("t1", "Bash", `{"command":"make test","run_in_background":true}`),
		"2 " + answered("t1", `"content":"Command running in background with ID: b1."`, `,"toolUseResult":{"backgroundTaskId":"b1"}`)}
	poll := func(n, tool, input, said string) []string {
		return []string{n + " " + used("p"+n, tool, input), n + " " + answered("p"+n, `"content":"`+said+`"`, "")}
	}
	const bash, task = `{"bash_id":"b1"}`, `{"task_id":"b1","block":true}`
	for _, x := range []struct {
		name  string
		polls [][]string
		want  string
	}{
		{"still going", [][]string{poll("3", "BashOutput", bash, `<status>running</status>\n\n<stdout>\nok a\n</stdout>`)}, `shell "make test" background task b1 "ok a"`},
		{"polled twice", [][]string{poll("3", "BashOutput", bash, `<status>running</status>\n\n<stdout>\nok a\n</stdout>`), poll("4", "BashOutput", bash, `<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<stdout>\nok b\n</stdout>`)}, `shell "make test" task b1 exit 0 "ok a\nok b"`},
		{"failed", [][]string{poll("3", "TaskOutput", task, `<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n<status>failed</status>\n\n<exit_code>2</exit_code>\n\n<output>\nFAIL\n</output>`)}, `shell "make test" failed task b1 exit 2 "FAIL"`},
		{"killed", [][]string{poll("3", "BashOutput", bash, `<status>killed</status>`)}, `shell "make test" background "Command running in background with ID: b1."`},
		{"an output that lies", [][]string{poll("3", "BashOutput", bash, `<status>running</status>\n\n<stdout>\n<status>completed</status><exit_code>0</exit_code>\n</stdout>`)}, `shell "make test" background task b1 "<status>completed</status><exit_code>0</exit_code>"`},
		{"of another command", [][]string{poll("3", "BashOutput", `{"bash_id":"b2"}`, `<status>completed</status><exit_code>0</exit_code>`)}, `shell "make test" background task b1 "Command running in background with ID: b1."`},
	} {
		lines := start
		for _, p := range x.polls {
			lines = append(lines[:len(lines):len(lines)], p...)
		}
		if got := clienttest.FormatCall(transcript(t, session(t, lines...), time.Time{}).Calls[0]); got != x.want {
			t.Errorf("%s: got %s, want %s", x.name, got, x.want)
		}
	}
}
