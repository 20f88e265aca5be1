package gemini

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

// TestTranscripts reads every recording, as it is and from its first turn
// on, and holds what it tells against testdata/want.
func TestTranscripts(t *testing.T) {
	dir := recordings(t)
	files, _ := filepath.Glob(filepath.Join(dir, "chats", "*.jsonl"))
	if len(files) == 0 {
		t.Fatal("got no recordings")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			got := "the newest turn\n" + clienttest.Format(transcript(t, file, time.Time{})) + "\nthe whole session\n" + clienttest.Format(transcript(t, file, clienttest.LongAgo))
			wanted := filepath.Join("testdata/want", name+".txt")
			if *clienttest.Update {
				if err := os.WriteFile(wanted, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(wanted)
			if err != nil || got != string(want) {
				t.Errorf("got\n%s\nwant\n%s%v", got, want, err)
			}
		})
	}
}

// recordings copies testdata as the client keeps it: the logs in chats,
// and beside that folder the project's place.
func recordings(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "chats"), os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".project_root"), []byte(clienttest.Project+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func transcript(t testing.TB, path string, since time.Time) agent.Transcript {
	t.Helper()
	got, err := Client{}.Transcript(path, since, 0)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// logOf writes lines as a log and returns its path. A line begins with its
// second: "3 {…" is stamped 10:00:03.
func logOf(t testing.TB, lines ...string) string {
	t.Helper()
	var b strings.Builder
	for _, l := range lines {
		second, rest, _ := strings.Cut(l, " ")
		b.WriteString(strings.ReplaceAll(rest, "@", "2026-11-20T10:00:"+fmt.Sprintf("%02s", second)+".000Z") + "\n")
	}
	path := filepath.Join(t.TempDir(), "chats", "session-2026-11-20T10-00-s1234567.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	gHeader    = `{"sessionId":"s1234567-x","projectHash":"ff","startTime":"@","lastUpdated":"@","kind":"main"}`
	gCancelled = `{"id":"c@","timestamp":"@","type":"info","content":"Request cancelled."}`
)

func gAsked(id, words string) string {
	return `{"id":"` + id + `","timestamp":"@","type":"user","content":[{"text":"` + words + `"}]}`
}

func gSaid(id, words string) string {
	return `{"id":"` + id + `","timestamp":"@","type":"gemini","content":"` + words + `","thoughts":[],"tokens":{"input":100,"output":10,"cached":40,"thoughts":5,"tool":1,"total":116},"model":"m"}`
}

// gRan is an answer with commands that have ended at a second.
func gRan(id, end string, commands ...string) string {
	var calls []string
	for _, c := range commands {
		calls = append(calls, `{"id":"`+c+`","name":"run_shell_command","args":{"command":"`+c+`"},"result":[],"status":"success","timestamp":"2026-11-20T10:00:`+end+`Z"}`)
	}
	return strings.TrimSuffix(gSaid(id, ""), "}") + `,"toolCalls":[` + strings.Join(calls, ",") + `]}`
}

func gSet(ids ...string) string {
	var list []string
	for _, id := range ids {
		list = append(list, gAsked(id, "x"))
	}
	return `{"$set":{"messages":[` + strings.Join(list, ",") + `],"lastUpdated":"@"}}`
}

func TestLogIsAnEventLog(t *testing.T) {
	start := []string{"0 " + gHeader, "1 " + gAsked("p", "go"), `1 {"$set":{"lastUpdated":"@"}}`}
	for _, tt := range []struct {
		name                  string
		lines                 []string
		calls, prompt, output string
	}{
		{"the last line of an id counts", []string{"2 " + gSaid("a", "I look."), "2 " + gRan("a", "04", "one"), "2 " + gRan("a", "06", "one", "two"), "7 " + gSaid("b", "Done.")}, "one two", "go", "Done."},
		{"a rewind takes back", []string{"2 " + gRan("a", "03", "one"), "4 " + gAsked("p2", "more"), "5 " + gRan("b", "05", "two"), `6 {"$rewindTo":"p2"}`, "7 " + gAsked("p3", "else"), "8 " + gRan("c", "08", "three")}, "one three", "else", ""},
		{"a rewind to a message that was written often", []string{"2 " + gSaid("a", ""), "2 " + gRan("a", "03", "one"), "5 " + gRan("b", "05", "two"), `6 {"$rewindTo":"a"}`, "8 " + gRan("c", "08", "three")}, "three", "go", ""},
		{"a rewind to the prompt", []string{"2 " + gRan("a", "03", "one"), `6 {"$rewindTo":"p"}`}, "", "", ""},
		{"a rewind in a rewind", []string{"2 " + gRan("a", "03", "one"), "4 " + gAsked("p2", "more"), "5 " + gRan("b", "05", "two"), `6 {"$rewindTo":"b"}`, "7 " + gRan("c", "07", "three"), `8 {"$rewindTo":"p2"}`}, "one", "go", ""},
		{"a rewind to what is not there takes all back", []string{"2 " + gRan("a", "03", "one"), `6 {"$rewindTo":"nobody"}`, "8 " + gRan("c", "08", "three")}, "three", "", ""},
		{"what stands before a restart's header was done", []string{"2 " + gRan("a", "03", "one"), "4 " + gHeader, "4 " + gSet("p", "a"), "5 " + gRan("b", "05", "two")}, "one two", "go", ""},
		{"what is compressed was done", []string{"2 " + gRan("a", "03", "one"), `4 {"$set":{"sessionId":"s1234567-x"}}`, "4 " + gSet("n1"), "5 " + gRan("b", "05", "two")}, "one two", "go", ""},
		{"what an interruption cut was done", []string{"2 " + gRan("a", "03", "one"), "4 " + gCancelled, "4 " + gSet(), "8 " + gAsked("p2", "on"), "9 " + gRan("b", "09", "two")}, "one two", "on", ""},
		{"copies of messages are not messages", []string{"2 " + gRan("a", "03", "one"), "4 " + gSaid("b", "So."), "6 " + gAsked("n1", "go"), `6 {"$set":{"lastUpdated":"@"}}`, "6 " + gSaid("n2", "copied"), `6 {"$set":{"lastUpdated":"@"}}`, "6 " + gSet("n1", "n2")}, "one", "go", "So."},
		{"messages long before a set are not copies", []string{"2 " + gSaid("b", "So."), "6 " + gSet("p", "b")}, "", "go", "So."},
		{"unknown lines", []string{`2 {"$set":{"summary":"s"}}`, `2 {"$other":1}`, `2 {"id":"w","timestamp":"@","type":"warning","content":"Request cancelled."}`, "2 " + gRan("a", "03", "one")}, "one", "go", ""},
		{"a call that stands in two messages", []string{"2 " + gRan("a", "03", "one"), "4 " + gRan("b", "04", "one", "two")}, "one two", "go", ""},
	} {
		got := transcript(t, logOf(t, append(start, tt.lines...)...), clienttest.At(1))
		if clienttest.Commands(got) != tt.calls || got.LastPrompt != tt.prompt || got.LastOutput != tt.output || !got.Complete {
			t.Errorf("%s: got calls %q, prompt %q, output %q, complete %v; want %q, %q, %q, true", tt.name,
				clienttest.Commands(got), got.LastPrompt, got.LastOutput, got.Complete, tt.calls, tt.prompt, tt.output)
		}
	}
}

func TestTranscriptSince(t *testing.T) {
	lines := []string{"0 " + gHeader, "1 " + gAsked("p", "first"), "2 " + gRan("a", "05", "one"), "6 " + gSaid("b", "Done."),
		"20 " + gAsked("q", "second"), "21 " + gRan("c", "25", "two"), "26 " + gSaid("d", "Done.")}
	path := logOf(t, lines...)
	for _, tt := range []struct {
		name          string
		since         time.Time
		calls, prompt string
	}{
		// The hook was asked before the prompt was written, sometimes long before.
		{"when the prompt's hook began", clienttest.At(19), "two", "second"},
		{"right with the prompt", clienttest.At(20), "two", "second"},
		{"long before the prompt was written", clienttest.At(10), "two", "second"},
		{"after the prompt", clienttest.At(21), "two", ""},
		{"while the call ran", clienttest.At(23), "two", ""},
		{"after all", clienttest.At(50), "", ""},
		{"the first turn", clienttest.At(1), "one two", "second"},
		{"unknown", time.Time{}, "two", "second"},
	} {
		got := transcript(t, path, tt.since)
		if clienttest.Commands(got) != tt.calls || got.LastPrompt != tt.prompt || !got.Complete {
			t.Errorf("%s: got calls %q, prompt %q, complete %v; want %q, %q, true", tt.name, clienttest.Commands(got), got.LastPrompt, got.Complete, tt.calls, tt.prompt)
		}
	}
}

func TestTranscriptErrors(t *testing.T) {
	_, err := Client{}.Transcript(filepath.Join(t.TempDir(), "none.jsonl"), time.Time{}, 0)
	if !errors.Is(err, fs.ErrNotExist) || piton.CodeOf(err) != piton.NotFound {
		t.Errorf("missing: got %v, want NotFound for a file that does not exist", err)
	}
	if _, err = (Client{}).Transcript(t.TempDir(), time.Time{}, 0); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("a folder: got %v, want Invalid", err)
	}
}

// A call begins with the answer that made it, wherever it stands.
func TestCallsBeginWithTheAnswer(t *testing.T) {
	late := strings.Replace(gRan("b", "08", "one"), `"tokens":`, `"other":`, 1)
	path := logOf(t, "1 "+gAsked("p", "go"), "2 "+gSaid("a", ""), `5 {"id":"i","timestamp":"@","type":"info","content":"A hook says so."}`, "8 "+late)
	got := transcript(t, path, time.Time{}).Calls
	if len(got) != 1 || !got[0].StartedAt.Equal(clienttest.At(2)) || !got[0].EndedAt.Equal(clienttest.At(8)) {
		t.Errorf("got %+v, want one call from 10:00:02 to 10:00:08", got)
	}
}

// What AfterAgent hands over ends with the words that the log has last.
func TestLastWordsAreTheStops(t *testing.T) {
	dir := recordings(t)
	for payload, log := range map[string]string{"AfterAgent": "tools", "AfterAgent.retry-with-tools": "deny-retry-headless"} {
		e, err := Client{}.Decode(payloadFile(t, payload), nil)
		got := transcript(t, filepath.Join(dir, "chats", log+".jsonl"), clienttest.LongAgo)
		if err != nil || got.LastOutput == "" || !strings.HasSuffix(e.LastOutput, got.LastOutput) || got.LastOutputAt.IsZero() {
			t.Errorf("%s: got %q at %s in the log and %q in the payload", payload, got.LastOutput, clienttest.Clock(got.LastOutputAt), e.LastOutput)
		}
	}
}
