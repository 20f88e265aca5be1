package claude

import (
	"errors"
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

// TestTranscripts reads recordings, as they are and from their first turn on,
// and holds what they tell against testdata/want.
func TestTranscripts(t *testing.T) {
	dir := recordings(t)
	for _, name := range []string{
		"background", "context", "denied", "interrupt", "print", "tasks", "todowrite", "tour", "turns",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name+".jsonl")
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

func TestTranscriptSince(t *testing.T) {
	dir := recordings(t)
	for _, tt := range []struct {
		name, file, since string
		calls             string
		prompt            string
	}{
		{"at a prompt's hook", "turns", "09:43:43.440", "toolu_mock0008_0 toolu_mock0009_0", "thanks"},
		{"right at a prompt", "turns", "09:43:43.403", "toolu_mock0008_0 toolu_mock0009_0", "thanks"},
		{"before the clock slack", "turns", "09:43:41.300", "toolu_mock0001_0 toolu_mock0001_1 toolu_mock0002_0 toolu_mock0003_0 toolu_mock0004_0 toolu_mock0006_0 toolu_mock0008_0 toolu_mock0009_0", "thanks"},
		{"long after a prompt, before its work", "turns", "09:43:43.520", "toolu_mock0008_0 toolu_mock0009_0", "thanks"},
		{"after the last line", "turns", "10:00:00.000", "", ""},
		{"a turn with a prompt that was queued", "tour", "09:29:02.600", "toolu_mock0008_0 toolu_mock0009_0", "fail now"},
	} {
		since, err := time.Parse("2006-01-02T15:04:05.000", "2026-11-20T"+tt.since)
		if err != nil {
			t.Fatal(err)
		}
		got := transcript(t, filepath.Join(dir, tt.file+".jsonl"), since)
		var ids []string
		for _, c := range got.Calls {
			ids = append(ids, c.ID)
		}
		if calls := strings.Join(ids, " "); calls != tt.calls || got.LastPrompt != tt.prompt || !got.Complete {
			t.Errorf("%s: got calls %q, prompt %q, complete %v; want %q, %q, true", tt.name, calls, got.LastPrompt, got.Complete, tt.calls, tt.prompt)
		}
	}
}

// Other hooks may keep ours waiting for seconds: the prompt still opens the turn.
func TestTranscriptOfALatePromptHook(t *testing.T) {
	path := session(t, "1 "+asked("before"), "2 "+used("old", "Bash", `{}`), "10 "+asked("/greet"),
		`10 {"type":"user","isMeta":true,"message":{"content":"Say hello"}}`, "21 "+used("a", "Bash", `{}`))
	got := transcript(t, path, clienttest.At(20))
	if got.LastPrompt != "/greet" || len(got.Calls) != 1 || !got.Complete {
		t.Errorf("got prompt %q, %d calls, complete %v; want /greet, one, true", got.LastPrompt, len(got.Calls), got.Complete)
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

// recordings copies testdata, the subagent's file with the time it was written.
func recordings(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	written := time.Date(2026, 11, 20, 9, 43, 44, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, subagentLog), written, written); err != nil {
		t.Fatal(err)
	}
	return dir
}

const subagentLog = "turns/subagents/agent-aeabea24d591dffdf.jsonl"

func transcript(t testing.TB, path string, since time.Time) agent.Transcript {
	t.Helper()
	got, err := Client{}.Transcript(path, since, 0)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
