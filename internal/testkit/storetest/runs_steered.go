package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func runWished(s *suite) {
	r := s.run()
	for _, w := range []piton.RunWish{piton.WishPause, piton.WishCancel, piton.WishNothing, piton.WishPause} {
		s.wantCode(s.wish(r.ID, 1, w), "")
		var got piton.Run
		s.save(func(tx store.Tx) (err error) {
			got, err = tx.Runs.RenewRun(s.ctx, r.ID, 1, at(500))
			return err
		})
		want := r
		want.Wish, want.LeaseUntil = w, at(500)
		equal(s, "renewed", got, want)
	}
	s.wantCode(s.wish(r.ID, 1, piton.WishCancel), "")
	s.wantCode(s.wish(r.ID, 1, piton.WishPause), piton.Conflict) // what was promised stays
	equal(s, "wish", s.getRun(r.ID).Wish, piton.WishCancel)
	s.wantCode(s.wish(piton.NewID(piton.RunPrefix), 1, piton.WishPause), piton.NotFound)

	// What nobody would hear is not promised.
	gone := s.run()
	s.become(gone, piton.RunFailed)
	want := s.getRun(gone.ID)
	s.wantCode(s.wish(gone.ID, gone.Fence, piton.WishCancel), piton.Conflict)
	equal(s, "a run without an owner", s.getRun(gone.ID), want)
	want, err := s.claim(gone.ID, gone.Fence, 2)
	s.wantCode(err, "")
	s.wantCode(s.wish(gone.ID, gone.Fence, piton.WishCancel), piton.Conflict)
	equal(s, "a run with another owner", s.getRun(gone.ID), want)
}

func runWishKept(s *suite) {
	for _, c := range []struct {
		status piton.RunStatus
		wish   piton.RunWish
		want   piton.RunWish
	}{
		{piton.RunRunning, piton.WishPause, piton.WishPause},
		{piton.RunRunning, piton.WishCancel, piton.WishCancel},
		{piton.RunPaused, piton.WishPause, piton.WishNothing},
		{piton.RunFailed, piton.WishPause, piton.WishNothing},
		{piton.RunFailed, piton.WishCancel, piton.WishCancel}, // nobody has cancelled it yet: who takes it does
		{piton.RunCancelled, piton.WishCancel, piton.WishNothing},
		{piton.RunCompleted, piton.WishCancel, piton.WishNothing},
	} {
		r := s.run()
		s.wantCode(s.wish(r.ID, r.Fence, c.wish), "")
		s.become(r, c.status)
		got := s.getRun(r.ID)
		equal(s, fmt.Sprint(c.wish, " of a run that is ", c.status), got.Wish, c.want)
		if !c.status.Ended() {
			claimed, err := s.claim(r.ID, got.Fence, 2)
			s.wantCode(err, "")
			want := piton.WishNothing
			if c.wish == piton.WishCancel {
				want = piton.WishCancel
			}
			equal(s, fmt.Sprint(c.wish, " after a claim"), claimed.Wish, want)
		}
	}
}

func runPlanReplaced(s *suite) {
	r := s.run()
	s.save(func(tx store.Tx) error { return tx.Runs.PutPlan(s.ctx, r.ID, 1, "bb", planOf("b")) })
	s.become(r, piton.RunRunning) // with the sum that it had
	plan, err := s.st.Runs().RunPlan(s.ctx, r.ID)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "plan", string(plan), string(planOf("b").Get()))
	equal(s, "sum", s.getRun(r.ID).PlanSum, "bb")
}

func runAnswered(s *suite) {
	r, other := s.run(), s.run()
	say := func(run, step, shown string, approved bool, words string, n int) piton.Answer {
		a := piton.Answer{RunID: run, StepID: step, Shown: shown, Approved: approved, Words: words, By: "ada", At: at(n)}
		s.save(func(tx store.Tx) error { return tx.Runs.AnswerRun(s.ctx, redact.Value(a)) })
		return a
	}
	say(r.ID, "ship", "aa", true, "", 1)
	b := say(r.ID, "ship", "bb", false, "too long", 2)
	c := say(r.ID, "pay", "aa", true, "", 3)
	d := say(r.ID, "ship", "aa", false, "not yet", 4) // replaces the first
	e := say(other.ID, "ship", "aa", true, "", 5)
	late := s.run()
	say(late.ID, "ship", "aa", false, "", 9)
	f := say(late.ID, "ship", "aa", true, "", 2) // by a clock that is behind
	f.At = piton.At(at(9).Add(time.Millisecond))
	g := say(late.ID, "pay", "aa", true, "", 3)
	for _, x := range []struct {
		run  string
		want []piton.Answer
	}{{r.ID, []piton.Answer{b, c, d}}, {other.ID, []piton.Answer{e}}, {late.ID, []piton.Answer{f, g}}, {"run_none", nil}} {
		got, err := s.st.Runs().Answers(s.ctx, x.run)
		if err != nil {
			s.Fatal(err)
		}
		equal(s, "answers to "+x.run, got, x.want)
	}
	equal(s, "run", s.getRun(r.ID), r)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			err := s.st.Save(s.ctx, func(tx store.Tx) error {
				return tx.Runs.AnswerRun(s.ctx, redact.Value(piton.Answer{RunID: other.ID, StepID: "ship", Shown: "aa", At: at(i)}))
			})
			if err != nil {
				s.Errorf("one of many answers: got %v, want no error", err)
			}
		})
	}
	wg.Wait()
	if got, err := s.st.Runs().Answers(s.ctx, other.ID); err != nil || len(got) != 1 {
		s.Errorf("got %d answers (%v), want one", len(got), err)
	}
	err := s.st.Save(s.ctx, func(tx store.Tx) error {
		return tx.Runs.AnswerRun(s.ctx, redact.Value(piton.Answer{RunID: piton.NewID(piton.RunPrefix), StepID: "a", Shown: "b"}))
	})
	s.wantCode(err, piton.NotFound)
}
