package turn_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// unheard is a client that tells of stops only, in a world of its own.
func unheard(t *testing.T) (*world, *[]string) {
	w := shop(t)
	w.client = codex()
	w.later = new([]string)
	return w, w.later
}

// said is a person's prompt that no hook tells of.
func (w *world) said(text string) {
	w.Helper()
	w.line(`"promptId":"p","type":"user","message":{"role":"user","content":` + quoted(text) + `},"permissionMode":"default","origin":{"kind":"human"},"promptSource":"typed","turnOrigin":"human"`)
}

// notified is the end of a turn as a notification tells it.
func (w *world) notified() {
	w.Helper()
	w.after(2 * time.Second)
	w.says("Done.")
	e := w.event("Stop", map[string]any{"last_assistant_message": "Done."})
	e.Unheard = true
	reply, err := w.turns().Handle(w.Context(), e)
	if err != nil || len(reply.Get()) > 0 {
		w.Fatalf("got the answer %q (%v), want none: nobody reads it", reply, err)
	}
}

// reason is why the last stop was decided as it was.
func (w *world) reason(want agent.Reason) {
	w.Helper()
	if d := w.decision(); d.Reason != want {
		w.Fatalf("got %q (%v, notes %q), want %q", d.Reason, d.Actions, d.Notes, want)
	}
}

func (w *world) letters() []agent.Letter {
	w.Helper()
	list, err := w.store.Letters(w.Context(), piton.Time{}, 0)
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// arrives is the letter's delivery: as a message of the conversation.
func (w *world) arrives() {
	w.Helper()
	l := w.letters()[0]
	var body agent.HoldLetter
	if err := json.Unmarshal([]byte(l.Body), &body); err != nil {
		w.Fatal(err)
	}
	w.said(body.Text)
	s := w.session()
	l.DoneAt = piton.At(w.now)
	err := w.store.Update(w.Context(), func(tx store.LocalTx) error {
		if _, err := tx.Settle(w.Context(), redact.Value(l)); err != nil {
			return err
		}
		return tx.PutSession(w.Context(), redact.Value(s.Arrived(piton.At(w.now))))
	})
	if err != nil {
		w.Fatal(err)
	}
}

func TestUnheardStop(t *testing.T) {
	w, later := unheard(t)
	w.write("old.go", "package shop\n") // there is no baseline: it counts
	w.said("mend it")
	began := w.now
	w.after(time.Minute)
	w.edits("main.go", "package shop\n\nconst text = `1`\n")
	w.notified()
	w.reason(agent.ReasonHeld)
	s := w.session()
	if s.Turn != 1 || !s.TurnOpen || s.LastMessage != "mend it" || s.LastMessageAt != piton.At(began) || s.Holds != 1 || !s.LastCheckpoint.IsZero() {
		t.Errorf("got %+v, want a turn since the person's words, one hold counted, its time not begun", s)
	}
	list := w.letters()
	if len(list) != 1 || list[0].ID != s.Waiting || list[0].Kind != agent.LetterHold || !strings.Contains(list[0].Body, "run `go test .`") || !strings.Contains(list[0].Body, agent.Prefix) {
		t.Fatalf("got the letters %+v, want one that asks for the tests", list)
	}
	if diff := cmp.Diff([]string{"flush --wait"}, *later); diff != "" {
		t.Errorf("started behind it (want -, got +):\n%s", diff)
	}
	w.after(time.Minute)
	w.runs("ls", "main.go")
	w.notified()
	w.reason(agent.ReasonLetter) // it is on its way
	w.arrives()
	w.runs("ls", "main.go")
	w.after(time.Minute)
	w.notified()
	w.reason(agent.ReasonOwnText) // a second one would answer the first
	if n := len(w.letters()); n != 0 || w.session().Holds != 1 {
		t.Errorf("got %d letters waiting after %d holds, want none after one", n, w.session().Holds)
	}
	w.said("and the docs")
	w.after(time.Minute)
	w.edits("main.go", "package shop\n\nconst text = `2`\n")
	w.notified()
	w.reason(agent.ReasonHeld)
	if s := w.session(); s.Turn != 2 || s.LastMessage != "and the docs" {
		t.Errorf("got turn %d with %q, want the second", s.Turn, s.LastMessage)
	}
}

func TestUnheard(t *testing.T) {
	for _, s := range []struct {
		name string
		play func(w *world)
	}{
		{"the time does not begin with the letter but with its arrival", func(w *world) {
			w.said("mend it")
			w.after(time.Minute)
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.notified()
			w.after(time.Hour)
			w.arrives()
			if s := w.session(); s.LastCheckpoint != piton.At(w.now) {
				w.Errorf("got the last checkpoint %s, want %s", s.LastCheckpoint, w.now)
			}
		}},
		{"one message is one prompt, however often its stop is told", func(w *world) {
			w.said("mend it")
			w.after(time.Minute)
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			for range 3 {
				w.notified()
			}
			if n := len(w.letters()); n != 1 || w.session().Turn != 1 || w.session().Holds != 1 {
				w.Errorf("got %d letters, turn %d, %d holds; want one each", n, w.session().Turn, w.session().Holds)
			}
		}},
		{"audit writes none", func(w *world) {
			w.set.Mode = debrief.ModeAudit
			w.said("mend it")
			w.after(time.Minute)
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.notified()
			w.reason(agent.ReasonAudit)
			if len(w.letters()) != 0 {
				w.Error("got a letter")
			}
		}},
		{"a hook and a notification of one stop: the hook holds", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.notified()
			w.after(time.Minute)
			w.notified()
			if len(w.letters()) != 0 || w.session().Holds != 1 {
				w.Errorf("got %d letters and %d holds, want the hook's alone", len(w.letters()), w.session().Holds)
			}
		}},
		{"a notification and a hook of one stop: the letter holds", func(w *world) {
			changed(w)
			w.notified()
			w.reason(agent.ReasonHeld)
			w.want(w.stops(), agent.ReasonLetter)
			if len(w.letters()) != 1 || w.session().Holds != 1 {
				w.Errorf("got %d letters and %d holds, want one", len(w.letters()), w.session().Holds)
			}
		}},
		{"a stop that a hook let go is let go", func(w *world) {
			changed(w)
			w.runs("go test ./...", "ok")
			w.stops()
			w.after(time.Minute)
			w.notified()
			w.reason(agent.ReasonNoActivity)
		}},
		{"a prompt that a hook told is not counted again from the transcript", func(w *world) {
			changed(w)
			for range 2 {
				w.want(w.stops(), agent.ReasonHeld)
				mends(w)
				w.after(time.Minute)
			}
			w.said("mend it") // the client writes it later than the hook saw it
			mends(w)
			w.after(time.Minute)
			w.notified()
			w.reason(agent.ReasonBudget)
		}},
		{"a person's words take a letter back", func(w *world) {
			w.said("mend it")
			w.after(time.Minute)
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.notified()
			first := w.session().Waiting
			w.after(time.Second)
			w.said("leave it")
			w.runs("go test ./...", "ok")
			w.notified()
			w.reason(agent.ReasonClear)
			if s := w.session(); first == "" || s.Waiting != "" || s.LastMessage != "leave it" {
				w.Errorf("got the letter %q waited for after %q, want none", s.Waiting, s.LastMessage)
			}
		}},
		{"a transcript that is not there is let go", func(w *world) {
			w.write("main.go", "package shop\n\nconst text = `1`\n")
			w.after(time.Minute)
			w.script += "none"
			e := w.event("Stop", map[string]any{"last_assistant_message": "Done."})
			e.Unheard = true
			if reply, err := w.turns().Handle(w.Context(), e); err != nil || len(reply.Get()) > 0 {
				w.Fatalf("got %q (%v), want silence", reply, err)
			}
			w.reason(agent.ReasonNoTurn)
		}},
	} {
		t.Run(s.name, func(t *testing.T) { w, _ := unheard(t); s.play(w) })
	}
	t.Run("a conversation that nothing is known of", func(t *testing.T) {
		w, _ := unheard(t)
		e := agent.Event{Kind: agent.EventStop, Agent: "codex", ClientID: "hidden", Unheard: true, Cwd: w.root, At: w.now}
		if reply, err := w.turns().Handle(t.Context(), e); err != nil || len(reply.Get()) > 0 {
			t.Errorf("got %q (%v), want silence", reply, err)
		}
		if list, err := w.store.Sessions(t.Context(), store.SessionQuery{}); err != nil || len(list) > 0 {
			t.Errorf("got %v (%v), want no session", list, err)
		}
	})
}

