package codex

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// generated writes a rollout of about size bytes in the recordings'
// forms, whose newest turn is the last 300 KB, and returns when that turn began.
func generated(tb testing.TB, size int) (path string, since time.Time) {
	tb.Helper()
	at := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	var b bytes.Buffer
	n, turn := 0, "01a1f840-488c-7d30-8c77-e17a8ec23689"
	line := func(kind, payload string, args ...any) {
		at = at.Add(20 * time.Millisecond)
		fmt.Fprintf(&b, `{"timestamp":"%s","ordinal":%d,"type":"%s","payload":%s}`+"\n", at.Format("2006-01-02T15:04:05.000Z"), n, kind, fmt.Sprintf(payload, args...))
		n++
	}
	told := strings.Repeat(`What the model was told, \"in words\".\n`, 400)
	source := strings.Repeat(`\tif err != nil {\n\t\treturn fmt.Errorf(\"read: %w\", err)\n\t}\n`, 40)
	prompt := func() {
		turn = fmt.Sprintf("01a1f840-488c-7d30-8c77-%012d", n)
		line("event_msg", `{"type":"task_started","turn_id":"%s","started_at":1795166324}`, turn)
		line("world_state", `{"full":true,"state":{"a":"%s"}}`, told)
		line("turn_context", `{"turn_id":"%s","cwd":"/home/dev/project"}`, turn)
		line("event_msg", `{"type":"item_completed","turn_id":"%s","item":{"type":"UserMessage","id":"u%d","content":[{"type":"text","text":"go on"}]}}`, turn, n)
	}
	step := func() {
		id := n
		line("response_item", `{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"cat f.go\"}","call_id":"call_%d"}`, id)
		line("token_usage_record", `{"turn_id":"%s","usage":{"input_tokens":100,"output_tokens":10}}`, turn)
		line("event_msg", `{"type":"item_completed","turn_id":"%s","item":{"type":"CommandExecution","id":"call_%d","command":["/bin/bash","-lc","cat f.go"],"cwd":"file:///home/dev/project","status":"completed","aggregated_output":"%s","exit_code":0},"started_at_ms":1795166325191,"completed_at_ms":1795166325191}`, turn, id, source)
		line("response_item", `{"type":"function_call_output","call_id":"call_%d","output":"Process exited with code 0\nOutput:\n%s"}`, id, source)
		line("event_msg", `{"type":"item_completed","turn_id":"%s","item":{"type":"FileChange","id":"edit_%d","changes":{"/home/dev/project/f%d.go":{"type":"update","unified_diff":"%s"}},"status":"completed"}}`, turn, id, id, source[:600])
		if n%12 == 0 {
			line("response_item", `{"type":"message","role":"developer","content":[{"type":"input_text","text":"%s"}]}`, told)
		}
	}
	line("session_meta", `{"session_id":"s","id":"s","cwd":"/home/dev/project","cli_version":"0.169.0","source":"cli","thread_source":"user","base_instructions":{"text":"%s"}}`, told)
	prompt()
	for b.Len() < size-300<<10 {
		step()
	}
	start := b.Len()
	since = at.Add(10 * time.Millisecond)
	prompt()
	for b.Len()-start < 300<<10 {
		step()
	}
	path = filepath.Join(tb.TempDir(), "rollout.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path, since
}

func TestGeneratedRollout(t *testing.T) {
	path, since := generated(t, 2<<20)
	known, found := transcript(t, path, since), transcript(t, path, time.Time{})
	if !known.Complete || len(known.Calls) < 50 || !reflect.DeepEqual(known, found) {
		t.Errorf("got complete %v, %d calls; and from the newest prompt %d; want the same", known.Complete, len(known.Calls), len(found.Calls))
	}
}

func BenchmarkTranscript(b *testing.B) {
	for _, mb := range []int{1, 50} {
		path, since := generated(b, mb<<20)
		for name, since := range map[string]time.Time{"since": since, "newest prompt": {}} {
			b.Run(fmt.Sprintf("%d MB, %s", mb, name), func(b *testing.B) {
				b.ReportAllocs()
				var calls int
				for b.Loop() {
					t, err := Client{}.Transcript(path, since, 0)
					if err != nil || !t.Complete {
						b.Fatal(err, t.Complete)
					}
					calls = len(t.Calls)
				}
				b.ReportMetric(float64(calls), "calls")
			})
		}
	}
}
