package agent

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
)

var codexNames = []string{
	"approval-cancelled", "background", "code-mode", "compact-interrupt", "killed-and-resumed", "mcp", "plain-turn",
	"polled", "steer-queue-tab", "stop-hook-continued", "older-shell", "older-unified",
}

func codexRecording(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/codex/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A rollout is read while it is written: whatever its last line is like, the
// lines before it tell what they told.
func TestTornRollouts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, name := range []string{"compact-interrupt", "older-unified"} {
		all := codexRecording(t, name)
		for range 100 {
			end := r.IntN(len(all) + 1)
			torn, err := codexOf(all[:end], long)
			if err != nil {
				t.Fatalf("%s cut at %d: got %v, want no error", name, end, err)
			}
			lines, _ := codexOf(all[:bytes.LastIndexByte(all[:end], '\n')+1], long)
			// The last line may be whole and lack its end only.
			if !reflect.DeepEqual(torn, lines) && all[end-1] != '}' {
				t.Errorf("%s cut at %d: got\n%s\nwant\n%s", name, end, tell(torn), tell(lines))
			}
		}
	}
}

// Lines that are no lines of a rollout change nothing.
func TestGarbageBetweenRolloutLines(t *testing.T) {
	garbage := []string{
		"", "   ", "null", "[]", "7", `"type":"event_msg"`, "{", "}", "{}", `{"type":"event_msg"}`, `{"type":"event_msg","payload":null}`,
		`{"type":"event_msg","payload":[]}`, `{"type":"event_msg","payload":{"type":"item_completed"}}`, `{"type":"event_msg","payload":{"type":"item_completed","item":[]}}`,
		`{"type":"response_item","payload":{"type":"message","role":"user","content":"go on"}}`, `{"type":"compacted","payload":{"message":"x"}}`,
		`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"Reasoning","id":"r"}}}`, strings.Repeat("{", 10000),
		"\x00\xff\xfe{\"type\":", strings.Repeat("\x00", 5000), `{"timestamp":"2026-11-20T09:43:49Z","type":"event_msg","payload":{"type":"user_message","mess`,
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, name := range codexNames {
		all := codexRecording(t, name)
		want, _ := codexOf(all, long)
		for range 10 {
			var b bytes.Buffer
			for line := range bytes.Lines(all) {
				b.Write(line)
				if r.IntN(3) == 0 {
					b.WriteString(garbage[r.IntN(len(garbage))] + []string{"\n", "\r\n"}[r.IntN(2)])
				}
			}
			if got, err := codexOf(b.Bytes(), long); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: got %v\n%s\nwant\n%s", name, err, tell(got), tell(want))
			}
		}
	}
}

// 500 rollouts with bytes, values and lines that are lost, doubled, swapped and
// torn: none makes reading fail.
func TestMutatedRollouts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	dir := codexRecordings(t)
	path := filepath.Join(dir, "sessions/2026/11/21/rollout-2026-11-21T16-36-24-01a1fef7-55dc-7d70-9e4a-34e94c924e90.jsonl")
	subagent, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		all := subagent // the file with others beside it
		if i%2 == 0 {
			all = codexRecording(t, codexNames[i/2%len(codexNames)])
		}
		b := codexMutated(r, all)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		since := []time.Time{{}, long, time.Date(2026, 11, 20, 9, 40, 0, 0, time.UTC)}[i%3]
		got, err := Codex{}.Transcript(path, since)
		if err != nil {
			t.Fatalf("the %dth: got %v, want no error", i, err)
		}
		soundCodex(t, got)
	}
}

// codexMutated changes a rollout in some places.
func codexMutated(r *rand.Rand, all []byte) []byte {
	lines := bytes.SplitAfter(bytes.Clone(all), []byte{'\n'})
	values := []string{"null", "true", "-1", "1e999", `""`, "[]", "{}", `"\ud800"`, `[[{"type":"text"}]]`, `{"type":{"type":"event_msg"}}`}
	for range 1 + r.IntN(12) {
		i := r.IntN(len(lines))
		line := lines[i]
		switch r.IntN(7) {
		case 0:
			lines[i] = nil
		case 1:
			lines = append(lines, line)
		case 2:
			k := r.IntN(len(lines))
			lines[i], lines[k] = lines[k], lines[i]
		case 3:
			lines[i] = line[:r.IntN(len(line)+1)] // torn, and the next one behind it
		case 4:
			if len(line) > 0 {
				line[r.IntN(len(line))] = byte(r.IntN(256))
			}
		default: // another value
			if colon := bytes.IndexByte(line[min(r.IntN(len(line)+1), len(line)):], ':'); colon >= 0 {
				at := bytes.LastIndexByte(line[:colon+1], ':') + 1
				if end := skipValue(append(line[at:len(line):len(line)], ' '), 0); at > 0 && end > 0 {
					lines[i] = append(append(bytes.Clone(line[:at]), values[r.IntN(len(values))]...), line[at+end:]...)
				}
			}
		}
	}
	return bytes.Join(lines, nil)
}

