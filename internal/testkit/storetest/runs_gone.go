package storetest

import (
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func runKeepsHead(s *suite) {
	w := s.workflow("", piton.TypePlan, "p")
	cs := s.chain(w, "a", "b", "c")
	s.append(w, `{}`, named("other"), forking(cs[0].ID, "other"))
	r := s.newRun(w)
	r.CheckpointID = cs[0].ID
	s.addRun(r)
	s.append(w, `{}`, named("what somebody else has saved to the branch"))
	r.CheckpointID = cs[2].ID
	s.become(r, piton.RunRunning)
	remove := func(ids ...string) error {
		return s.st.Save(s.ctx, func(tx store.Tx) error {
			_, err := tx.Delete(s.ctx, ids)
			return err
		})
	}
	s.wantCode(remove(cs[2].ID), piton.Conflict)
	s.wantCode(remove(cs[0].ID, cs[1].ID, cs[2].ID), piton.Conflict)
	equal(s, "checkpoints", len(s.list(piton.Query{})), 5)
	s.wantCode(remove(cs[0].ID), "") // its state does not need them
	s.become(r, piton.RunFailed)
	s.wantCode(remove(cs[2].ID), piton.Conflict)
	r, err := s.claim(r.ID, r.Fence, 1)
	s.wantCode(err, "")
	s.become(r, piton.RunCancelled)
	s.wantCode(remove(cs[2].ID), "")
}

func runGoes(s *suite) {
	w := s.workflow("", piton.TypePlan, "p")
	cs := s.chain(w, "a", "b")
	r := s.addRun(s.newRun(w))
	other := s.newRun(w)
	other.Branch = "other"
	s.append(w, `{}`, named("other"), forking(cs[0].ID, "other"))
	s.addRun(other)
	s.save(func(tx store.Tx) error {
		return tx.Runs.AnswerRun(s.ctx, redact.Value(piton.Answer{RunID: r.ID, StepID: "a", Shown: "b", At: at(1)}))
	})
	s.become(r, piton.RunCompleted)
	s.remove(cs[1])
	equal(s, "run", s.getRun(r.ID).Status, piton.RunCompleted)
	s.remove(cs[0])
	_, err := s.st.Runs().Run(s.ctx, r.ID)
	s.wantCode(err, piton.NotFound)
	_, err = s.st.Runs().RunPlan(s.ctx, r.ID)
	s.wantCode(err, piton.NotFound)
	if got, err := s.st.Runs().Answers(s.ctx, r.ID); err != nil || len(got) > 0 {
		s.Errorf("got %d answers (%v), want none", len(got), err)
	}
	equal(s, "the run of another branch", s.getRun(other.ID).Status, piton.RunRunning)
}