// Letters that are due are carried by a process that a stop or a session's start
// begins, unless a courier listens.
func TestLettersThatAreDue(t *testing.T) {
	post := func(w *world, after time.Duration) {
		w.Helper()
		err := w.store.Update(w.Context(), func(tx store.LocalTx) error {
			return tx.Post(w.Context(), redact.Value(agent.Letter{ID: "ltr_1", SessionID: "ses_1", To: agent.ToListener("x"), Kind: "event", Due: piton.At(w.now.Add(after)), Body: `{}`}))
		})
		if err != nil {
			w.Fatal(err)
		}
	}
	for _, s := range []struct {
		name string
		play func(w *world)
		want []string
	}{
		{"none", func(w *world) { w.stops() }, nil},
		{"one is due at a stop", func(w *world) { post(w, 0); w.stops() }, []string{"flush --wait"}},
		{"one is due at a session's start", func(w *world) {
			post(w, 0)
			if _, err := w.try("SessionStart", map[string]any{"source": "resume"}); err != nil {
				w.Fatal(err)
			}
		}, []string{"flush --wait"}},
		{"one is due later", func(w *world) { post(w, time.Hour); w.stops() }, nil},
		{"a courier listens", func(w *world) {
			_, stop, err := w.store.Posts()
			if err != nil {
				w.Skip("no pipes here: ", err)
			}
			defer stop()
			post(w, 0)
			w.stops()
		}, nil},
	} {
		t.Run(s.name, func(t *testing.T) {
			w := shop(t)
			w.later = new([]string)
			changed(w)
			*w.later = nil
			s.play(w)
			if diff := cmp.Diff(s.want, *w.later); diff != "" {
				t.Errorf("started (want -, got +):\n%s", diff)
			}
		})
	}
}
