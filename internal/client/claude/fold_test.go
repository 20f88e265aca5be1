package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

const interrupted = `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`

func queued(words, members string) string {
	return `{"attachment":{"type":"queued_command","prompt":` + words + members + `},"type":"attachment"}`
}

func TestIdleAndInterruptions(t *testing.T) {
	for _, tt := range []struct {
		name        string
		lines       []string
		idle        time.Duration
		interrupted time.Time
		prompt      string
	}{
		{"none", []string{"1 " + asked("go")}, 0, time.Time{}, "go"},
		{"waits still", []string{"1 " + asked("go"), "5 " + interrupted}, 0, clienttest.At(5), "go"},
		{"went on", []string{"1 " + asked("go"), "5 " + interrupted, "9 " + asked("on")}, 4 * time.Second, time.Time{}, "on"},
		{"twice, and waits", []string{"1 " + asked("go"), "5 " + interrupted, "9 " + asked("on"), "10 " + interrupted, "12 " + asked("on"), "20 " + interrupted}, 6 * time.Second, clienttest.At(20), "on"},
		{"stopped twice in a row", []string{"1 " + asked("go"), "5 " + interrupted, "6 " + interrupted, "9 " + asked("on")}, 3 * time.Second, time.Time{}, "on"},
		{"a machine's prompt is no going on", []string{"1 " + asked("go"), "5 " + interrupted, `7 {"type":"user","message":{"content":"x"},"origin":{"kind":"task-notification"}}`}, 0, clienttest.At(5), "go"},
		{"a prompt from the queue", []string{"1 " + asked("go"), "5 " + interrupted, "8 " + queued(`"later"`, `,"humanTurn":true,"origin":{"kind":"human"}`)}, 3 * time.Second, time.Time{}, "later"},
		{"a prompt that waited before", []string{"1 " + asked("go"), "5 " + interrupted, "3 " + queued(`"later"`, `,"humanTurn":true`)}, 0, time.Time{}, "later"},
		{"a prompt from the queue in blocks", []string{"1 " + asked("go"), "2 " + queued(`[{"type":"text","text":"see"},{"type":"image"}]`, `,"humanTurn":true`)}, 0, time.Time{}, "see"},
		{"a notice from the queue", []string{"1 " + asked("go"), "2 " + queued(`"x"`, `,"commandMode":"task-notification"`)}, 0, time.Time{}, "go"},
	} {
		got := transcript(t, session(t, tt.lines...), clienttest.At(1))
		if got.Idle != tt.idle || !got.Interrupted.Equal(tt.interrupted) || got.LastPrompt != tt.prompt || !got.Complete {
			t.Errorf("%s: got idle %s, interrupted %s, prompt %q, complete %v; want %s, %s, %q, true", tt.name,
				got.Idle, clienttest.Clock(got.Interrupted), got.LastPrompt, got.Complete, tt.idle, clienttest.Clock(tt.interrupted), tt.prompt)
		}
	}
}

