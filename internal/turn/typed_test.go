package turn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// prompts is a prompt, with what the agent is told.
func (w *world) prompts(text string) string {
	w.Helper()
	return string(w.happens("UserPromptSubmit", map[string]any{"prompt": text}))
}

// restarts posts the debrief after a restart, with the session as change leaves it.
func (w *world) restarts(change func(s *agent.Session, letter string)) string {
	w.Helper()
	s := w.session()
	l := agent.Letter{ID: piton.NewID(piton.LetterPrefix), SessionID: s.ID, Kind: agent.LetterRestart, Key: "restart", Due: piton.At(w.now.Add(5 * time.Second)), Body: `{"text":"` + agent.Prefix + `validate your work"}`}
	s.Restarted = l.ID
	change(&s, l.ID)
	err := w.store.Update(w.Context(), func(tx store.LocalTx) error {
		if err := tx.Post(w.Context(), redact.Value(l)); err != nil {
			return err
		}
		return tx.PutSession(w.Context(), redact.Value(s))
	})
	if err != nil {
		w.Fatal(err)
	}
	return l.ID
}

func TestDebriefAfterARestartGoesWithThePrompt(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *agent.Session, letter string)
		prompt string
		told   bool
		waits  int // letters afterwards
		mode   string
		own    string // mode of the session's agent
	}{
		{"a person's prompt takes it along", func(*agent.Session, string) {}, "go on", true, 0, "", ""},
		{"debriefs are off", func(*agent.Session, string) {}, "go on", false, 1, "off", ""},
		{"debriefs are off for this agent", func(*agent.Session, string) {}, "go on", false, 1, "on", "off"},
		{"debriefs are on for this agent alone", func(*agent.Session, string) {}, "go on", true, 0, "off", "on"},
		{"debriefs do not hold", func(*agent.Session, string) {}, "go on", true, 0, "audit", ""},
		{"one that is being typed is left alone", func(s *agent.Session, l string) { s.Typing = l }, "go on", false, 1, "", ""},
		{"it has arrived already", func(s *agent.Session, _ string) { s.Restarted = "" }, "go on", false, 1, "", ""},
		{"a machine's prompt does not", func(*agent.Session, string) {}, "<task-notification>done</task-notification>", false, 1, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			w.prompts("begin")
			letter := w.restarts(c.change)
			if c.mode != "" {
				w.set.Mode, w.set.Agents = c.mode, map[string]string{"claude": c.own}
			}
			w.after(time.Second)
			reply := w.prompts(c.prompt)
			if told := strings.Contains(reply, agent.Prefix+"before this turn ends"); told != c.told {
				t.Errorf("got the answer %q, want the debrief in it: %v", reply, c.told)
			}
			if got := len(w.letters()); got != c.waits {
				t.Errorf("got %d letters that wait, want %d", got, c.waits)
			}
			s := w.session()
			if c.told && (s.Restarted != "" || !s.LastCheckpoint.Equal(piton.At(w.now).Time)) {
				t.Errorf("got %q waiting and the checkpoint at %s, want it arrived now, %s", s.Restarted, s.LastCheckpoint, w.now)
			}
			if !c.told && s.Restarted != "" && s.Restarted != letter {
				t.Errorf("got %q waiting, want %s", s.Restarted, letter)
			}
			if c.told {
				w.wantNoText(letter)
				if again := w.prompts("and on"); strings.Contains(again, agent.Prefix) {
					t.Errorf("it was told again: %q", again)
				}
			}
		})
	}
}

// wantNoText checks that of a letter that has arrived no text is kept.
func (w *world) wantNoText(letter string) {
	w.Helper()
	l, err := w.store.Letter(w.Context(), letter)
	if err != nil || l.DoneAt.IsZero() || l.Body != "{}" {
		w.Errorf("got the letter %+v, %v; want it done and without its text", l, err)
	}
}

// The client's report of our own words is the arrival of what was typed, and
// nothing else: no turn, no budget. Whether somebody carries it makes no difference.
func TestTypedLetterArrives(t *testing.T) {
	for _, carried := range []bool{false, true} {
		t.Run(map[bool]string{false: "nobody carries it now", true: "it is being carried"}[carried], func(t *testing.T) {
			w := shop(t)
			w.prompts("begin")
			letter := w.restarts(func(s *agent.Session, l string) { s.Typing, s.Holds = l, 1 })
			before := w.session()
			w.after(time.Minute)
			if carried {
				err := w.store.Update(w.Context(), func(tx store.LocalTx) error {
					_, found, err := tx.Claim(w.Context(), store.Claim{Session: before.ID, At: piton.At(w.now), Until: piton.At(w.now.Add(time.Minute))})
					if !found {
						t.Error("got no letter to claim")
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			w.prompts(agent.Prefix + "validate your work")
			s := w.session()
			if s.Typing != "" || s.Restarted != "" || len(w.letters()) != 0 || !s.LastCheckpoint.Equal(piton.At(w.now).Time) {
				t.Errorf("got %+v with %d letters, want it arrived", s, len(w.letters()))
			}
			w.wantNoText(letter)
			if s.Turn != before.Turn || s.Holds != before.Holds || s.LastMessage != before.LastMessage || s.LastMessageAt != before.LastMessageAt {
				t.Errorf("got %+v, want turn, budget and message as before", s)
			}
		})
	}
}
