package storetest

import (
	"fmt"
	"time"

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

func post(s *suite, st *store.Local, l agent.Letter) {
	s.Helper()
	if l.Body == "" {
		l.Body = `{}`
	}
	update(s, st, func(tx store.LocalTx) error { return tx.Post(s.ctx, redact.Value(l)) })
}

func claim(s *suite, st *store.Local, session, to string, now, until int) (l agent.Letter, ok bool) {
	s.Helper()
	update(s, st, func(tx store.LocalTx) (err error) {
		l, ok, err = tx.Claim(s.ctx, store.Claim{Session: session, To: to, At: at(now), Until: at(until), By: "a courier"})
		return err
	})
	return l, ok
}

func settle(s *suite, st *store.Local, l agent.Letter) (mine bool) {
	s.Helper()
	update(s, st, func(tx store.LocalTx) (err error) {
		mine, err = tx.Settle(s.ctx, redact.Value(l))
		return err
	})
	return mine
}

func waiting(s *suite, st *store.Local) (ids string) {
	s.Helper()
	for _, l := range letters(s, st, piton.Time{}) {
		ids += " " + l.ID
	}
	return ids
}

func letterCarried(s *suite, st *store.Local) {
	for i, id := range []string{"ltr_a", "ltr_b", "ltr_c"} {
		post(s, st, agent.Letter{ID: id, SessionID: "ses_" + id, Kind: agent.LetterHold, Due: at(9 - i)})
	}
	equal(s, "all that wait", waiting(s, st), " ltr_c ltr_b ltr_a")
	equal(s, "those due", len(letters(s, st, at(8))), 2)
	if _, ok := claim(s, st, "ses_ltr_a", "", 8, 20); ok {
		s.Error("got a letter that is not due")
	}
	got, ok := claim(s, st, "ses_ltr_b", "", 8, 20)
	equal(s, "taken", got, agent.Letter{ID: "ltr_b", SessionID: "ses_ltr_b", Kind: agent.LetterHold, Due: at(20), Body: `{}`, Attempts: 1, Claim: 1})
	if _, again := claim(s, st, "ses_ltr_b", "", 8, 20); !ok || again {
		s.Errorf("got it taken %v and again %v, want it taken once", ok, again)
	}
	late := got
	if got, ok = claim(s, st, "ses_ltr_b", "", 20, 30); !ok || got.Attempts != 2 || got.Claim != 2 {
		s.Errorf("got %+v (%v), want it taken again when its carrier's time is over", got, ok)
	}
	late.Outcome = "failed: late"
	if settle(s, st, late) {
		s.Error("got the word of one whose time is over kept")
	}
	got.DoneAt, got.Outcome = at(21), "parked"
	if !settle(s, st, got) {
		s.Error("got the word of the one that has it refused")
	}
	if _, ok := claim(s, st, "ses_ltr_b", "", 40, 50); ok {
		s.Error("got a letter that is done")
	}
	equal(s, "what waits", waiting(s, st), " ltr_c ltr_a")
}

func letterOfTheDead(s *suite, st *store.Local) {
	claimer := func() string {
		queues, err := st.Queues(s.ctx)
		if err != nil || len(queues) != 1 {
			s.Fatalf("got the queues %+v, %v, want one", queues, err)
		}
		return queues[0].Claimer
	}
	take := func(dead string) (l agent.Letter, ok bool) {
		update(s, st, func(tx store.LocalTx) (err error) {
			l, ok, err = tx.Claim(s.ctx, store.Claim{Session: "ses_1", At: at(2), Until: at(20), By: "b", Dead: dead})
			return err
		})
		return l, ok
	}
	post(s, st, agent.Letter{ID: "ltr_1", SessionID: "ses_1", Kind: agent.LetterHold, Due: at(1)})
	equal(s, "nobody has it", claimer(), "")
	claim(s, st, "ses_1", "", 1, 10)
	equal(s, "who has it", claimer(), "1 a courier")
	for _, other := range []string{"", "a courier", "2 a courier", "1 b"} {
		if _, ok := take(other); ok {
			s.Errorf("it was taken, though %q has died and another has it", other)
		}
	}
	if l, ok := take("1 a courier"); !ok || l.Claim != 2 || l.Attempts != 2 || l.Due != at(20) {
		s.Errorf("got %+v (%v), want the letter of the one that has died", l, ok)
	}
	if _, ok := take("1 a courier"); ok {
		s.Error("it was taken twice from one that has died")
	}
	equal(s, "who has it then", claimer(), "2 b")
	l, err := st.Letter(s.ctx, "ltr_1")
	if err != nil {
		s.Fatal(err)
	}
	l.Due = at(30)
	settle(s, st, l)
	equal(s, "it is tried again later", claimer(), "")
}

func letterOrder(s *suite, st *store.Local) {
	const to = "listener:x"
	for _, l := range []agent.Letter{
		{ID: "ltr_9", SessionID: "ses_1", To: to, Due: at(2)},
		{ID: "ltr_1", SessionID: "ses_1", To: to, Due: at(1)},
		{ID: "ltr_2", SessionID: "ses_1", Due: at(4)},
		{ID: "ltr_3", SessionID: "ses_2", To: to, Due: at(3)},
	} {
		post(s, st, l)
	}
	queues, err := st.Queues(s.ctx)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "queues", queues, []store.Queue{{Session: "ses_1", To: to, Due: at(2)}, {Session: "ses_2", To: to, Due: at(3)}, {Session: "ses_1", Due: at(4)}})
	if l, ok := claim(s, st, "ses_1", to, 1, 9); ok {
		s.Errorf("got %s, want it to wait for the one posted before it", l.ID)
	}
	first, ok := claim(s, st, "ses_1", to, 2, 9)
	if second, again := claim(s, st, "ses_1", to, 2, 9); !ok || first.ID != "ltr_9" || again {
		s.Errorf("got %s (%v), then %s (%v); want the first only", first.ID, ok, second.ID, again)
	}
	if l, ok := claim(s, st, "ses_2", to, 3, 9); !ok || l.ID != "ltr_3" {
		s.Errorf("got %s (%v), want another session's", l.ID, ok)
	}
	first.DoneAt = at(3)
	settle(s, st, first)
	if l, ok := claim(s, st, "ses_1", to, 3, 9); !ok || l.ID != "ltr_1" {
		s.Errorf("got %s (%v), want the next", l.ID, ok)
	}
}