func TestOwnText(t *testing.T) {
	own := agent.Prefix + "Run the tests."
	meta := `{"type":"user","isMeta":true,"message":{"content":"Stop hook feedback:\n` + own + `"}}`
	for _, tt := range []struct {
		name  string
		lines []string
		want  bool
	}{
		{"none", []string{"1 " + asked("go")}, false},
		{"a meta line", []string{"1 " + asked("go"), "2 " + meta}, true},
		{"a blocked stop", []string{"1 " + asked("go"), `2 {"attachment":{"type":"hook_blocking_error","blockingError":{"blockingError":"` + own + `","command":"piton-hook claude"}},"type":"attachment"}`}, true},
		{"a context", []string{"1 " + asked("go"), `2 {"attachment":{"type":"hook_additional_context","content":["` + own + `"]},"type":"attachment"}`}, true},
		{"typed into the pane", []string{"1 " + asked("go"), "2 " + asked(own)}, true},
		{"typed into the pane in mid-turn", []string{"1 " + asked("go"), "2 " + queued(`"`+own+`"`, `,"humanTurn":true`)}, true},
		{"with work after it", []string{"1 " + asked("go"), "2 " + meta, "3 " + used("a", "Bash", `{}`), "4 " + answered("a", `"content":"ok"`, "")}, true},
		{"with a prompt after it", []string{"1 " + asked("go"), "2 " + meta, "3 " + asked("thanks")}, false},
		{"another hook's text", []string{"1 " + asked("go"), `2 {"attachment":{"type":"hook_additional_context","content":["lint"]},"type":"attachment"}`}, false},
		{"a prompt that quotes it", []string{"1 " + asked("why "+own)}, false},
	} {
		if got := transcript(t, session(t, tt.lines...), clienttest.At(1)).OwnTextLast; got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestUsageCountsAMessageOnce(t *testing.T) {
	message := func(id, usage string) string {
		return `{"type":"assistant","message":{"id":"` + id + `","content":[],"usage":` + usage + `}}`
	}
	path := session(t, "0 "+asked("go"),
		"1 "+message("m1", `{"input_tokens":10,"output_tokens":1,"cache_read_input_tokens":100,"cache_creation_input_tokens":5}`),
		"2 "+message("m1", `{"input_tokens":10,"output_tokens":30,"cache_read_input_tokens":100,"cache_creation_input_tokens":5}`),
		"3 "+message("m2", `{"input_tokens":1,"output_tokens":"many","cache_read_input_tokens":-4}`),
		"4 "+message("", `{"input_tokens":1000}`), "5 "+message("m3", `7`))
	if got, want := transcript(t, path, time.Time{}).Usage, (piton.TokenUsage{Input: 11, Output: 30, CacheRead: 100, CacheWrite: 5}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNoticesOfEndedCommands(t *testing.T) {
	notice := func(status, summary string) string {
		return `<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>` + status + `</status>\n<summary>` + summary + `</summary>\n</task-notification>`
	}
	enqueue := func(s string) string { return `{"type":"queue-operation","operation":"enqueue","content":"` + s + `"}` }
	start := used("t1", "Bash", `{"command":"make","run_in_background":true}`)
	for _, tt := range []struct{ name, lines, want string }{
		{"queued", "4 " + enqueue(notice("completed", `Background command \"Make\" completed (exit code 0)`)), `shell "make" cut exit 0 "Background command \"Make\" completed (exit code 0)"`},
		{"handed over", "4 " + queued(`"`+notice("failed", "X failed with exit code 2")+`"`, ""), `shell "make" failed cut exit 2 "X failed with exit code 2"`},
		{"a turn of its own", `4 {"type":"user","origin":{"kind":"task-notification"},"message":{"content":"` + notice("completed", "ended (exit code 0)") + `"}}`, `shell "make" cut exit 0 "ended (exit code 0)"`},
		{"a description that lies", "4 " + enqueue(notice("failed", "exit code 0 failed with exit code 7")), `shell "make" failed cut exit 7 "exit code 0 failed with exit code 7"`},
		{"no code", "4 " + enqueue(notice("failed", "it failed")), `shell "make" failed cut "it failed"`},
		{"stopped", "4 " + enqueue(notice("killed", "was stopped")), `shell "make" background cut "was stopped"`},
		{"not about it", "4 " + enqueue(strings.ReplaceAll(notice("failed", "x"), "t1", "t2")), `shell "make" background "running"`},
		{"torn", "4 " + enqueue(notice("failed", "x")[:60]), `shell "make" background "running"`},
		{"a person's words", "4 " + enqueue("see "+notice("failed", "x")), `shell "make" background "running"`},
	} {
		// The notice of a quick command comes before the answer that it runs.
		running := "5 " + answered("t1", `"content":"running"`, "")
		got := transcript(t, session(t, "0 "+asked("go"), "1 "+start, tt.lines, running), time.Time{}).Calls[0]
		if s := clienttest.FormatCall(got); s != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, s, tt.want)
		}
	}
}

// Older notices name the command's task and not its use; what was stopped goes on
// no more.
func TestWhatGoesOnBehind(t *testing.T) {
	start, running := used("t1", "Bash", `{"command":"make","run_in_background":true}`), answered("t1", `"content":"running"`, `,"toolUseResult":{"backgroundTaskId":"b1"}`)
	notice := func(status string) string {
		return `{"type":"queue-operation","operation":"enqueue","content":"<task-notification>\n<task-id>b1</task-id>\n<status>` + status + `</status>\n<summary>It ended (exit code 0)</summary>\n</task-notification>"}`
	}
	behind := func(more ...string) int {
		return len(transcript(t, session(t, append([]string{"0 " + asked("go"), "1 " + start, "2 " + running}, more...)...), time.Time{}).Behind)
	}
	if n := behind(); n != 1 {
		t.Errorf("nothing told an end: got %d, want it to go on", n)
	}
	for _, status := range []string{"completed", "failed", "killed"} {
		if n := behind("4 " + notice(status)); n != 0 {
			t.Errorf("%s: got %d that go on, want none", status, n)
		}
	}
}

// A request that failed is not a stop; what the agent says after it is one.
func TestGaveOut(t *testing.T) {
	limit := `{"type":"assistant","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"You've hit your limit"}]}}`
	said := `{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}`
	if transcript(t, session(t, "0 "+asked("go"), "1 "+said, "2 "+limit), time.Time{}).Broke.At.IsZero() {
		t.Error("a failed request ended the turn, and nothing tells of it")
	}
	if !transcript(t, session(t, "0 "+asked("go"), "1 "+limit, "2 "+said), time.Time{}).Broke.At.IsZero() {
		t.Error("the agent went on after the failed request")
	}
}

func TestSubagents(t *testing.T) {
	side := func(line string) string { return strings.Replace(line, "{", `{"isSidechain":true,`, 1) }
	main := session(t, "0 "+asked("before"), "10 "+asked("go"), "11 "+used("a", "Agent", `{}`), "12 "+side(used("old", "Bash", `{}`)), "13 "+used("c", "Bash", `{}`))
	dir := filepath.Join(strings.TrimSuffix(main, ".jsonl"), "subagents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	add := func(name string, changed time.Time, lines ...string) {
		path := filepath.Join(dir, name)
		if err := os.Rename(session(t, lines...), path); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	add("agent-x.jsonl", clienttest.At(20), "2 "+side(used("earlier", "Bash", `{}`)), "12 "+side(used("b", "Bash", `{"command":"ls"}`)), "12 "+side(used("c", "Bash", `{}`)))
	add("agent-old.jsonl", clienttest.At(2), "12 "+side(used("unread", "Bash", `{}`)))
	add("notes.jsonl", clienttest.At(20), "12 "+side(used("unread", "Bash", `{}`)))
	got := transcript(t, main, time.Time{})
	var ids []string
	for _, c := range got.Calls {
		ids = append(ids, c.ID+c.Subagent)
	}
	if s := strings.Join(ids, " "); s != "a bx c" || !got.Complete {
		t.Errorf("got calls %q, complete %v; want %q, true", s, got.Complete, "a bx c")
	}
	for i := range logfile.MaxSubagents {
		add(fmt.Sprintf("agent-%d.jsonl", i), clienttest.At(30+i%20), "12 "+side(used(fmt.Sprint("n", i), "Bash", `{}`)))
	}
	if got = transcript(t, main, time.Time{}); len(got.Calls) != 2+logfile.MaxSubagents || got.Complete {
		t.Errorf("too many: got %d calls, complete %v; want %d, false", len(got.Calls), got.Complete, 2+logfile.MaxSubagents)
	}
}
