package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/client/codex"
	"github.com/piton-project/piton/internal/hook"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/turn"
)

// lines is a log that is kept.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lines) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.b.String()
	l.b.Reset()
	return s
}

// house is a door over a real store.
type house struct {
	hook.Door
	log  *lines
	home string
}

func build(t testing.TB) *house {
	t.Helper()
	h := &house{log: &lines{}, home: t.TempDir()}
	st, err := sqlite.Open(t.Context(), filepath.Join(h.home, "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	h.Door = hook.Door{
		Log: slog.New(slog.NewTextHandler(h.log, nil)),
		Turns: turn.Turns{Client: claude.Client{}, Home: h.home, TempDir: t.TempDir(),
			Open: func(context.Context) (*store.Local, error) { return st.Local(), nil }},
	}
	return h
}

// serves gives the door a payload, and checks what any answer must be.
func (h *house) serves(t testing.TB, in io.Reader) string {
	t.Helper()
	var out bytes.Buffer
	h.Serve(context.Background(), in, &out)
	if log := h.log.b.String(); strings.Contains(log, "panic") {
		t.Fatalf("got a panic: %s", h.log.take())
	}
	if out.Len() == 0 {
		return ""
	}
	dec := json.NewDecoder(bytes.NewReader(out.Bytes()))
	var reply map[string]any
	if err := dec.Decode(&reply); err != nil || reply == nil {
		t.Fatalf("got the answer %q (%v), want one JSON object", out.Bytes(), err)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Fatalf("got the answer %q, want nothing behind the object", out.Bytes())
	}
	return out.String()
}

// payloads are what the real client sent.
func payloads(t testing.TB) (all [][]byte) {
	t.Helper()
	files, err := filepath.Glob("../client/claude/testdata/payloads/*.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("got %d recorded payloads (%v), want them all", len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

func TestServe(t *testing.T) {
	h := build(t)
	for _, c := range []struct{ name, in, log string }{
		{"nothing", "", "not one whole JSON object"},
		{"white space", " \n", "not one whole JSON object"},
		{"binary", "\x00\x01\xff\xfe", "not one whole JSON object"},
		{"text", "hello", "not one whole JSON object"},
		{"an array", "[]", "not one whole JSON object"},
		{"null", "null", "not one whole JSON object"},
		{"two objects", "{}{}", "not one whole JSON object"},
		{"torn", `{"session_id":"a","hook_event_name":"St`, "not one whole JSON object"},
		{"an empty object", "{}", ""},
		{"an unknown event", `{"session_id":"a","hook_event_name":"TeaTime"}`, ""},
		{"no session", `{"hook_event_name":"Stop"}`, ""},
		{"a session of another type", `{"session_id":7,"hook_event_name":"Stop"}`, ""},
		{"wrong types everywhere", `{"session_id":"a","hook_event_name":"Stop","cwd":[],"transcript_path":{},"background_tasks":"x","last_assistant_message":3,"agent_id":null}`, ""},
		{"paths that are none", `{"session_id":"b","hook_event_name":"SessionStart","cwd":"` + strings.Repeat("/x", 5000) + `","transcript_path":"a\u0000b"}`, ""},
		{"keys twice", `{"session_id":"a","session_id":"c","hook_event_name":"Stop","hook_event_name":"Notification"}`, ""},
		{"nested without end", `{"session_id":"a","hook_event_name":"PostToolUse","tool_input":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, ""},
		{"a prompt of 5 MB", `{"session_id":"d","hook_event_name":"UserPromptSubmit","prompt":"` + strings.Repeat("é", 5<<19) + `"}`, ""},
	} {
		if got := h.serves(t, strings.NewReader(c.in)); got != "" {
			t.Errorf("%s: got the answer %q, want none", c.name, got)
		}
		if log := h.log.take(); !strings.Contains(log, c.log) || (c.log == "") != (log == "") {
			t.Errorf("%s: got the log %q, want %q", c.name, log, c.log)
		}
	}
	s, err := h.session("d")
	if err != nil || len(s.LastMessage) > 2000 || s.LastMessage == "" {
		t.Errorf("got a message of %d bytes (%v), want it cut", len(s.LastMessage), err)
	}
	if s, err = h.session("b"); err != nil || s.Transcript != "" || s.Cwd != "" {
		t.Errorf("got the paths %.20q and %.20q (%v), want none", s.Transcript, s.Cwd, err)
	}
}

func (h *house) session(id string) (agent.Session, error) {
	st, err := h.Turns.Open(context.Background())
	if err != nil {
		return agent.Session{}, err
	}
	return st.SessionByClient(context.Background(), "claude", id)
}

func TestRecordedPayloads(t *testing.T) {
	h := build(t)
	for _, p := range payloads(t) {
		h.serves(t, bytes.NewReader(p))
	}
	if log := h.log.take(); strings.Contains(log, "WARN") {
		t.Errorf("got %s, want every event kept", log)
	}
}

func TestRecordedCodexPayloads(t *testing.T) {
	h := build(t)
	h.Turns.Client = codex.Client{}
	h.Getenv = func(string) string { return "" }
	files, err := filepath.Glob("../client/codex/testdata/payloads/*.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("got %d recordings (%v), want those of the client", len(files), err)
	}
	for _, file := range files {
		p, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		h.serves(t, bytes.NewReader(p))
	}
	if log := h.log.take(); strings.Contains(log, "WARN") {
		t.Errorf("got %s, want every event kept", log)
	}
}

func TestPayload(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"on stdin", []string{"claude"}, "stdin"},
		{"Codex's hooks, on stdin", []string{"codex"}, "stdin"},
		{"Codex's notify, as an argument", []string{"codex", `{"type":"x"}`}, `{"type":"x"}`},
	} {
		got, err := io.ReadAll(hook.Payload(tt.args, strings.NewReader("stdin")))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %q (%v), want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestClient(t *testing.T) {
	for _, args := range [][]string{nil, {""}, {"clod"}, {"claude", "x"}, {"claude", "{}"}, {"codex", "x"}, {"codex", "{}", "{}"}, {"--help"}} {
		if _, err := hook.Client(args); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%q: got %v, want invalid", args, err)
		}
	}
	for _, args := range [][]string{{"claude"}, {"codex"}, {"codex", `{"type":"agent-turn-complete"}`}} {
		if c, err := hook.Client(args); err != nil || c.Name() != args[0] {
			t.Errorf("%q: got %v (%v), want %s", args, c, err, args[0])
		}
	}
}

// The session of an agent that a listener's program starts works in no run: its
// environment names the run that the listener was told of.
func TestRunOfASession(t *testing.T) {
	h := build(t)
	for _, c := range []struct{ name, listener, want string }{
		{"a", "", "run_1"},
		{"b", "speech", ""},
	} {
		h.Getenv = func(name string) string {
			return map[string]string{agent.RunEnv: "run_1", agent.StepEnv: "build", agent.ListenerEnv: c.listener}[name]
		}
		h.serves(t, strings.NewReader(`{"session_id":"`+c.name+`","hook_event_name":"SessionStart","source":"startup"}`))
		if s, err := h.session(c.name); err != nil || s.Run != c.want {
			t.Errorf("started by the listener %q: got the run %q (%v), want %q", c.listener, s.Run, err, c.want)
		}
	}
}
