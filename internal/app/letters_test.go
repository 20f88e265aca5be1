package app

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// A letter that no carrier knows is parked, shown, tried again and dropped.
func TestLetterThatIsGivenUp(t *testing.T) {
	a := newCaller(t, caller.Options{})
	if list, err := a.Letters(t.Context()); err != nil || len(list.Letters) > 0 {
		t.Fatalf("got %+v (%v) before anything was saved, want none", list, err)
	}
	st, err := a.Local(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(tx store.LocalTx) error {
		for id, due := range map[string]piton.Time{"ltr_old": a.Now(), "ltr_later": piton.At(a.Now().Add(time.Hour))} {
			l := agent.Letter{ID: id, SessionID: "ses_" + id, Kind: "unheard-of", Due: due, Body: `{"text":"x"}`}
			if err := tx.Post(t.Context(), redact.Value(l)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	shown := func(want string) {
		t.Helper()
		list, err := a.Letters(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range list.Letters {
			got = append(got, l.ID+" "+l.Status)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	carry := func() {
		t.Helper()
		if _, err := a.deliver(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	shown("ltr_old waiting, ltr_later waiting")
	if c := a.checkLetters(t.Context()); c.Warn || !strings.Contains(c.Detail, "2 waiting") {
		t.Errorf("got %+v, want nothing to warn of", c)
	}
	carry()
	shown("ltr_old parked, ltr_later waiting")
	if c := a.checkLetters(t.Context()); !c.Warn || !strings.Contains(c.Detail, "1 given up; the last, ltr_old (unheard-of): this version does not know") {
		t.Errorf("got %+v, want the letter that was given up", c)
	}
	if list, err := a.RetryLetters(t.Context(), piton.LettersRequest{}); err != nil || len(list.Letters) != 1 || list.Letters[0].Status != "waiting" || list.Letters[0].Attempts != 0 {
		t.Errorf("got %+v (%v), want the one that was given up waiting again", list, err)
	}
	shown("ltr_old waiting, ltr_later waiting")
	carry()
	if list, err := a.DropLetters(t.Context(), piton.LettersRequest{Letters: []string{"ltr_old", "ltr_later"}}); err != nil || len(list.Letters) != 2 {
		t.Errorf("got %+v (%v), want both dropped", list, err)
	}
	shown("")
	for _, change := range []func() error{
		func() error {
			_, err := a.RetryLetters(t.Context(), piton.LettersRequest{Letters: []string{"ltr_old"}})
			return err
		},
		func() error {
			_, err := a.DropLetters(t.Context(), piton.LettersRequest{Letters: []string{"ltr_old"}})
			return err
		},
	} {
		if err := change(); piton.CodeOf(err) != piton.Conflict {
			t.Errorf("got %v, want a conflict: it is done", err)
		}
	}
	if _, err := a.RetryLetters(t.Context(), piton.LettersRequest{Letters: []string{"ltr_none"}}); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("got %v, want not found", err)
	}
}

func TestLetterBeingCarried(t *testing.T) {
	a := newCaller(t, caller.Options{})
	st, err := a.Local(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(tx store.LocalTx) error {
		l := agent.Letter{ID: "ltr_1", SessionID: "ses_1", Kind: agent.LetterHold, Due: a.Now(), Body: `{}`}
		if err := tx.Post(t.Context(), redact.Value(l)); err != nil {
			return err
		}
		_, _, err := tx.Claim(t.Context(), store.Claim{Session: "ses_1", At: a.Now(), Until: piton.At(a.Now().Add(time.Hour))})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.DropLetters(t.Context(), piton.LettersRequest{Letters: []string{"ltr_1"}}); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("got %v, want a conflict while somebody has it", err)
	}
	late := newCaller(t, caller.Options{Home: a.Options.Home, Now: func() time.Time { return time.Now().Add(2 * time.Hour) }})
	if c := late.checkLetters(t.Context()); !c.Warn || !strings.Contains(c.Detail, "1 have been due") {
		t.Errorf("got %+v, want a letter that nobody carries", c)
	}
}
