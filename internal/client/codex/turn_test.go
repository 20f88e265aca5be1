package codex

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
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

// TestTranscripts reads recordings, as they are and from their first turn
// on, and holds what they tell against testdata/want.
func TestTranscripts(t *testing.T) {
	dir := recordings(t)
	for _, name := range []string{
		"approval-cancelled", "background", "code-mode", "compact-interrupt", "killed-and-resumed", "mcp", "plain-turn",
		"polled", "steer-queue-tab", "stop-hook-continued", "older-shell", "older-unified",
		"sessions/2026/11/21/rollout-2026-11-21T16-36-24-01a1fef7-55dc-7d70-9e4a-34e94c924e90",
		"sessions/2026/11/21/rollout-2026-11-21T16-40-45-01a1fefb-50e0-7e90-af52-4e7e291d3735",
		"sessions/2026/11/21/rollout-2026-11-21T16-40-57-01a1fefb-7f36-7fb0-9f15-9fc09be621d1",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name+".jsonl")
			got := "the newest turn\n" + clienttest.Format(transcript(t, file, time.Time{})) + "\nthe whole session\n" + clienttest.Format(transcript(t, file, long))
			wanted := filepath.Join("testdata/want", filepath.Base(name)+".txt")
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

// long is a beginning before all recordings, also those of older forms.
var long = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

func transcript(t testing.TB, path string, since time.Time) agent.Transcript {
	t.Helper()
	got, err := Client{}.Transcript(path, since, 0)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// recordings copies testdata: a copy is written after all turns.
func recordings(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTranscriptSince(t *testing.T) {
	for _, tt := range []struct {
		name, file, since string
		calls             string
		prompt            string
	}{
		{"at a prompt's hook", "plain-turn", "09:18:44.984", "call_s0_mworohgk1 call_s1_mworohks4 call_s2_mworohn07", "Please do the work"},
		{"right at a prompt", "plain-turn", "09:18:44.990", "call_s0_mworohgk1 call_s1_mworohks4 call_s2_mworohn07", "Please do the work"},
		{"within the work", "plain-turn", "09:18:45.295", "call_s1_mworohks4 call_s2_mworohn07", ""},
		{"after the last line", "plain-turn", "10:00:00.000", "", ""},
		{"a command of the turn before ends in it", "compact-interrupt", "09:37:01.000", "call_s0_mwosc2jed call_s1_mwosc6nqi call_s0_mwoscbbqv", "slow three"},
		{"two turns, the first one interrupted", "compact-interrupt", "09:36:56.900", "call_s0_mwosbvza8 call_s0_mwosc2jed call_s1_mwosc6nqi call_s0_mwoscbbqv", "slow three"},
	} {
		since, err := time.Parse("2006-01-02T15:04:05.000", "2026-11-20T"+tt.since)
		if err != nil {
			t.Fatal(err)
		}
		got := transcript(t, filepath.Join("testdata", tt.file+".jsonl"), since)
		var ids []string
		for _, c := range got.Calls {
			ids = append(ids, c.ID)
		}
		if calls := strings.Join(ids, " "); calls != tt.calls || got.LastPrompt != tt.prompt || !got.Complete {
			t.Errorf("%s: got calls %q, prompt %q, complete %v; want %q, %q, true", tt.name, calls, got.LastPrompt, got.Complete, tt.calls, tt.prompt)
		}
	}
}

// What a person's message is told to have been, and when, is the same whether
// the beginning is known or looked for: a client without prompt events has its
// turn begun with it.
func TestPromptBoundsItsTurn(t *testing.T) {
	for _, name := range []string{"plain-turn", "code-mode", "mcp", "stop-hook-continued", "background"} {
		path := filepath.Join("testdata", name+".jsonl")
		found := transcript(t, path, time.Time{})
		given := transcript(t, path, found.LastPromptAt)
		if found.LastPrompt == "" || found.LastPromptAt.IsZero() || clienttest.Format(found) != clienttest.Format(given) {
			t.Errorf("%s: got\n%s\nwant, as found from its newest prompt,\n%s", name, clienttest.Format(given), clienttest.Format(found))
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

// A subagent of an earlier day works on where it began: its session's turn
// names it. Other sessions' subagents are none of it.
func TestSubagentsOfOtherDays(t *testing.T) {
	dir := recordings(t)
	const day = "sessions/2026/11/21"
	const name = "rollout-2026-11-21T16-36-24-01a1fef7-571c-72d1-be7a-55686f5c5804.jsonl"
	for _, other := range []string{"2026/11/20", "2026/11/22"} {
		path := filepath.Join(dir, "sessions", other)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, day, name), filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
		got := transcript(t, filepath.Join(dir, day, "rollout-2026-11-21T16-36-24-01a1fef7-55dc-7d70-9e4a-34e94c924e90.jsonl"), time.Time{})
		var theirs []string
		for _, c := range got.Calls {
			if c.Subagent != "" {
				theirs = append(theirs, c.Subagent[:13]+" "+c.Tool)
			}
		}
		if want := "01a1fef7-571c Bash, 01a1fef7-571c apply_patch"; strings.Join(theirs, ", ") != want || !got.Complete {
			t.Errorf("in %s: got %q, complete %v; want %q, true", other, theirs, got.Complete, want)
		}
		if err := os.Rename(filepath.Join(path, name), filepath.Join(dir, day, name)); err != nil {
			t.Fatal(err)
		}
	}
	// One that has not changed since the turn began is not read.
	old := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, day, name), old, old); err != nil {
		t.Fatal(err)
	}
	got := transcript(t, filepath.Join(dir, day, "rollout-2026-11-21T16-36-24-01a1fef7-55dc-7d70-9e4a-34e94c924e90.jsonl"), time.Time{})
	for _, c := range got.Calls {
		if c.Subagent != "" {
			t.Errorf("unchanged: got %+v, want no call of a subagent", c)
		}
	}
}

// Where the client is stands before the prompt, also behind many lines of kinds that are not known.
func TestFolderBehindUnknownLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rollout.jsonl")
	at := `{"timestamp":"2026-11-20T09:00:00.000Z","type":`
	text := at + `"session_meta","payload":{"id":"s","cwd":"/first"}}` + "\n" + at + `"turn_context","payload":{"cwd":"/then"}}` + "\n" +
		strings.Repeat(at+`"world_state","payload":{}}`+"\n", 40) +
		at + `"event_msg","payload":{"type":"user_message","message":"Go on"}}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var x turn
	if err := x.read(path, logfile.NewBudget()); err != nil || x.head.cwd != "/then" {
		t.Errorf("got %q, %v; want /then", x.head.cwd, err)
	}
}

// The rollouts of more days than are looked at may have used something too.
func TestSpendingOfMoreDaysThanAreRead(t *testing.T) {
	const thread = "019a2f00-0000-7000-8000-000000000001"
	dir := filepath.Join(t.TempDir(), "sessions", "2025", "10", "29")
	path := filepath.Join(dir, "rollout-2025-10-29T10-00-00-"+thread+".jsonl")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(path, []byte(`{"type":"session_meta","payload":{"id":"`+thread+`"}}`+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for days, want := range map[int]bool{30: true, maxDaysOfThreads + 1: false} {
		last := beganAt(thread).AddDate(0, 0, days)
		if err := os.Chtimes(path, last, last); err != nil {
			t.Fatal(err)
		}
		if whole, err := (Client{}).Spending(path, func(agent.Request) {}); err != nil || whole != want {
			t.Errorf("%d days: got whole %v, %v; want %v", days, whole, err, want)
		}
	}
}
