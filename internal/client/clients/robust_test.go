package clients

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
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

// recorded are the clients with recordings in testdata/<name>: logs, and the
// payloads of their hooks.
var recorded = All

// scratch is a file that bytes are read from, again and again.
type scratch string

func newScratch(t testing.TB) scratch { return scratch(filepath.Join(t.TempDir(), "s.jsonl")) }

// read reads bytes as a client's transcript.
func (s scratch) read(t testing.TB, client client.Client, b []byte, since time.Time) (agent.Transcript, error) {
	t.Helper()
	if err := os.WriteFile(string(s), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return client.Transcript(string(s), since, 0)
}

// recordingsOf are all recordings of a client's sessions.
func recordingsOf(t testing.TB, client client.Client) (all [][]byte) {
	t.Helper()
	files, err := filepath.Glob("../" + client.Name() + "/testdata/*.jsonl")
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

// TestMutatedTranscripts breaks recordings in 500 ways for each client.
func TestMutatedTranscripts(t *testing.T) {
	for _, client := range recorded {
		t.Run(client.Name(), func(t *testing.T) {
			t.Parallel()
			all := recordingsOf(t, client)
			file := newScratch(t)
			for seed := range uint64(500) {
				r := rand.New(rand.NewPCG(seed, 7))
				b := clienttest.Mutated(r, all[r.IntN(len(all))])
				since := []time.Time{clienttest.LongAgo, {}}[seed%2]
				if err := clienttest.Sound(file.read(t, client, b, since)); err != nil {
					t.Fatalf("mutation %d, since %s: %v", seed, clienttest.Clock(since), err)
				}
			}
		})
	}
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
				torn, err := file.read(t, client, all[:end], clienttest.LongAgo)
				if err != nil {
					t.Fatalf("%s, cut at %d: got %v, want no error", client.Name(), end, err)
				}
				lines, _ := file.read(t, client, all[:bytes.LastIndexByte(all[:end], '\n')+1], clienttest.LongAgo)
				torn.ClientVersion, lines.ClientVersion = "", "" // a first line may tell it and be torn
				// The last line may be whole and lack its end only.
				if !reflect.DeepEqual(torn, lines) && all[end-1] != '}' {
					t.Errorf("%s, cut at %d: got\n%s\nwant\n%s", client.Name(), end, clienttest.Format(torn), clienttest.Format(lines))
				}
			}
		}
	}
}

// Lines that are not lines of a transcript change nothing.
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
			want, _ := file.read(t, client, all, clienttest.LongAgo)
			for range 5 {
				var b bytes.Buffer
				for line := range bytes.Lines(all) {
					b.Write(line)
					if r.IntN(3) == 0 {
						b.WriteString(garbage[r.IntN(len(garbage))] + []string{"\n", "\r\n"}[r.IntN(2)])
					}
				}
				got, err := file.read(t, client, b.Bytes(), clienttest.LongAgo)
				got.Notes = nil // they count it
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: got %v\n%s\nwant\n%s", client.Name(), err, clienttest.Format(got), clienttest.Format(want))
				}
			}
		}
	}
}

func TestWindowsLineEnds(t *testing.T) {
	file := newScratch(t)
	for _, client := range recorded {
		for _, all := range recordingsOf(t, client) {
			want, _ := file.read(t, client, all, clienttest.LongAgo)
			if got, err := file.read(t, client, bytes.ReplaceAll(all, []byte("\n"), []byte("\r\n")), clienttest.LongAgo); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %v\n%s\nwant\n%s", client.Name(), err, clienttest.Format(got), clienttest.Format(want))
			}
		}
	}
}

// FuzzDecode reads any bytes as a payload of each client.
func FuzzDecode(f *testing.F) {
	for _, client := range recorded {
		files, _ := filepath.Glob("../" + client.Name() + "/testdata/payloads/*.json")
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
			e, err := client.Decode(b, func(string) string { return "from-the-environment" })
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
	for _, log := range []string{
		`{"type":"user","message":{"content":"go"},"origin":{"kind":"human"}}
{"type":"assistant","message":{"id":"ma","content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"x","run_in_background":true}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"Exit code 1"}],"is_error":true}]}}
{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}
{"type":"user","message":{"content":"on"},"origin":{"kind":"human"}}`,
		`{"id":"p","timestamp":"@","type":"user","content":[{"text":"go"}]}
{"id":"a","timestamp":"@","type":"gemini","content":"","tokens":{"input":100},"toolCalls":[{"id":"one","name":"run_shell_command","args":{"command":"one"},"result":[],"status":"success","timestamp":"2026-11-20T10:00:03Z"}]}
{"$set":{"messages":[{"id":"p","timestamp":"@","type":"user","content":[{"text":"x"}]}],"lastUpdated":"@"}}
{"$rewindTo":"a"}`,
	} {
		f.Add([]byte(log), int64(1))
	}
	file := newScratch(f)
	f.Fuzz(func(t *testing.T, b []byte, since int64) {
		var begun time.Time
		if since != 0 {
			begun = time.UnixMilli(since)
		}
		for _, client := range recorded {
			got, err := file.read(t, client, b, begun)
			if bad := clienttest.Sound(got, err); bad != nil || err != nil || !got.Complete {
				t.Errorf("%s: %v, %v, complete %v; want a whole transcript", client.Name(), bad, err, got.Complete)
			}
		}
	})
}
