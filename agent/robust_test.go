package agent

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

// ofBytes reads bytes as a transcript.
func ofBytes(t testing.TB, b []byte, since time.Time) (piton.Transcript, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return Claude{}.Transcript(path, since)
}

func recording(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/claude/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A transcript is read while it is written: whatever its last line is like, the
// lines before it tell what they told.
func TestTornTranscripts(t *testing.T) {
	all := recording(t, "turns")
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		end := r.IntN(len(all) + 1)
		torn, err := ofBytes(t, all[:end], whole)
		if err != nil {
			t.Fatalf("cut at %d: got %v, want no error", end, err)
		}
		lines, _ := ofBytes(t, all[:bytes.LastIndexByte(all[:end], '\n')+1], whole)
		// The last line may be whole and lack its end only.
		if !reflect.DeepEqual(torn, lines) && all[end-1] != '}' {
			t.Errorf("cut at %d: got\n%s\nwant\n%s", end, tell(torn), tell(lines))
		}
	}
}

// Lines that are no lines of a transcript change nothing.
func TestGarbageBetweenLines(t *testing.T) {
	garbage := []string{
		"", "   ", "null", "[]", "7", `"type":"user"`, "{", "}", "{}", `{"type":"user"}`, `{"type":"assistant","message":null}`,
		`{"type":"assistant","message":{"content":"x"}}`, `{"type":"user","message":{"content":[[]]}}`, `{"type":"attachment","attachment":[]}`,
		"\x00\xff\xfe{\"type\":", strings.Repeat("\x00", 5000), `{"type":"user","message":{"role":"user","cont`, `{"type":"queue-operation","content":{}}`,
		`{"parentUuid":null,"type":"us{"parentUuid":null,"type":"user","message":{"content":"x"}}`, `{"type":"api-request-blob","message":`, strings.Repeat("{", 10000),
		`{"type":"user","origin":{"kind":"human"},"isSidechain":true,"message":{"content":"not here"},"timestamp":"2026-11-20T09:43:49Z"}`,
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"turns", "denied", "background", "tasks"} {
		all := recording(t, name)
		want, _ := ofBytes(t, all, whole)
		for range 20 {
			var b bytes.Buffer
			for line := range bytes.Lines(all) {
				b.Write(line)
				if r.IntN(3) == 0 {
					b.WriteString(garbage[r.IntN(len(garbage))] + []string{"\n", "\r\n"}[r.IntN(2)])
				}
			}
			if got, err := ofBytes(t, b.Bytes(), whole); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: got %v\n%s\nwant\n%s", name, err, tell(got), tell(want))
			}
		}
	}
}

func TestWindowsLineEnds(t *testing.T) {
	all := recording(t, "turns")
	want, _ := ofBytes(t, all, whole)
	if got, err := ofBytes(t, bytes.ReplaceAll(all, []byte("\n"), []byte("\r\n")), whole); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\n%s\nwant\n%s", err, tell(got), tell(want))
	}
}

func TestLinesOfManyMegabytes(t *testing.T) {
	big := strings.Repeat("a line of output\\n", 400_000)
	path := session(t, "0 "+asked("go"), "1 "+used("a", "Bash", `{"command":"make"}`),
		`2 {"type":"api-request-shape","shape":"`+big+`"}`, "3 "+answered("a", `"content":"`+big+`end"`, `,"toolUseResult":{"stdout":"`+big+`"}`))
	got := transcript(t, path, time.Time{})
	if len(got.Calls) != 1 || !got.Complete || len(got.Calls[0].Output) > piton.OutputKept || !strings.HasSuffix(got.Calls[0].Output, "\nend") {
		t.Errorf("got %d calls, complete %v; want one with the end of its output, true", len(got.Calls), got.Complete)
	}
}

func TestTranscriptIsBounded(t *testing.T) {
	lines := []string{"0 " + asked("go")}
	for range maxTailLines {
		lines = append(lines, "1 "+used("a", "Bash", `{}`))
	}
	if got := transcript(t, session(t, lines...), time.Time{}); got.Complete || len(got.Calls) != 1 {
		t.Errorf("too many lines: got complete %v, %d calls; want false, one", got.Complete, len(got.Calls))
	}
	path, since := generated(t, maxTailBytes+8<<20)
	if got := transcript(t, path, since); !got.Complete {
		t.Errorf("a long file with a short turn: got complete false, want true")
	}
	if got := transcript(t, path, whole); got.Complete || len(got.Calls) == 0 {
		t.Errorf("too many bytes: got complete %v, %d calls; want false, some", got.Complete, len(got.Calls))
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"Stop.background", "PostToolUse.Edit", "SubagentStop", "UserPromptSubmit.task-notification"} {
		f.Add(payload(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Claude{}.Decode(b, environment)
		if err != nil && piton.CodeOf(err) != piton.Invalid || err == nil && e.Agent != "claude" {
			t.Errorf("got %+v, %v; want an event or Invalid", e, err)
		}
	})
}

func FuzzTranscript(f *testing.F) {
	for _, name := range []string{"turns", "tour", "tasks", "background", "denied", "todowrite", "context"} {
		for line := range bytes.Lines(recording(f, name)) {
			if _, ok := parseClaudeLine(bytes.TrimSpace(line)); ok && len(line) < 1500 {
				f.Add(line, int64(0))
			}
		}
	}
	call := used("a", "Bash", `{"command":"x","run_in_background":true}`) + "\n" + answered("a", `"content":[{"type":"text","text":"Exit code 1"}],"is_error":true`, "")
	f.Add([]byte(asked("go")+"\n"+call+"\n"+interrupted+"\n"+asked("on")), int64(1))
	f.Fuzz(func(t *testing.T, b []byte, since int64) {
		turn := claudeTurn{}
		if since != 0 {
			turn.since = time.UnixMilli(since)
		}
		complete, err := readBackIn(bytes.NewReader(b), int64(len(b)), plenty(), turn.take)
		if err != nil {
			t.Fatal(err)
		}
		fold := newClaudeFold()
		fold.turn(turn.lines)
		got := fold.finish()
		for _, c := range got.Calls {
			if len(c.Output) > piton.OutputKept || c.ID == "" {
				t.Errorf("got call %q with %d bytes of output", c.ID, len(c.Output))
			}
		}
		if got.Idle < 0 || got.Usage.Input < 0 || !complete {
			t.Errorf("got idle %s, usage %+v, complete %v; want none below zero, true", got.Idle, got.Usage, complete)
		}
	})
}
