package storetest

import (
	"sync"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func runClaimed(s *suite) {
	r := s.run()
	got, err := s.claim(r.ID, 1, 2)
	s.wantCode(err, "")
	want := r
	want.Fence, want.Owner, want.UpdatedAt, want.LeaseUntil = 2, owner(2), at(2), at(62)
	equal(s, "claimed", got, want)
	equal(s, "read again", s.getRun(r.ID), want)
	_, err = s.claim(r.ID, 1, 3)
	s.wantCode(err, piton.Conflict)
	equal(s, "after a claim that came too late", s.getRun(r.ID), want)
	s.become(got, piton.RunFailed)
	got, err = s.claim(r.ID, 2, 4)
	s.wantCode(err, "")
	equal(s, "status", got.Status, piton.RunRunning)
	_, err = s.claim(piton.NewID(piton.RunPrefix), 1, 1)
	s.wantCode(err, piton.NotFound)
	err = s.st.Save(s.ctx, func(tx store.Tx) error {
		_, err := tx.Runs.ClaimRun(s.ctx, r.ID, got.Fence, redact.Value(piton.Owner{}), at(1), at(2))
		return err
	})
	s.wantCode(err, piton.Invalid)
}

func runClaimedOnce(s *suite) {
	r := s.run()
	codes := make([]piton.Code, 8)
	var wg sync.WaitGroup
	for i := range codes {
		wg.Go(func() {
			_, err := s.claim(r.ID, 1, i+2)
			codes[i] = piton.CodeOf(err)
		})
	}
	wg.Wait()
	equal(s, "answers", counted(codes), map[piton.Code]int{"": 1, piton.Conflict: len(codes) - 1})
	got := s.getRun(r.ID)
	equal(s, "fence", got.Fence, int64(2))
	equal(s, "winner", codes[got.Owner.PID-2], piton.Code(""))
}

// fencedWrites are all that an owner writes.
func fencedWrites(s *suite, r piton.Run) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"put": func(tx store.Tx) error { return tx.Runs.PutRun(s.ctx, redact.Value(r)) },
		"end": func(tx store.Tx) error {
			r := r
			r.Status = piton.RunCompleted
			return tx.Runs.PutRun(s.ctx, redact.Value(r))
		},
		"plan": func(tx store.Tx) error { return tx.Runs.PutPlan(s.ctx, r.ID, r.Fence, "bb", planOf("b")) },
		"renew": func(tx store.Tx) error {
			_, err := tx.Runs.RenewRun(s.ctx, r.ID, r.Fence, at(900))
			return err
		},
	}
}

func runFenced(s *suite) {
	r := s.run()
	r.Now = "what a stale owner says"
	want, err := s.claim(r.ID, 1, 2)
	s.wantCode(err, "")
	for name, write := range fencedWrites(s, r) {
		if got := piton.CodeOf(s.st.Save(s.ctx, write)); got != piton.Conflict {
			s.Errorf("%s: got %q, want a conflict", name, got)
		}
		// Whatever the caller makes of the error.
		err := s.st.Save(s.ctx, func(tx store.Tx) error {
			_ = write(tx)
			return tx.Runs.WishRun(s.ctx, r.ID, want.Fence, piton.WishCancel)
		})
		s.wantCode(err, piton.Conflict)
		equal(s, name, s.getRun(r.ID), want)
	}
	plan, err := s.st.Runs().RunPlan(s.ctx, r.ID)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "plan", string(plan), string(planOf("a").Get()))
	for name, write := range fencedWrites(s, piton.Run{ID: piton.NewID(piton.RunPrefix), Status: piton.RunRunning}) {
		if got := piton.CodeOf(s.st.Save(s.ctx, write)); got != piton.NotFound {
			s.Errorf("%s of a run that is not there: got %q, want not found", name, got)
		}
	}
}

func runFencedAppend(s *suite) {
	w := s.workflow("", piton.TypePlan, "p")
	r := s.newRun(w)
	s.save(func(tx store.Tx) error {
		if _, err := tx.Append(s.ctx, redact.Value(s.prepare(w, `{"n":1}`, named("first")))); err != nil {
			return err
		}
		return tx.Runs.AddRun(s.ctx, redact.Value(r), planOf("a"))
	})
	step := func(r piton.Run, name string, appendFirst bool) error {
		p := s.prepare(w, `{"n":2}`, named(name))
		return s.st.Save(s.ctx, func(tx store.Tx) error {
			if !appendFirst {
				if err := tx.Runs.PutRun(s.ctx, redact.Value(r)); err != nil {
					return err
				}
			}
			if _, err := tx.Append(s.ctx, redact.Value(p)); err != nil {
				return err
			}
			_ = tx.Runs.PutRun(s.ctx, redact.Value(r))
			return nil
		})
	}
	s.wantCode(step(r, "second", true), "")
	next, err := s.claim(r.ID, 1, 2)
	s.wantCode(err, "")
	s.wantCode(step(r, "stale", true), piton.Conflict)
	s.wantCode(step(r, "stale", false), piton.Conflict)
	equal(s, "head", s.head(w, ""), "second")
	s.wantCode(step(next, "third", false), "")
	equal(s, "checkpoints", names(s.list(piton.Query{})), []string{"third", "second", "first"})

	// Two owners at once: what one of them wrote is there if its fence held.
	var wg sync.WaitGroup
	var code [2]piton.Code
	wg.Go(func() { code[0] = piton.CodeOf(step(next, "old owner", true)) })
	wg.Go(func() {
		_, err := s.claim(r.ID, next.Fence, 3)
		code[1] = piton.CodeOf(err)
	})
	wg.Wait()
	equal(s, "claim", code[1], piton.Code(""))
	want := "third"
	if code[0] == "" {
		want = "old owner"
	}
	equal(s, "head", s.head(w, ""), want)
}

func runGivenBack(s *suite) {
	r := s.run()
	s.become(r, piton.RunPaused)
	want := s.getRun(r.ID)
	equal(s, "owner", want.Owner, piton.Owner{})
	equal(s, "lease", want.LeaseUntil.IsZero(), true)
	for name, write := range fencedWrites(s, r) {
		if got := piton.CodeOf(s.st.Save(s.ctx, write)); got != piton.Conflict {
			s.Errorf("%s: got %q, want a conflict", name, got)
		}
		equal(s, name, s.getRun(r.ID), want)
	}
}

func runEnds(s *suite) {
	for _, status := range []piton.RunStatus{piton.RunCompleted, piton.RunCancelled} {
		r := s.run()
		s.become(r, status)
		want := s.getRun(r.ID)
		_, err := s.claim(r.ID, r.Fence, 2)
		s.wantCode(err, piton.Conflict)
		s.wantCode(s.wish(r.ID, r.Fence, piton.WishPause), piton.Conflict)
		err = s.st.Save(s.ctx, func(tx store.Tx) error {
			return tx.Runs.AnswerRun(s.ctx, redact.Value(piton.Answer{RunID: r.ID, StepID: "a", Shown: "b"}))
		})
		s.wantCode(err, piton.Conflict)
		equal(s, string(status), s.getRun(r.ID), want)
	}
}
