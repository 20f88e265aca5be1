package storetest

import (
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func letters(s *suite, st *store.Local, due piton.Time) []agent.Letter {
	s.Helper()
	list, err := st.Letters(s.ctx, due, 0)
	if err != nil {
		s.Fatal(err)
	}
	return list
}

func letterPosted(s *suite, st *store.Local) {
	want := agent.Letter{ID: "ltr_0000000000000001", SessionID: "ses_1", Kind: agent.LetterHold, Due: at(1), Body: `"first"`}
	for _, body := range []string{`"first"`, `"second"`} {
		l := want
		l.Body = body
		update(s, st, func(tx store.LocalTx) error { return tx.Post(s.ctx, redact.Value(l)) })
	}
	equal(s, "letters", letters(s, st, at(1)), []agent.Letter{want})
}

func letterCarried(s *suite, st *store.Local) {
	for i, id := range []string{"ltr_a", "ltr_b", "ltr_c"} {
		update(s, st, func(tx store.LocalTx) error {
			return tx.Post(s.ctx, redact.Value(agent.Letter{ID: id, SessionID: "ses_1", Kind: agent.LetterHold, Due: at(9 - i), Body: `{}`}))
		})
	}
	ids := func(due piton.Time) (list []string) {
		for _, l := range letters(s, st, due) {
			list = append(list, l.ID)
		}
		return list
	}
	equal(s, "all that wait", fmt.Sprint(ids(piton.Time{})), "[ltr_c ltr_b ltr_a]")
	equal(s, "those due", fmt.Sprint(ids(at(8))), "[ltr_c ltr_b]")
	claim := func(id string, now, until int) (l agent.Letter, ok bool) {
		update(s, st, func(tx store.LocalTx) (err error) {
			l, ok, err = tx.Claim(s.ctx, id, at(now), at(until))
			return err
		})
		return l, ok
	}
	if _, ok := claim("ltr_a", 8, 20); ok {
		s.Error("got a letter that is not due")
	}
	got, ok := claim("ltr_b", 8, 20)
	equal(s, "taken", got, agent.Letter{ID: "ltr_b", SessionID: "ses_1", Kind: agent.LetterHold, Due: at(20), Body: `{}`, Attempts: 1})
	if _, again := claim("ltr_b", 8, 20); !ok || again {
		s.Errorf("got it taken %v and again %v, want it taken once", ok, again)
	}
	if got, ok = claim("ltr_b", 20, 30); !ok || got.Attempts != 2 {
		s.Errorf("got %+v (%v), want it taken again when its carrier's time is over", got, ok)
	}
	got.DoneAt, got.Outcome = at(21), "delivered"
	update(s, st, func(tx store.LocalTx) error { return tx.PutLetter(s.ctx, redact.Value(got)) })
	if _, ok := claim("ltr_b", 40, 50); ok {
		s.Error("got a letter that is done")
	}
	equal(s, "what waits", fmt.Sprint(ids(piton.Time{})), "[ltr_c ltr_a]")
	err := st.Update(s.ctx, func(tx store.LocalTx) error { return tx.PutLetter(s.ctx, redact.Value(agent.Letter{ID: "ltr_x"})) })
	s.wantCode(err, piton.NotFound)
}

func oldExpires(s *suite, st *store.Local) {
	event := func(kind store.EventKind, when int) {
		update(s, st, func(tx store.LocalTx) error {
			return tx.Log(s.ctx, redact.Value(store.LogEvent{At: at(when), Kind: kind, Session: "ses_1"}))
		})
	}
	for when := range 4 {
		update(s, st, func(tx store.LocalTx) error {
			return tx.Decide(s.ctx, redact.Value(agent.Decision{At: at(when), Session: "ses_1", Turn: when}))
		})
		event("tool_done", when)
		event(store.CheckpointCreated, when)
	}
	for id, done := range map[string]piton.Time{"ltr_old": at(1), "ltr_new": at(9), "ltr_waits": {}} {
		update(s, st, func(tx store.LocalTx) error {
			if err := tx.Post(s.ctx, redact.Value(agent.Letter{ID: id, Due: at(0), Body: `{}`})); err != nil {
				return err
			}
			return tx.PutLetter(s.ctx, redact.Value(agent.Letter{ID: id, Due: at(0), DoneAt: done}))
		})
	}
	left := func() string {
		s.Helper()
		events, err := st.Events(s.ctx, 0, 100)
		if err != nil {
			s.Fatal(err)
		}
		kept := ""
		for _, e := range events {
			kept += fmt.Sprintf(" %s%d", e.Kind[:1], e.At.Sub(at(0).Time)/at(1).Sub(at(0).Time))
		}
		list, err := st.Decisions(s.ctx, "", 0)
		if err != nil {
			s.Fatal(err)
		}
		return fmt.Sprintf("%d decisions, events%s", len(list), kept)
	}
	expire := func() {
		if err := st.Expire(s.ctx, at(2)); err != nil {
			s.Fatal(err)
		}
	}
	expire()
	equal(s, "no store was flushed to", left(), "2 decisions, events c0 c1 t2 c2 t3 c3")
	update(s, st, func(tx store.LocalTx) error { return tx.SetMark(s.ctx, "flushed:a", 2) })
	expire()
	equal(s, "one has its first", left(), "2 decisions, events c1 t2 c2 t3 c3")
	update(s, st, func(tx store.LocalTx) error {
		_, ok, err := tx.Claim(s.ctx, "ltr_waits", at(9), at(10))
		if !ok {
			s.Error("the letter that waits is gone")
		}
		return err
	})
	err := st.Update(s.ctx, func(tx store.LocalTx) error { return tx.PutLetter(s.ctx, redact.Value(agent.Letter{ID: "ltr_old"})) })
	s.wantCode(err, piton.NotFound)
	update(s, st, func(tx store.LocalTx) error {
		return tx.PutLetter(s.ctx, redact.Value(agent.Letter{ID: "ltr_new", DoneAt: at(9)}))
	})
}
