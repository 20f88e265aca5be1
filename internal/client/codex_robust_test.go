package client

import (
	"bytes"
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
		b := mutated(r, all)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		since := []time.Time{{}, long, time.Date(2026, 11, 20, 9, 40, 0, 0, time.UTC)}[i%3]
		if err := sound(Codex{}.Transcript(path, since)); err != nil {
			t.Fatalf("the %dth: %v", i, err)
		}
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
		if err := sound(got, err); err != nil {
			t.Error(err)
		}
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
