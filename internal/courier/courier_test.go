package courier_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/codex"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

const (
	thread = "0199a213-81c0-7800-8aa1-bbab2a035a53"
	text   = agent.Prefix + "Run 'go test ./...'."
)

// fakeClient is one whose transcript is what a test says.
type fakeClient struct {
	client.Client
	name   string
	script *agent.Transcript
}

func (c fakeClient) Name() string { return c.name }
func (c fakeClient) QueueCommand(id, text string) []string {
	if c.name != "codex" {
		return nil
	}
	return codex.Client{}.QueueCommand(id, text)
}
func (c fakeClient) Transcript(string, time.Time, int64) (agent.Transcript, error) {
	if c.script == nil {
		return agent.Transcript{}, errors.New("no such file: token sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-AA")
	}
	return *c.script, nil
}

// post is an office with one letter in it, that holds a session.
type post struct {
	*testing.T
	store   *store.Local
	outcome func() string // of the letter
	courier courier.Courier
	client  fakeClient
	now     time.Time
	argv    [][]string
	dirs    []string
	err     error // of the client's program
	during  func()
}

func office(t *testing.T) *post {
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	outcome := func() (s string) {
		if err := st.DB.QueryRowContext(t.Context(), `SELECT outcome FROM letters`).Scan(&s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	p := &post{T: t, store: st.Local(), outcome: outcome, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), client: fakeClient{name: "codex", script: &agent.Transcript{}}}
	p.client.script.LastPromptAt = p.now
	p.courier = courier.Courier{
		Local: st.Local(), Now: func() time.Time { return p.now },
		Client: func(name string) (client.Client, bool) { return p.client, name == p.client.name },
		Sleep:  func(_ context.Context, d time.Duration) { p.now = p.now.Add(d) },
		Pause:  agent.Pause,
		Program: func(_ context.Context, argv []string, dir string) error {
			p.argv, p.dirs = append(p.argv, argv), append(p.dirs, dir)
			if p.during != nil {
				p.during()
			}
			return p.err
		},
	}
	s := agent.Session{Identity: agent.Identity{ID: "ses_1", Agent: "codex", ClientID: thread, Root: t.TempDir(), Transcript: "t.jsonl"}}
	p.put(s.Prompted("mend it", piton.At(p.now)).Posted("ltr_1", 0))
	p.letter(`{"text":"` + text + `","turn":1}`)
	return p
}

func (p *post) update(fn func(store.LocalTx) error) {
	p.Helper()
	if err := p.store.Update(p.Context(), fn); err != nil {
		p.Fatal(err)
	}
}

func (p *post) put(s agent.Session) {
	p.Helper()
	p.update(func(tx store.LocalTx) error { return tx.PutSession(p.Context(), redact.Value(s)) })
}

func (p *post) letter(body string) {
	p.Helper()
	p.update(func(tx store.LocalTx) error {
		return tx.Post(p.Context(), redact.Value(agent.Letter{ID: "ltr_1", SessionID: "ses_1", Kind: agent.LetterHold, Due: piton.At(p.now), Body: body}))
	})
}

func (p *post) session() agent.Session {
	p.Helper()
	s, err := p.store.Session(p.Context(), "ses_1")
	if err != nil {
		p.Fatal(err)
	}
	return s
}

func (p *post) delivers() courier.Carried {
	p.Helper()
	got, err := p.courier.Deliver(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return got
}

func TestDelivered(t *testing.T) {
	p := office(t)
	p.now = p.now.Add(3 * time.Second)
	if got := p.delivers(); got != (courier.Carried{Delivered: 1}) {
		t.Fatalf("got %+v, want it delivered", got)
	}
	if diff := cmp.Diff([][]string{{"codex", "queue", "--thread", thread, "--message", text}}, p.argv); diff != "" {
		t.Errorf("commands (want -, got +):\n%s", diff)
	}
	if s := p.session(); p.dirs[0] != s.Root || s.LastCheckpoint != piton.At(p.now) || s.Waiting != "" || s.Holds != 1 {
		t.Errorf("got %+v in %s, want the hold to begin at its arrival, counted once", s, p.dirs[0])
	}
	if got := p.delivers(); got.Any() || len(p.argv) != 1 {
		t.Errorf("got %+v after %d commands, want nothing more", got, len(p.argv))
	}
}

// A letter that was written while the clock was a day ahead does not wait for that day;
// one that is due later by the clock as it is does wait.
func TestClockSetBack(t *testing.T) {
	for _, c := range []struct {
		name string
		back time.Duration
		want courier.Carried
	}{
		{"by half an hour: some letters wait as long", 30 * time.Minute, courier.Carried{Waiting: 1}},
		{"by a day", 24 * time.Hour, courier.Carried{Delivered: 1}},
		{"by a year", 365 * 24 * time.Hour, courier.Carried{Delivered: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := office(t)
			p.now = p.now.Add(-c.back)
			if got := p.delivers(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestDropped(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(p *post)
	}{
		{"our own text stands last", func(p *post) { p.client.script.OwnTextLast = true }},
		{"a person has spoken, as the transcript has it", func(p *post) { p.client.script.LastPromptAt = p.now.Add(time.Second) }},
		{"a person has spoken, as a hook has it", func(p *post) { p.put(p.session().Prompted("leave it", piton.At(p.now))) }},
		{"the request was cancelled", func(p *post) { p.client.script.Interrupted = p.now }},
		{"another turn", func(p *post) { s := p.session(); s.Turn++; p.put(s) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := office(t)
			c.set(p)
			if got := p.delivers(); got != (courier.Carried{Dropped: 1}) || len(p.argv) > 0 {
				t.Errorf("got %+v and commands %q, want it dropped", got, p.argv)
			}
			if s := p.session(); s.Waiting != "" || !s.LastCheckpoint.IsZero() {
				t.Errorf("got %+v, want nothing on its way and no time of a hold", s)
			}
		})
	}
}

func TestParkedAtOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(p *post)
	}{
		{"a client without a queue", func(p *post) { p.client.name = "gemini"; s := p.session(); s.Agent = "gemini"; p.put(s) }},
		{"a client that nobody knows", func(p *post) { s := p.session(); s.Agent = "clod"; p.put(s) }},
		{"an id that is none", func(p *post) { s := p.session(); s.ClientID = "--remote=x"; p.put(s) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := office(t)
			c.set(p)
			if got := p.delivers(); got != (courier.Carried{Parked: 1}) || len(p.argv) > 0 {
				t.Errorf("got %+v and commands %q, want it parked", got, p.argv)
			}
			if s := p.session(); s.Waiting != "" {
				t.Error("the session still waits for it")
			}
		})
	}
}

func TestTriedAgain(t *testing.T) {
	p := office(t)
	p.err = errors.New("no daemon; key sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-AA")
	began := p.now
	got, err := p.courier.DeliverAll(t.Context(), time.Hour)
	if err != nil || got != (courier.Carried{Parked: 1}) || len(p.argv) != agent.MaxAttempts {
		t.Fatalf("got %+v (%v) after %d attempts, want it parked after %d", got, err, len(p.argv), agent.MaxAttempts)
	}
	if took := p.now.Sub(began); took != (1+2+4+8+16+32+60)*time.Second {
		t.Errorf("got it given up after %s, want the pauses doubled up to a minute", took)
	}
	if got := p.outcome(); !strings.HasPrefix(got, "parked: no daemon") || strings.Contains(got, "0123456789abc") {
		t.Errorf("got the outcome %q, want the error without its secret", got)
	}
}

func TestTranscriptAway(t *testing.T) {
	p := office(t)
	script := p.client.script
	p.client.script = nil
	if got := p.delivers(); got != (courier.Carried{Waiting: 1}) || len(p.argv) > 0 {
		t.Fatalf("got %+v and commands %q, want it to wait: nobody can tell what was said since", got, p.argv)
	}
	if got := p.delivers(); got != (courier.Carried{Waiting: 1}) {
		t.Errorf("got %+v before it is due again", got)
	}
	p.client.script = script
	p.now = p.now.Add(time.Second)
	if got := p.delivers(); got != (courier.Carried{Delivered: 1}) {
		t.Errorf("got %+v, want it delivered", got)
	}
}

// Two carriers at once, and one that dies.
func TestTakenByOne(t *testing.T) {
	p := office(t)
	p.during = func() {
		p.during = nil
		if got := p.delivers(); got != (courier.Carried{Waiting: 1}) {
			p.Errorf("got %+v, want the letter left to who has it", got)
		}
	}
	if got := p.delivers(); got != (courier.Carried{Delivered: 1}) || len(p.argv) != 1 {
		t.Errorf("got %+v after %d commands, want one", got, len(p.argv))
	}
	p = office(t)
	p.update(func(tx store.LocalTx) error {
		_, _, err := tx.Claim(t.Context(), store.Claim{Session: "ses_1", At: piton.At(p.now), Until: piton.At(p.now.Add(time.Minute))})
		return err
	})
	if got, err := p.courier.DeliverAll(t.Context(), 5*time.Minute); err != nil || got != (courier.Carried{Delivered: 1}) {
		t.Errorf("got %+v (%v), want a dead carrier's letter delivered after its time", got, err)
	}
}

func TestCrossedByAPrompt(t *testing.T) {
	p := office(t)
	p.during = func() { p.put(p.session().Prompted("and the docs", piton.At(p.now))) }
	if got := p.delivers(); got != (courier.Carried{Delivered: 1}) {
		t.Fatalf("got %+v, want it delivered", got)
	}
	if s := p.session(); s.Holds != 1 || !s.LastCheckpoint.IsZero() {
		t.Errorf("got %d holds since the prompt and the last at %s, want the letter counted", s.Holds, s.LastCheckpoint)
	}
}

func TestUnreadableLetter(t *testing.T) {
	p := office(t)
	p.update(func(tx store.LocalTx) error {
		return tx.Post(t.Context(), redact.Value(agent.Letter{ID: "ltr_2", SessionID: "ses_1", Kind: "later", Due: piton.At(p.now), Body: "{"}))
	})
	if got := p.delivers(); got != (courier.Carried{Delivered: 1, Parked: 1}) {
		t.Errorf("got %+v, want the other delivered and this parked", got)
	}
}

// The client's program itself, as it is found on the path.
func TestProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the client's program is a shell script here")
	}
	p := office(t)
	p.courier.Program, p.courier.Pause = nil, nil
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if got := p.delivers(); got != (courier.Carried{Waiting: 1}) {
		t.Fatalf("got %+v without the program, want it to wait", got)
	}
	script := "#!/bin/sh\nprintf '%s|' \"$@\" >> " + filepath.Join(bin, "said") + "\n[ -e " + filepath.Join(bin, "up") + " ] || { printf 'WARNING: no path\\nError: down\\n\\nStack backtrace:\\n' >&2; exit 3; }\n"
	if err := os.WriteFile(filepath.Join(bin, "codex"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	p.now = p.now.Add(time.Minute)
	if got := p.delivers(); got != (courier.Carried{Waiting: 1}) {
		t.Fatalf("got %+v from a program that fails, want it to wait", got)
	}
	if got := p.outcome(); got != "failed: codex ended with status 3: Error: down" {
		t.Errorf("got the outcome %q, want the line that says why", got)
	}
	if err := os.WriteFile(filepath.Join(bin, "up"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.now = p.now.Add(time.Minute)
	if got := p.delivers(); got != (courier.Carried{Delivered: 1}) {
		t.Fatalf("got %+v, want it delivered", got)
	}
	said, err := os.ReadFile(filepath.Join(bin, "said"))
	want := "queue|--thread|" + thread + "|--message|" + text + "|"
	if err != nil || string(said) != want+want {
		t.Errorf("got %q (%v), want %q twice", said, err, want)
	}
}
