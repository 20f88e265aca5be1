package codex

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
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

var recordingNames = []string{
	"approval-cancelled", "background", "code-mode", "compact-interrupt", "killed-and-resumed", "mcp", "plain-turn",
	"polled", "steer-queue-tab", "stop-hook-continued", "older-shell", "older-unified",
}

func recording(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Lines that are not lines of a rollout change nothing.
func TestGarbageBetweenRolloutLines(t *testing.T) {
	garbage := []string{
		"", "   ", "null", "[]", "7", `"type":"event_msg"`, "{", "}", "{}", `{"type":"event_msg"}`, `{"type":"event_msg","payload":null}`,
		`{"type":"event_msg","payload":[]}`, `{"type":"event_msg","payload":{"type":"item_completed"}}`, `{"type":"event_msg","payload":{"type":"item_completed","item":[]}}`,
		`{"type":"response_item","payload":{"type":"message","role":"user","content":"go on"}}`, `{"type":"compacted","payload":{"message":"x"}}`,
		`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"Reasoning","id":"r"}}}`, strings.Repeat("{", 10000),
		"\x00\xff\xfe{\"type\":", strings.Repeat("\x00", 5000), `{"timestamp":"2026-11-20T09:43:49Z","type":"event_msg","payload":{"type":"user_message","mess`,
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, name := range recordingNames {
		all := recording(t, name)
		want, _ := transcriptOf(all, long)
		for range 10 {
			var b bytes.Buffer
			for line := range bytes.Lines(all) {
				b.Write(line)
				if r.IntN(3) == 0 {
					b.WriteString(garbage[r.IntN(len(garbage))] + []string{"\n", "\r\n"}[r.IntN(2)])
				}
			}
			if got, err := transcriptOf(b.Bytes(), long); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: got %v\n%s\nwant\n%s", name, err, clienttest.Format(got), clienttest.Format(want))
			}
		}
	}
}

// 500 rollouts with bytes, values and lines that are lost, doubled, swapped and
// torn: none makes reading fail.
func TestMutatedRollouts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	dir := recordings(t)
	path := filepath.Join(dir, "sessions/2026/11/21/rollout-2026-11-21T16-36-24-01a1fef7-55dc-7d70-9e4a-34e94c924e90.jsonl")
	subagent, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		all := subagent // the file with others beside it
		if i%2 == 0 {
			all = recording(t, recordingNames[i/2%len(recordingNames)])
		}
		b := clienttest.Mutated(r, all)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		since := []time.Time{{}, long, time.Date(2026, 11, 20, 9, 40, 0, 0, time.UTC)}[i%3]
		if err := clienttest.Sound(Client{}.Transcript(path, since, 0)); err != nil {
			t.Fatalf("the %dth: %v", i, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"Stop", "PreToolUse", "SubagentStop", "UserPromptSubmit", "notify.exec"} {
		f.Add(payloadFile(f, name))
	}
	home := homeWith(f)
	getenv := func(name string) string { return map[string]string{"CODEX_HOME": home}[name] }
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Client{}.Decode(b, getenv)
		if err != nil && piton.CodeOf(err) != piton.Invalid || err == nil && e.Agent != "codex" {
			t.Errorf("got %+v, %v; want an event or Invalid", e, err)
		}
	})
}

func FuzzTranscript(f *testing.F) {
	for _, name := range recordingNames {
		for line := range bytes.Lines(recording(f, name)) {
			if _, ok := parseLine(bytes.TrimSpace(line)); ok && len(line) < 1500 {
				f.Add(line, int64(0))
			}
		}
	}
	f.Add(recording(f, "older-unified"), int64(1))
	f.Fuzz(func(t *testing.T, b []byte, since int64) {
		var at time.Time
		if since != 0 {
			at = time.UnixMilli(since)
		}
		got, err := transcriptOf(b, at)
		if err != nil || !got.Complete {
			t.Errorf("got complete %v, %v; want true, no error", got.Complete, err)
		}
		if err := clienttest.Sound(got, err); err != nil {
			t.Error(err)
		}
	})
}

func TestRolloutIsBounded(t *testing.T) {
	line := `{"timestamp":"2026-11-20T10:00:00.000Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"a","command":["ls"]}}}` + "\n"
	path := filepath.Join(t.TempDir(), "rollout.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat(line, logfile.MaxLines+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := transcript(t, path, long); got.Complete || len(got.Calls) != 1 {
		t.Errorf("got complete %v, %d calls; want false, one", got.Complete, len(got.Calls))
	}
}
