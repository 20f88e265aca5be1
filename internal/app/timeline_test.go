package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// noon is when the work of the tests began.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func after(seconds int) piton.Time { return piton.At(noon.Add(time.Duration(seconds) * time.Second)) }

// logOf writes a log of Claude Code: each line is "SECONDS prompt TEXT", "SECONDS says TEXT",
// or "SECONDS TOOL INPUT -> RESULT", whose result comes a second later and fails where it
// begins with a !.
func logOf(t *testing.T, lines ...string) string {
	t.Helper()
	var b strings.Builder
	put := func(at int, kind, content string) {
		fmt.Fprintf(&b, `{"type":%q,"isSidechain":false,"message":{"role":%q,"content":%s},"uuid":"%d","timestamp":%q,"userType":"external","cwd":"/p","sessionId":"s","version":"2.1.328"}`+"\n",
			kind, kind, content, b.Len(), after(at).UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	for i, line := range lines {
		var at int
		head, rest, _ := strings.Cut(line, " ")
		fmt.Sscan(head, &at)
		word, text, _ := strings.Cut(rest, " ")
		switch word {
		case "prompt":
			put(at, "user", fmt.Sprintf("%q", text))
		case "says":
			put(at, "assistant", fmt.Sprintf(`[{"type":"text","text":%q}]`, text))
		default:
			input, result, ended := strings.Cut(text, " -> ")
			put(at, "assistant", fmt.Sprintf(`[{"type":"tool_use","id":"t%d","name":%q,"input":%s}]`, i, word, input))
			result, failed := strings.CutPrefix(result, "!")
			if ended || failed {
				put(at+1, "user", fmt.Sprintf(`[{"type":"tool_result","tool_use_id":"t%d","content":%q,"is_error":%v}]`, i, result, failed))
			}
		}
	}
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// put stores what hooks would have.
func put(t *testing.T, a *App, s agent.Session, turns []int, decisions ...agent.Decision) {
	t.Helper()
	leave(t, a, s)
	st, err := a.Local(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(tx store.LocalTx) error {
		for i, at := range turns {
			if err := tx.PutTurn(t.Context(), redact.Value(agent.Turn{SessionID: s.ID, N: i + 1, StartedAt: after(at)})); err != nil {
				return err
			}
		}
		for _, d := range decisions {
			d.Session = s.ID
			if err := tx.Decide(t.Context(), redact.Value(d)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTimeline: what a turn's log tells, in its order, with what was decided and saved
// meanwhile, and nothing of other turns.
func TestTimeline(t *testing.T) {
	root := t.TempDir()
	log := logOf(t,
		"0 prompt fix the parser", "2 says I look at it.", `3 Read {"file_path":"`+root+`/a.go"} -> text`, `5 Read {"file_path":"`+root+`/b.go"} -> text`,
		`7 Edit {"file_path":"`+root+`/a.go","old_string":"x","new_string":"y"} -> done`, `9 Edit {"file_path":"`+root+`/b.go","old_string":"x","new_string":"y"} -> done`,
		`11 Bash {"command":"go test ./..."} -> !Exit code 1
--- FAIL: TestParse (0.00s)
FAIL
FAIL	example.com/p	0.1s`, `14 Bash {"command":"export TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345 && ls"} -> a.go`, `17 Bash {"command":"go test ./..."} -> ok  	example.com/p	0.1s`,
		"20 says Done.", "100 prompt now the docs", `103 Write {"file_path":"`+root+`/README.md","content":"x"} -> done`)
	a := newCaller(t, caller.Options{Home: t.TempDir(), Dir: root})
	saved, err := a.Save(t.Context(), piton.SaveRequest{Workflow: "w", State: []byte(`{"a":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	s := agent.Session{Identity: agent.Identity{ID: "ses_0000000000000001", Root: root, Transcript: log, WorkflowID: saved.WorkflowID}, InTurn: agent.InTurn{Turn: 2, TurnOpen: true}}
	usage := piton.TokenUsage{Input: 10, Output: 5}
	put(t, a, s, []int{1, 101},
		agent.Decision{At: after(16), Turn: 1, Held: true, Reason: agent.ReasonHeld, Actions: []string{"run the tests"}},
		agent.Decision{At: after(21), Turn: 1, Reason: agent.ReasonClear, Files: []agent.FileChange{{Path: "a.go", Whose: agent.OwnerAgent}}, Usage: usage,
			Verified: []agent.Verified{{Command: "just ci", OK: true, At: after(21), TookMS: 100}}})

	x, err := a.Timeline(t.Context(), piton.TimelineRequest{SessionRequest: piton.SessionRequest{Session: s.ID}, Turn: 1})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range x.Moments {
		text := m.Text
		if m.Kind == MomentEdit {
			text = strings.Join(m.Files, ",")
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", int(m.At.Sub(noon).Seconds()), m.Kind, m.Went, strings.Split(text, "\n")[0])))
	}
	want := []string{
		"0 prompt  fix the parser", "2 words  I look at it.", "3 read  Read", "7 edit  a.go,b.go", "11 check failed go test ./...", "14 command  export TOKEN=[REDACTED:github-token] && ls",
		"16 held  held", "17 check passed go test ./...", "20 words  Done.", "21 let_go  all_clear", "21 measured passed just ci",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got, want := fmt.Sprintf("%d %d %v %v %q", x.Holds, x.Checks, x.Files, x.Usage, x.Unseen), fmt.Sprintf("1 2 [{a.go agent}] %v \"\"", usage); got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	x, err = a.Timeline(t.Context(), piton.TimelineRequest{SessionRequest: piton.SessionRequest{Session: s.ID}})
	if err != nil || len(x.Moments) != 2 {
		t.Fatalf("the newest turn: %+v, %v", x.Moments, err)
	}
	if got := fmt.Sprintf("%d %s %v", x.Turn, x.Moments[0].Text, x.Moments[1].Files); got != "2 now the docs [README.md]" {
		t.Errorf("the newest turn: %s", got)
	}
	if _, err = a.Timeline(t.Context(), piton.TimelineRequest{SessionRequest: piton.SessionRequest{Session: s.ID}, Turn: 3}); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("a turn that is not there: %v", err)
	}
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	x, err = a.Timeline(t.Context(), piton.TimelineRequest{SessionRequest: piton.SessionRequest{Session: s.ID}, Turn: 1})
	if err != nil || x.Holds != 1 || !strings.Contains(x.Unseen, "of its log: ") {
		t.Errorf("without its log: %d holds, %q, %v", x.Holds, x.Unseen, err)
	}
}

// TestFold: calls of a kind are one moment, but not over a stop or anything else between them.
func TestFold(t *testing.T) {
	x := Timeline{Moments: []Moment{
		{Kind: MomentEdit, Files: []string{"a"}, Count: 1}, {Kind: MomentEdit, Files: []string{"a", "b"}, Count: 1}, {Kind: MomentHeld}, {Kind: MomentEdit, Files: []string{"a"}, Count: 1},
		{Kind: MomentRead, Text: "Read", Count: 1}, {Kind: MomentRead, Text: "Grep", Count: 1}, {Kind: MomentCommand, Text: "ls", Count: 1}, {Kind: MomentCommand, Text: "ls", Count: 1},
	}}
	x.fold()
	var got []string
	for _, m := range x.Moments {
		got = append(got, fmt.Sprintf("%s %d %v", m.Kind, m.Count, m.Files))
	}
	if text := strings.Join(got, " "); text != "edit 2 [a b] held 0 [] edit 1 [a] read 1 [] read 1 [] command 1 [] command 1 []" {
		t.Errorf("got %s", text)
	}
}

// TestAllWork: who calls a person comes first, with what it asks for, then who is held, who
// works, who is over; of those that are over not more than some.
func TestAllWork(t *testing.T) {
	now := noon.Add(time.Minute)
	a := newCaller(t, caller.Options{Home: t.TempDir(), Dir: t.TempDir(), Now: func() time.Time { return now }})
	if x, err := a.AllWork(t.Context()); err != nil || x.Known {
		t.Errorf("of nothing: %+v, %v", x, err)
	}
	me, err := proc.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	at := func(id string, in agent.InTurn, change func(*agent.Session)) agent.Session {
		s := agent.Session{Identity: agent.Identity{ID: id, SeenAt: after(30), StartedAt: after(0), Process: agent.Process{PID: me.PID, Start: me.Start, Boot: me.Boot, Space: me.Space}}, InTurn: in}
		change(&s)
		return s
	}
	open := agent.InTurn{Turn: 1, TurnOpen: true}
	asks := logOf(t, "0 prompt clean up", `5 Bash {"command":"rm -rf build"}`)
	put(t, a, at("ses_0000000000000001", open, func(*agent.Session) {}), []int{0})
	put(t, a, at("ses_0000000000000002", open, func(s *agent.Session) { s.Holds, s.LastCheckpoint = 1, after(20) }), []int{0}, agent.Decision{At: after(20), Turn: 1, Held: true, Reason: agent.ReasonHeld})
	put(t, a, at("ses_0000000000000003", open, func(s *agent.Session) { s.WaitingSince, s.Transcript, s.LastMessageAt = after(30), asks, after(0) }), []int{0})
	for i := range maxEnded + 2 {
		put(t, a, at(fmt.Sprintf("ses_00000000000001%02d", i), agent.InTurn{Turn: 1}, func(s *agent.Session) { s.EndedAt, s.Process = after(30), agent.Process{} }), []int{0})
	}
	put(t, a, at("ses_0000000000000900", open, func(s *agent.Session) {
		s.SeenAt, s.EndedAt, s.Process = piton.At(now.Add(-2*endedFor)), after(0), agent.Process{}
	}), []int{0})
	x, err := a.AllWork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range x.Sessions[:min(4, len(x.Sessions))] {
		got = append(got, fmt.Sprint(s.ID[len(s.ID)-1:], " ", s.Stands(), " ", s.Calls(), " ", s.Held() != nil, " ", s.Asks))
	}
	want := "3 waits for permission true false Bash rm -rf build\n2 held false true \n1 at work false false "
	if text := strings.Join(got[:3], "\n"); text != want || x.Ended != 2 || len(x.Sessions) != 3+maxEnded || !x.Known {
		t.Errorf("got\n%s\nwant\n%s\n%d sessions, %d more ended", text, want, len(x.Sessions), x.Ended)
	}
}
