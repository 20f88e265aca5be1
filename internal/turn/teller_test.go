package turn

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/states"
)

func prompt(at, words string) string {
	return fmt.Sprintf(`{"sessionId":"s","cwd":"/p","isSidechain":false,"type":"user","origin":{"kind":"human"},"message":{"role":"user","content":%q},"uuid":"u","timestamp":%q}`+"\n", words, at)
}

// told reads a log of Claude Code as an import does.
func toldOf(t *testing.T, text string) Told {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := agent.Session{Identity: agent.Identity{ID: "ses_0000000000000000", Agent: "claude", ClientID: "s", WorkflowID: "wf_0000000000000000"}}
	now := piton.At(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	x, err := Log{Client: claude.Client{}, Path: path}.Told(t.Context(), s, client.About{ID: "s", Dir: "/p"}, ToldAfter{}, now)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// What strangers wrote makes no import fail, and no state too large.
func TestHostileLogsAreTold(t *testing.T) {
	const at = "2026-11-20T09:00:00Z"
	for name, c := range map[string]struct {
		text    string
		entries int
	}{
		"nothing":               {"", 0},
		"torn lines":            {prompt(at, "one") + `{"type":"user","mess` + "\n" + prompt(at, "two")[:90], 1},
		"a time to come":        {prompt("2999-01-01T00:00:00Z", "one") + prompt("2998-01-01T00:00:00Z", "two"), 2},
		"no time":               {prompt("", "one") + prompt("yesterday", "two"), 2},
		"a time long ago":       {prompt("0001-01-01T00:00:00Z", "one"), 1},
		"control characters":    {prompt(at, "a\x00b\x1b[31m\f\u202e"), 1},
		"a line of 70 MiB":      {prompt(at, "one") + strings.Repeat("x", 70<<20) + "\n" + prompt(at, "two"), 2},
		"a prompt of 9 MiB":     {prompt(at, strings.Repeat("word ", 9<<20/5)), 1},
		"more turns than taken": {strings.Repeat(prompt(at, "one"), 1) + many(10_000), MaxToldTurns},
	} {
		t.Run(name, func(t *testing.T) {
			x := toldOf(t, c.text)
			if len(x.Entries) != c.entries {
				t.Fatalf("got %d checkpoints, want %d", len(x.Entries), c.entries)
			}
			ids := map[string]bool{}
			for _, e := range x.Entries {
				if ids[e.Checkpoint.ID] {
					t.Errorf("%s comes twice", e.Checkpoint.ID)
				}
				ids[e.Checkpoint.ID] = true
				if len(e.State) > 64<<10 {
					t.Errorf("got a state of %d bytes", len(e.State))
				}
				if _, err := states.Read(e.State); err != nil {
					t.Error(err)
				}
				if year := e.Checkpoint.CreatedAt.Year(); year > 2026 || year < 2000 && !e.Checkpoint.CreatedAt.IsZero() {
					t.Errorf("got the time %v, want none that is to come, and none of another age", e.Checkpoint.CreatedAt)
				}
			}
		})
	}
}

func many(n int) string {
	var b strings.Builder
	begin := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for i := range n {
		b.WriteString(prompt(begin.Add(time.Duration(i+1)*time.Second).Format(time.RFC3339), "again"))
	}
	return b.String()
}

// The log of a session that has grown adds what is new behind what is there.
func TestToldGoesOn(t *testing.T) {
	first := toldOf(t, prompt("2026-11-20T09:00:00Z", "one"))
	head := first.Entries[0].Checkpoint
	path := filepath.Join(t.TempDir(), "s.jsonl")
	text := prompt("2026-11-20T09:00:00Z", "one") + prompt("2026-11-20T10:00:00Z", "two")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := Log{Client: claude.Client{}, Path: path}.Told(t.Context(), first.Session, client.About{ID: "s", Dir: "/p"}, ToldAfter{head, first.Entries[0].State}, piton.At(time.Now()))
	if err != nil || len(x.Entries) != 1 || x.Known != 1 || x.Entries[0].Checkpoint.ParentID != head.ID {
		t.Errorf("got %+v (%v); want one turn more, behind %s", x, err, head.ID)
	}
}

// Each client's logs tell their session.
func TestAbout(t *testing.T) {
	for name, want := range map[string]client.About{
		"claude/testdata/tour.jsonl":      {ID: "7d8b3a0c"},
		"codex/testdata/plain-turn.jsonl": {ID: "01a1f840-4861-7d62-9ec3-98c4604db153", Dir: "/home/dev/project"},
	} {
		path := filepath.Join("..", "client", filepath.FromSlash(name))
		c, _ := clients.ByName(strings.Split(name, "/")[0])
		got, err := c.About(path)
		elsewhere := want.Dir != "" && got.Dir != want.Dir
		named := got.ID != "" && got.Dir != "" && !got.Subagent
		if err != nil || !named || elsewhere {
			t.Errorf("%s: got %+v (%v)", name, got, err)
		}
	}
	for _, bad := range []client.About{{ID: "../x"}, {ID: "a/b"}, {ID: "-x"}, {ID: strings.Repeat("a", 200)}, {Dir: "relative"}, {Dir: "/a\nb"}, {Dir: "/" + strings.Repeat("a", 5000)}} {
		if got := bad.Checked(); got.ID != "" || got.Dir != "" {
			t.Errorf("%+v: got %+v, want nothing of it", bad, got)
		}
	}
}