func letterReplaced(s *suite, st *store.Local) {
	tool := func(id string, due int) agent.Letter {
		return agent.Letter{ID: id, SessionID: "ses_1", To: "listener:x", Key: "tool", Due: at(due)}
	}
	post(s, st, tool("ltr_1", 5))
	post(s, st, tool("ltr_2", 7))
	list := letters(s, st, piton.Time{})
	if len(list) != 1 || list[0].ID != "ltr_2" || list[0].Due != at(5) {
		s.Fatalf("got %+v, want the second in the place of the first, due when that was", list)
	}
	for _, l := range []agent.Letter{
		{ID: "ltr_3", SessionID: "ses_2", To: "listener:x", Key: "tool", Due: at(5)},
		{ID: "ltr_4", SessionID: "ses_1", To: "listener:y", Key: "tool", Due: at(5)},
		{ID: "ltr_5", SessionID: "ses_1", To: "listener:x", Key: "other", Due: at(5)},
		{ID: "ltr_6", SessionID: "ses_1", To: "listener:x", Due: at(5)},
		{ID: "ltr_7", SessionID: "ses_1", To: "listener:x", Key: "tool", Critical: true, Due: at(5)},
	} {
		post(s, st, l)
	}
	equal(s, "with others and a critical one", len(letters(s, st, piton.Time{})), 6)
	carried, ok := claim(s, st, "ses_1", "listener:x", 6, 20)
	if !ok || carried.ID != "ltr_2" {
		s.Fatalf("got %s (%v), want the one that took the first's place", carried.ID, ok)
	}
	post(s, st, tool("ltr_8", 6))
	equal(s, "while it is carried", len(letters(s, st, piton.Time{})), 7)
	carried.Due, carried.Outcome = at(30), "failed: away"
	settle(s, st, carried)
	post(s, st, tool("ltr_9", 8)) // for the first of the two
	list = letters(s, st, piton.Time{})
	if l := list[len(list)-1]; l.ID != "ltr_9" || l.Due != at(30) || l.Attempts != 1 || l.Outcome != "failed: away" {
		s.Errorf("got %+v, want the failed attempt and its pause kept", l)
	}
}