// soundCodex checks what any transcript must be.
func soundCodex(t *testing.T, got piton.Transcript) {
	t.Helper()
	ids := map[string]bool{}
	for _, c := range got.Calls {
		if len(c.Output) > piton.OutputKept || c.ID == "" || ids[c.ID] || c.Interrupted && c.Failed || c.Created && c.Failed {
			t.Errorf("got call %+v, want an id of its own, a cut output, one end", c)
		}
		ids[c.ID] = true
	}
	if u := got.Usage; got.Idle < 0 || u.Input < 0 || u.Output < 0 || u.CacheRead < 0 || u.CacheWrite < 0 {
		t.Errorf("got idle %s, usage %+v; want none below zero", got.Idle, u)
	}
}

func FuzzDecodeCodex(f *testing.F) {
	for _, name := range []string{"Stop", "PreToolUse", "SubagentStop", "UserPromptSubmit", "notify.exec"} {
		f.Add(codexPayloadFile(f, name))
	}
	home := codexHome(f)
	getenv := func(name string) string { return map[string]string{"CODEX_HOME": home}[name] }
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Codex{}.Decode(b, getenv)
		if err != nil && piton.CodeOf(err) != piton.Invalid || err == nil && e.Agent != "codex" {
			t.Errorf("got %+v, %v; want an event or Invalid", e, err)
		}
	})
}

func FuzzCodexTranscript(f *testing.F) {
	for _, name := range codexNames {
		for line := range bytes.Lines(codexRecording(f, name)) {
			if _, ok := parseCodexLine(bytes.TrimSpace(line)); ok && len(line) < 1500 {
				f.Add(line, int64(0))
			}
		}
	}
	f.Add(codexRecording(f, "older-unified"), int64(1))
	f.Fuzz(func(t *testing.T, b []byte, since int64) {
		var at time.Time
		if since != 0 {
			at = time.UnixMilli(since)
		}
		got, err := codexOf(b, at)
		if err != nil || !got.Complete {
			t.Errorf("got complete %v, %v; want true, no error", got.Complete, err)
		}
		soundCodex(t, got)
	})
}

func TestRolloutIsBounded(t *testing.T) {
	line := `{"timestamp":"2026-11-20T10:00:00.000Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"a","command":["ls"]}}}` + "\n"
	path := filepath.Join(t.TempDir(), "rollout.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat(line, maxTailLines+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := codexTranscript(t, path, long); got.Complete || len(got.Calls) != 1 {
		t.Errorf("got complete %v, %d calls; want false, one", got.Complete, len(got.Calls))
	}
}

// generatedRollout writes a rollout of about size bytes in the recordings'
// forms, whose newest turn is the last 300 KB, and returns when that turn began.
func generatedRollout(tb testing.TB, size int) (path string, since time.Time) {
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
	path, since := generatedRollout(t, 2<<20)
	known, found := codexTranscript(t, path, since), codexTranscript(t, path, time.Time{})
	if !known.Complete || len(known.Calls) < 50 || !reflect.DeepEqual(known, found) {
		t.Errorf("got complete %v, %d calls; and from the newest prompt %d; want the same", known.Complete, len(known.Calls), len(found.Calls))
	}
}

func BenchmarkCodexTranscript(b *testing.B) {
	for _, mb := range []int{1, 50} {
		path, since := generatedRollout(b, mb<<20)
		for name, since := range map[string]time.Time{"since": since, "newest prompt": {}} {
			b.Run(fmt.Sprintf("%d MB, %s", mb, name), func(b *testing.B) {
				b.ReportAllocs()
				var calls int
				for b.Loop() {
					t, err := Codex{}.Transcript(path, since)
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
