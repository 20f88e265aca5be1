package hook_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/hook"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// endless is a client that never stops writing what is one string.
type endless struct{ left int64 }

func (e *endless) Read(b []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(b)), e.left))
	for i := range b[:n] {
		b[i] = 'x'
	}
	e.left -= int64(n)
	return n, nil
}

// TestWhatIsTooLongIsCut: a prompt, a name or a session's id without end loses
// no turn.
func TestWhatIsTooLongIsCut(t *testing.T) {
	h := build(t)
	begun := time.Now()
	h.Now = func() time.Time { return begun } // a turn is short, and its agent let go, however slow the machine
	h.Turns.Now = h.Now
	dir := t.TempDir()
	for i, id := range []string{strings.Repeat("a", 300), strings.Repeat("a", 301), strings.Repeat("é", 200), "plain"} {
		event := func(name, more string) io.Reader {
			return strings.NewReader(`{"session_id":"` + id + `","hook_event_name":"` + name + `","cwd":"` + dir + `"` + more + `}`)
		}
		h.serves(t, event("UserPromptSubmit", `,"prompt":"mend it `+strings.Repeat(`\r\n\u0001é`, 3<<20)+`"`))
		h.serves(t, event("SubagentStop", `,"agent_id":"`+strings.Repeat("s", 5000)+`","agent_type":"`+strings.Repeat("r", 5000)+`"`))
		h.serves(t, event("Stop", ""))
		st, err := h.Turns.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sessions, err := st.Sessions(t.Context(), store.SessionQuery{})
		if err != nil || len(sessions) != i+1 {
			t.Fatalf("got %d sessions (%v), want %d; log %s", len(sessions), err, i+1, h.log.take())
		}
		page, err := st.Checkpoints.List(t.Context(), piton.Query{Trigger: piton.TriggerTurnEnd})
		if err != nil || len(page.Checkpoints) != i+1 || !strings.HasPrefix(page.Checkpoints[0].TaskSummary, "mend it \n\\x01é") {
			t.Fatalf("got %d checkpoints (%v), want one of each turn; log %s", len(page.Checkpoints), err, h.log.take())
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errors.New("the pipe broke") }
func (failing) Write([]byte) (int, error) { return 0, errors.New("the pipe broke") }

func TestLargeAndBrokenInput(t *testing.T) {
	h := build(t)
	rest := &endless{100 << 20}
	h.serves(t, io.MultiReader(strings.NewReader(`{"session_id":"a","hook_event_name":"UserPromptSubmit","prompt":"`), rest))
	if log := h.log.take(); !strings.Contains(log, "too large") || !strings.Contains(log, "bytes=1048") || rest.left != 0 {
		t.Errorf("got %q with %d bytes left, want all of it read and left alone", log, rest.left)
	}
	h.serves(t, failing{})
	if log := h.log.take(); !strings.Contains(log, "could not be read") {
		t.Errorf("got %q", log)
	}
}

func TestTrouble(t *testing.T) {
	stop := `{"session_id":"a","hook_event_name":"Stop"}`
	t.Run("no store", func(t *testing.T) {
		h := build(t)
		h.Turns.Open = func(context.Context) (*store.Local, error) {
			return nil, piton.Errorf(piton.Unavailable, "open", "", "token ghp_0123456789abcdefghijklmnopqrstuvwxyz")
		}
		h.Log = hook.Log(filepath.Join(h.home, "piton.log"))
		h.serves(t, strings.NewReader(stop))
		b, err := os.ReadFile(filepath.Join(h.home, "piton.log"))
		if err != nil || !strings.Contains(string(b), "was not kept") || !strings.Contains(string(b), "[REDACTED:") || strings.Contains(string(b), "ghp_") {
			t.Errorf("got %q (%v), want a line without the secret", b, err)
		}
	})
	t.Run("a panic, here or beside", func(t *testing.T) {
		for _, beside := range []bool{false, true} {
			h := build(t)
			h.Turns.Client = slipping{beside: beside}
			h.Turns.Now = time.Now
			var out bytes.Buffer
			h.Serve(context.Background(), strings.NewReader(stop), &out)
			if log := h.log.take(); !strings.Contains(log, "panic") || !strings.Contains(log, "slipped") || out.Len() > 0 {
				t.Errorf("beside %v: got %q and the log %q, want silence and a line", beside, out.String(), log)
			}
		}
	})
	t.Run("the answer cannot be written", func(t *testing.T) {
		h := build(t)
		start := h.unfinished(t)
		h.Serve(context.Background(), strings.NewReader(start), failing{})
		if log := h.log.take(); !strings.Contains(log, "could not be written") {
			t.Errorf("got %q, want a line", log)
		}
	})
	t.Run("nothing is set", func(t *testing.T) {
		hook.Door{Turns: turn.Turns{Client: claude.Client{}}}.Serve(context.Background(), strings.NewReader(stop), io.Discard)
	})
}

// slipping is a client whose reader panics, in a goroutine of its own or not.
type slipping struct {
	claude.Client
	beside bool
}

func (s slipping) Decode(b []byte, getenv func(string) string) (agent.Event, error) {
	e, err := s.Client.Decode(b, getenv)
	e.Transcript = "/x"
	if !s.beside {
		panic("slipped")
	}
	return e, err
}

func (slipping) Transcript(string, time.Time, int64) (agent.Transcript, error) { panic("slipped") }

// unfinished leaves work in a folder and returns the start of a session there.
func (h *house) unfinished(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	st, err := h.Turns.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := turn.Identify(t.Context(), st, dir, true)
	if err != nil {
		t.Fatal(err)
	}
	k := history.Keeper{Store: st.Checkpoints, Local: st}
	if _, err := k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{InProject: piton.InProject{Project: p.ID}, Phase: "Build", PhaseNumber: 2, State: []byte("{}")}}); err != nil {
		t.Fatal(err)
	}
	return `{"session_id":"new","hook_event_name":"SessionStart","source":"startup","cwd":"` + dir + `"}`
}

func TestAnswer(t *testing.T) {
	h := build(t)
	if got := h.serves(t, strings.NewReader(h.unfinished(t))); !strings.Contains(got, "Resume from Phase 2?") {
		t.Errorf("got %q, want the offer", got)
	}
}
