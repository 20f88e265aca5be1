package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// A restart is followed by a debrief unless debriefs are off for the session's agent: at
// the restart no letter is made, and one that waits is dropped.
func TestOffSuppressesTheDebriefAfterARestart(t *testing.T) {
	for _, c := range []struct {
		name, settings string
		off            bool
	}{
		{"nothing is set", "", false},
		{"on", "debrief: {mode: on}\n", false},
		{"audit holds nobody, and a restart is not a hold", "debrief: {mode: audit}\n", false},
		{"off", "debrief: {mode: off}\n", true},
		{"off for this agent", "debrief: {agents: {codex: {mode: off}}}\n", true},
		{"off for another agent", "debrief: {agents: {claude: {mode: off}}}\n", false},
		{"off, and on for this agent", "debrief: {mode: off, agents: {codex: {mode: on}}}\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := settled(t, "", nil)
			s := agent.Session{Identity: agent.Identity{ID: piton.NewID(piton.SessionPrefix), Agent: "codex", ClientID: "0192", Root: t.TempDir(), StartedAt: a.Now(), SeenAt: a.Now()}}
			from := a.Now()
			waiting, err := a.restartLetter(s)
			if err != nil || waiting == nil {
				t.Fatalf("got %+v, %v; want a letter", waiting, err)
			}
			early, late := waiting.Due.Before(from.Add(restartDelay)), waiting.Due.After(a.Now().Add(restartDelay))
			if early || late || !strings.Contains(waiting.Body, agent.Prefix) {
				t.Fatalf("got %+v; want a debrief in 5 seconds", waiting)
			}
			waiting.Due, s.Restarted = a.Now(), waiting.ID
			st, err := a.Local(t.Context(), false)
			if err == nil {
				err = st.Update(t.Context(), func(tx store.LocalTx) error {
					if err := tx.PutSession(t.Context(), redact.Value(s)); err != nil {
						return err
					}
					return tx.Post(t.Context(), redact.Value(*waiting))
				})
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(filepath.Dir(a.Options.Home), ".config", "piton", "config.yaml"), []byte(c.settings), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			if l, err := a.restartLetter(s); err != nil || (l == nil) != c.off {
				t.Errorf("at the restart: got %+v, %v; want none: %t", l, err, c.off)
			}
			want := courier.What(courier.Waits)
			if c.off {
				want = courier.Dropped
			}
			panes := a.panes(st.Local())
			panes.Queue = nil // no client takes it, and no pane is attached
			if out := panes.Carry(t.Context(), *waiting, s); out.What != want {
				t.Errorf("the one that waits: got %+v, want it %s", out, want)
			}
		})
	}
}

// TestRestartOnce: under a key an agent is restarted once, or it was tried; without one each
// time.
func TestRestartOnce(t *testing.T) {
	a := settled(t, "", nil)
	st, err := a.Local(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		session, key string
		want         piton.Code
	}{
		{"ses_1", "", ""}, {"ses_1", "", ""}, {"ses_1", "k", ""}, {"ses_1", "k", piton.Conflict}, {"ses_2", "k", ""}, {"ses_1", "l", ""}, {"ses_1", strings.Repeat("k", 201), piton.Invalid},
	} {
		if err := a.restartOnce(t.Context(), st.Local(), c.session, c.key); piton.CodeOf(err) != c.want {
			t.Errorf("%s under %q: got %v, want %q", c.session, c.key, err, c.want)
		}
	}
}
