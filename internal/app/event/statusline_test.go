package event

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

func TestStatusText(t *testing.T) {
	held := agent.Session{InTurn: agent.InTurn{TurnOpen: true}, OnHold: agent.OnHold{Holds: 1}}
	for _, x := range []struct {
		name                            string
		own                             agent.Session
		unfinished, permission, waiting int
		want                            string
	}{
		{"nothing to say", agent.Session{}, 0, 0, 0, ""},
		{"held", held, 0, 0, 0, "piton: held 1 of 2"},
		{"held in a turn that is over", agent.Session{OnHold: agent.OnHold{Holds: 1}}, 0, 0, 0, ""},
		{"all of it", held, 3, 1, 2, "piton: held 1 of 2 · 3 unfinished · 1 other agent needs you · 2 other agents are idle"},
	} {
		if got := statusText(x.own, x.unfinished, x.permission, x.waiting); got != x.want {
			t.Errorf("%s: got %q, want %q", x.name, got, x.want)
		}
	}
}

func TestStatusline(t *testing.T) {
	home := t.TempDir()
	getenv := func(name string) string {
		return map[string]string{"PITON_HOME": home, "HOME": home}[name]
	}
	status := func(in string) string {
		var out bytes.Buffer
		Statusline(t.Context(), strings.NewReader(in), &out, getenv)
		return out.String()
	}
	if got := status(`{"session_id":"a"}`); got != "" {
		t.Errorf("got %q before there is a store, want nothing", got)
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
		t.Errorf("got %v (%v) in the home, want nothing made", entries, err)
	}
	st, err := sqlite.Open(t.Context(), filepath.Join(home, "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	now := piton.At(time.Now())
	put := func(s agent.Session) {
		t.Helper()
		s.Agent, s.SeenAt, s.StartedAt = "claude", now, now
		if err := st.Local().Update(context.Background(), func(tx store.LocalTx) error { return tx.PutSession(t.Context(), redact.Value(s)) }); err != nil {
			t.Fatal(err)
		}
	}
	put(agent.Session{Identity: agent.Identity{ID: "ses_1", ClientID: "a"}, InTurn: agent.InTurn{TurnOpen: true}, OnHold: agent.OnHold{Holds: 1}})
	put(agent.Session{Identity: agent.Identity{ID: "ses_2", ClientID: "b"}, InTurn: agent.InTurn{TurnOpen: true}, OnPerson: agent.OnPerson{WaitingSince: now}})
	put(agent.Session{Identity: agent.Identity{ID: "ses_3", ClientID: "c"}, OnPerson: agent.OnPerson{Notified: true, NotifiedAt: now}})
	put(agent.Session{Identity: agent.Identity{ID: "ses_4", ClientID: "d", EndedAt: now}, OnPerson: agent.OnPerson{Notified: true, NotifiedAt: now}})
	for _, x := range []struct{ name, in, want string }{
		{"its session", `{"session_id":"a","model":{"id":"x"}}`, "piton: held 1 of 2 · 1 other agent needs you · 1 other agent is idle\n"},
		{"a session of its own that waits", `{"session_id":"c"}`, "piton: 1 other agent needs you\n"},
		{"a session that nobody knows", `{"session_id":"z"}`, ""},
		{"no session", `{}`, ""},
		{"no JSON", `hello`, ""},
		{"nothing", ``, ""},
		{"a session of another type", `{"session_id":7}`, ""},
	} {
		if got := status(x.in); got != x.want {
			t.Errorf("%s: got %q, want %q", x.name, got, x.want)
		}
	}
}

// Somebody holds stdin open: the line is left out, and the client does not wait.
func TestStatuslineWithoutAnEnd(t *testing.T) {
	in, hold := io.Pipe()
	defer hold.Close()
	var out strings.Builder
	Statusline(t.Context(), in, &out, func(string) string { return t.TempDir() })
	if out.Len() > 0 {
		t.Errorf("got %q, want nothing", out.String())
	}
}