func letterSending(s *suite, st *store.Local) {
	post(s, st, agent.Letter{ID: "ltr_1", SessionID: "ses_1", Due: at(1)})
	sending := func(l agent.Letter) (ok bool) {
		update(s, st, func(tx store.LocalTx) (err error) {
			ok, err = tx.Sending(s.ctx, l, at(2))
			return err
		})
		return ok
	}
	first, _ := claim(s, st, "ses_1", "", 1, 3)
	renew := func(l agent.Letter, until int) {
		update(s, st, func(tx store.LocalTx) error { return tx.Renew(s.ctx, l, at(until)) })
	}
	renew(first, 5)
	if _, ok := claim(s, st, "ses_1", "", 4, 9); ok {
		s.Error("got a letter whose time was renewed")
	}
	if !first.SentAt.IsZero() || !sending(first) {
		s.Fatalf("got %+v, want it noted", first)
	}
	second, _ := claim(s, st, "ses_1", "", 5, 9)
	renew(first, 50) // another has it by now
	if second.SentAt != at(2) || sending(first) {
		s.Errorf("got %+v, want the second claim to know, and the first to be over", second)
	}
	second.Due = at(9)
	settle(s, st, second) // nobody knows how it ended
	third, _ := claim(s, st, "ses_1", "", 9, 12)
	if third.SentAt != at(2) {
		s.Errorf("got %+v, want what is under way still known", third)
	}
	third.Due, third.SentAt = at(12), piton.Time{}
	settle(s, st, third)
	if fourth, _ := claim(s, st, "ses_1", "", 12, 15); !fourth.SentAt.IsZero() {
		s.Errorf("got %+v, want nothing under way after an outcome", fourth)
	}
	second.DoneAt, second.Outcome = at(10), agent.LetterDelivered
	if settle(s, st, second) || waiting(s, st) != "" {
		s.Errorf("got%s, want a late delivery kept", waiting(s, st))
	}
}

func letterExpired(s *suite, st *store.Local) {
	for _, l := range []agent.Letter{
		{ID: "ltr_1", SessionID: "ses_1", Due: at(1)},
		{ID: "ltr_2", SessionID: "ses_1", Due: at(1), Expires: at(4)},
		{ID: "ltr_3", SessionID: "ses_1", Due: at(1), Expires: at(6)},
		{ID: "ltr_4", SessionID: "ses_2", Due: at(1), Expires: at(4)},
	} {
		post(s, st, l)
	}
	expired := func(when int) (ids string) {
		list, err := st.Expired(s.ctx, at(when), 10)
		if err != nil {
			s.Fatal(err)
		}
		for _, l := range list {
			ids += " " + l.ID
		}
		return ids
	}
	claim(s, st, "ses_2", "", 3, 5)
	equal(s, "none", expired(3), "")
	equal(s, "one behind another, none that is carried", expired(4), " ltr_2")
	equal(s, "a dead carrier's too", expired(6), " ltr_2 ltr_3 ltr_4")
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
			_, err := tx.Settle(s.ctx, redact.Value(agent.Letter{ID: id, Due: at(0), DoneAt: done}))
			return err
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
	mark := func(name string) int64 {
		n, err := st.Mark(s.ctx, name)
		if err != nil {
			s.Fatal(err)
		}
		return n
	}
	set := func(name string, n int64) {
		update(s, st, func(tx store.LocalTx) error { return tx.SetMark(s.ctx, name, n) })
	}
	set("flushed:a", 2)
	expire()
	equal(s, "a store has the first event of a checkpoint", left(), "2 decisions, events c1 t2 c2 t3 c3")
	equal(s, "the newest that has gone", mark(store.GoneMark), 2)
	if mark(store.ReachedMark+"flushed:a") == 0 {
		s.Error("got no time for a store that an older version has flushed to: it would be waited for for good")
	}
	set("flushed:b", 4)
	set(store.ReachedMark+"flushed:a", at(2).Add(-61*24*time.Hour).UnixMilli())
	expire()
	equal(s, "that store was not reached for long, another one has more", left(), "2 decisions, events t2 c2 t3 c3")
	equal(s, "the newest that has gone", mark(store.GoneMark), 4)
	equal(s, "letters that are left", waiting(s, st), " ltr_waits")
	// Posting an id that is there changes nothing; one that was deleted waits again.
	for _, id := range []string{"ltr_old", "ltr_new"} {
		post(s, st, agent.Letter{ID: id, Due: at(0)})
	}
	equal(s, "letters posted again", waiting(s, st), " ltr_waits ltr_old")
}
