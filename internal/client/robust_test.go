package client

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// recorded are the clients with recordings in testdata/<name>: logs, and the
// payloads of their hooks.
var recorded = []Adapter{Claude{}, Gemini{}, Codex{}}

// scratch is a file that bytes are read from, again and again.
type scratch string

func newScratch(t testing.TB) scratch { return scratch(filepath.Join(t.TempDir(), "s.jsonl")) }

// read reads bytes as a client's transcript.
func (s scratch) read(t testing.TB, client Adapter, b []byte, since time.Time) (agent.Transcript, error) {
	t.Helper()
	if err := os.WriteFile(string(s), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return client.Transcript(string(s), since)
}

// recordingsOf are all recordings of a client's sessions.
func recordingsOf(t testing.TB, client Adapter) (all [][]byte) {
	t.Helper()
	files, err := filepath.Glob("testdata/" + client.Name() + "/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: got %d recordings, %v", client.Name(), len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// sound looks at what any log, however broken, must be read as.
func sound(got agent.Transcript, err error) error {
	var typed *piton.Error
	if err != nil && !errors.As(err, &typed) {
		return fmt.Errorf("got the error %w, want one of Piton's own", err)
	}
	if u := got.Usage; got.Idle < 0 || u.Input < 0 || u.Output < 0 || u.CacheRead < 0 || u.CacheWrite < 0 {
		return fmt.Errorf("got idle %s, usage %+v; want none below zero", got.Idle, got.Usage)
	}
	seen := map[string]bool{}
	for i, c := range got.Calls {
		switch {
		case c.ID == "" || seen[c.ID]:
			return fmt.Errorf("got the call %q again, or without an id", c.ID)
		case len(c.Output) > agent.OutputKept:
			return fmt.Errorf("got %d bytes of output", len(c.Output))
		case c.Kind == "" || c.Failed && c.Interrupted:
			return fmt.Errorf("got call %s of kind %q, failed %v, interrupted %v", c.ID, c.Kind, c.Failed, c.Interrupted)
		case i > 0 && c.StartedAt.Before(got.Calls[i-1].StartedAt):
			return fmt.Errorf("got call %s before the one that began before it", c.ID)
		}
		seen[c.ID] = true
	}
	return nil
}

// TestMutatedTranscripts breaks recordings in 500 ways for each client.
func TestMutatedTranscripts(t *testing.T) {
	for _, client := range recorded {
		t.Run(client.Name(), func(t *testing.T) {
			t.Parallel()
			all := recordingsOf(t, client)
			file := newScratch(t)
			for seed := range uint64(500) {
				r := rand.New(rand.NewPCG(seed, 7))
				b := mutated(r, all[r.IntN(len(all))])
				since := []time.Time{whole, {}}[seed%2]
				if err := sound(file.read(t, client, b, since)); err != nil {
					t.Fatalf("mutation %d, since %s: %v", seed, clock(since), err)
				}
			}
		})
	}
}

// mutated is a log with one to four things wrong with it.
func mutated(r *rand.Rand, log []byte) []byte {
	lines := bytes.SplitAfter(bytes.Clone(log), []byte("\n"))
	for range 1 + r.IntN(4) {
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		switch r.IntN(10) {
		case 0: // ends anywhere
			lines = append(slices.Clone(lines[:i]), lines[i][:r.IntN(len(lines[i])+1)])
		case 1: // bytes flip
			for range 1 + r.IntN(20) {
				if line := lines[r.IntN(len(lines))]; len(line) > 0 {
					line[r.IntN(len(line))] ^= 1 << r.IntN(8)
				}
			}
		case 2:
			if lines = slices.Delete(slices.Clone(lines), i, i+1); len(lines) == 0 {
				return nil
			}
		case 3:
			lines = slices.Insert(slices.Clone(lines), i, lines[j])
		case 4:
			lines[i], lines[j] = lines[j], lines[i]
		case 5: // two lines in one
			lines[i] = append(bytes.TrimRight(lines[i], "\n"), lines[j]...)
		case 6: // a piece is gone
			if n := len(lines[i]); n > 1 {
				from := r.IntN(n)
				lines[i] = slices.Concat(lines[i][:from], lines[i][min(from+r.IntN(200), n):])
			}
		case 7: // a long one
			lines[i] = slices.Concat(lines[i][:r.IntN(len(lines[i])+1)], bytes.Repeat([]byte("x\\n"), 100_000), lines[j])
		case 8: // values of other types
			lines[i] = retyped(r, lines[i])
		case 9: // a log without line ends
			lines = [][]byte{bytes.ReplaceAll(bytes.Join(lines, nil), []byte("\n"), []byte([]string{"\r\n", "\n\n", "\x00", ""}[r.IntN(4)]))}
		}
	}
	return bytes.Join(lines, nil)
}

// retyped puts other values behind some of a line's colons.
func retyped(r *rand.Rand, line []byte) []byte {
	values := []string{"null", "7", "-1e99", "true", `"x"`, "[]", "{}", `[{"id":"x","text":7}]`, "[[", `{"id":`, `"`, `"2026-13-45T99:00:00Z"`}
	var out []byte
	for i := 0; i < len(line); i++ {
		out = append(out, line[i])
		if line[i] != ':' || i+1 == len(line) || r.IntN(6) > 0 {
			continue
		}
		if end := skipValue(line, i+1); end > 0 {
			out = append(out, values[r.IntN(len(values))]...)
			i = end - 1
		}
	}
	return out
}

// A transcript is read while it is written: whatever its last line is like, the
// lines before it tell what they told.
func TestTornTranscripts(t *testing.T) {
	file := newScratch(t)
	for _, client := range recorded {
		for _, all := range recordingsOf(t, client) {
			r := rand.New(rand.NewPCG(3, 4))
			for range 20 {
				end := r.IntN(len(all) + 1)
				torn, err := file.read(t, client, all[:end], whole)
				if err != nil {
					t.Fatalf("%s, cut at %d: got %v, want no error", client.Name(), end, err)
				}
				lines, _ := file.read(t, client, all[:bytes.LastIndexByte(all[:end], '\n')+1], whole)
				torn.ClientVersion, lines.ClientVersion = "", "" // a first line may tell it and be torn
				// The last line may be whole and lack its end only.
				if !reflect.DeepEqual(torn, lines) && all[end-1] != '}' {
					t.Errorf("%s, cut at %d: got\n%s\nwant\n%s", client.Name(), end, tell(torn), tell(lines))
				}
			}
		}
	}
}

// Lines that are no lines of a transcript change nothing.
func TestGarbageBetweenLines(t *testing.T) {
	file := newScratch(t)
	garbage := []string{
		"", "   ", "null", "[]", "7", `"type":"user"`, "{", "}", "{}", `{"type":"user"}`, `{"type":"assistant","message":null}`,
		`{"type":"assistant","message":{"content":"x"}}`, `{"type":"user","message":{"content":[[]]}}`, `{"type":"attachment","attachment":[]}`,
		"\x00\xff\xfe{\"type\":", strings.Repeat("\x00", 5000), `{"type":"user","message":{"role":"user","cont`, `{"type":"queue-operation","content":{}}`,
		`{"parentUuid":null,"type":"us{"parentUuid":null,"type":"user","message":{"content":"x"}}`, `{"type":"api-request-blob","message":`, strings.Repeat("{", 10000),
		`{"type":"user","origin":{"kind":"human"},"isSidechain":true,"message":{"content":"not here"},"timestamp":"2026-11-20T09:43:49Z"}`,
		`{"id":7,"type":"user","content":"x"}`, `{"id":"x","type":"other","content":"x"}`, `{"$set":{}}`, `{"$set":{"lastUpdated":7}}`, `{"$rewindTo":7}`, `{"$rewindTo":"a`,
		`{"sessionId":"x"}`, `{"id":"x","timestamp":"2026-11-20T09:43:49Z","type":"gemini","content":"not here"`, `{"type":"gemini","toolCalls":[{"id":"x","name":"replace"}]}`,
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, client := range recorded {
		for _, all := range recordingsOf(t, client) {
			want, _ := file.read(t, client, all, whole)
			for range 5 {
				var b bytes.Buffer
				for line := range bytes.Lines(all) {
					b.Write(line)
					if r.IntN(3) == 0 {
						b.WriteString(garbage[r.IntN(len(garbage))] + []string{"\n", "\r\n"}[r.IntN(2)])
					}
				}
				if got, err := file.read(t, client, b.Bytes(), whole); err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: got %v\n%s\nwant\n%s", client.Name(), err, tell(got), tell(want))
				}
			}
		}
	}
}

func TestWindowsLineEnds(t *testing.T) {
	file := newScratch(t)
	for _, client := range recorded {
		for _, all := range recordingsOf(t, client) {
			want, _ := file.read(t, client, all, whole)
			if got, err := file.read(t, client, bytes.ReplaceAll(all, []byte("\n"), []byte("\r\n")), whole); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %v\n%s\nwant\n%s", client.Name(), err, tell(got), tell(want))
			}
		}
	}
}

func TestLinesOfManyMegabytes(t *testing.T) {
	big := strings.Repeat("a line of output\\n", 400_000)
	path := session(t, "0 "+asked("go"), "1 "+used("a", "Bash", `{"command":"make"}`),
		`2 {"type":"api-request-shape","shape":"`+big+`"}`, "3 "+answered("a", `"content":"`+big+`end"`, `,"toolUseResult":{"stdout":"`+big+`"}`))
	got := transcript(t, path, time.Time{})
	if len(got.Calls) != 1 || !got.Complete || len(got.Calls[0].Output) > agent.OutputKept || !strings.HasSuffix(got.Calls[0].Output, "\nend") {
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

// FuzzDecode reads any bytes as a payload of each client.
func FuzzDecode(f *testing.F) {
	for _, client := range recorded {
		files, _ := filepath.Glob("testdata/" + client.Name() + "/payloads/*.json")
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, client := range recorded {
			e, err := client.Decode(b, environment)
			if err != nil && piton.CodeOf(err) != piton.Invalid || err == nil && e.Agent != client.Name() {
				t.Errorf("%s: got %+v, %v; want an event or Invalid", client.Name(), e, err)
			}
		}
	})
}

// FuzzTranscript reads any bytes as a log of each client.
func FuzzTranscript(f *testing.F) {
	for _, client := range recorded {
		for _, log := range recordingsOf(f, client) {
			for line := range bytes.Lines(log) {
				if len(line) < 1500 && !bytes.HasPrefix(line, []byte(`{"$set":{"last`)) {
					f.Add(line, int64(0))
				}
			}
		}
	}
	call := used("a", "Bash", `{"command":"x","run_in_background":true}`) + "\n" + answered("a", `"content":[{"type":"text","text":"Exit code 1"}],"is_error":true`, "")
	f.Add([]byte(asked("go")+"\n"+call+"\n"+interrupted+"\n"+asked("on")), int64(1))
	f.Add([]byte(gAsked("p", "go")+"\n"+gRan("a", "03", "one")+"\n"+gSet("p", "a")+"\n"+`{"$rewindTo":"a"}`), int64(1))
	file := newScratch(f)
	f.Fuzz(func(t *testing.T, b []byte, since int64) {
		var begun time.Time
		if since != 0 {
			begun = time.UnixMilli(since)
		}
		for _, client := range recorded {
			got, err := file.read(t, client, b, begun)
			if bad := sound(got, err); bad != nil || err != nil || !got.Complete {
				t.Errorf("%s: %v, %v, complete %v; want a whole transcript", client.Name(), bad, err, got.Complete)
			}
		}
	})
}
