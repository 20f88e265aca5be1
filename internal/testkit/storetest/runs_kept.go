package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func runComesBack(s *suite) {
	r := s.run()
	equal(s, "run", s.getRun(r.ID), r)
	bare := piton.Run{ID: piton.NewID(piton.RunPrefix), WorkflowID: r.WorkflowID, Branch: "other", Status: piton.RunFailed, Fence: 3}
	s.addRun(bare)
	equal(s, "a run without an owner", s.getRun(bare.ID), bare)
	plan, err := s.st.Runs().RunPlan(s.ctx, r.ID)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "plan", string(plan), string(planOf("a").Get()))
	r.CheckpointID = "chk_0000000000000002"
	r.Status, r.Done, r.Now, r.Error, r.EndedAt, r.UpdatedAt = piton.RunFailed, 2, "", "exit status 1", at(50), at(51)
	r.Usage, r.CostUSD, r.WorkMS = piton.TokenUsage{Input: 2, Output: 3, CacheRead: 4, CacheWrite: 5}, 1.5, 4000
	s.become(r, piton.RunFailed)
	r.Owner, r.LeaseUntil = piton.Owner{}, piton.Time{}
	equal(s, "run that was written", s.getRun(r.ID), r)
	lost := s.newRun(piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix)})
	err = s.st.Save(s.ctx, func(tx store.Tx) error { return tx.Runs.AddRun(s.ctx, redact.Value(lost), planOf("a")) })
	s.wantCode(err, piton.NotFound)
	_, err = s.st.Runs().RunPlan(s.ctx, lost.ID)
	s.wantCode(err, piton.NotFound)
}

func runFound(s *suite) {
	w := s.workflow("", piton.TypePlan, "p")
	for i, id := range []string{"run_aaaa000000000001", "run_aaab000000000001", "run_b000000000000001"} {
		r := s.newRun(w)
		r.ID, r.Branch = id, fmt.Sprint(i)
		s.addRun(r)
	}
	for ref, want := range map[string]string{"run_b": "run_b000000000000001", "run_aaaa": "run_aaaa000000000001", "run_aaab000000000001": "run_aaab000000000001"} {
		equal(s, "by "+ref, s.getRun(ref).ID, want)
	}
	for ref, want := range map[string]piton.Code{"run_aaa": piton.Invalid, "run_c": piton.NotFound, "run_": piton.Invalid, "wf_b": piton.Invalid, "": piton.Invalid} {
		_, err := s.st.Runs().Run(s.ctx, ref)
		s.wantCode(err, want)
	}
}

func runOnce(s *suite) {
	first := s.run()
	again := first
	again.ID = piton.NewID(piton.RunPrefix)
	add := func(r piton.Run) error {
		return s.st.Save(s.ctx, func(tx store.Tx) error { return tx.Runs.AddRun(s.ctx, redact.Value(r), planOf("b")) })
	}
	for _, status := range []piton.RunStatus{piton.RunRunning, piton.RunFailed, piton.RunPaused, piton.RunWaiting, piton.RunStopped, piton.RunInDoubt} {
		s.become(first, status)
		s.wantCode(add(again), piton.Conflict)
		if status != piton.RunRunning {
			r, err := s.claim(first.ID, first.Fence, 1)
			s.wantCode(err, "")
			first = r
		}
	}
	other := again
	other.ID, other.Branch = piton.NewID(piton.RunPrefix), "beside"
	s.wantCode(add(other), "")
	s.become(first, piton.RunCompleted)
	s.wantCode(add(again), "")
	s.wantCode(add(again), piton.Conflict) // the same id
	equal(s, "runs", len(s.runs(piton.RunQuery{})), 3)

	// Of many who add one at once, one wins.
	w := s.workflow("", piton.TypePlan, "p")
	var all []piton.Run
	for range 6 {
		all = append(all, s.newRun(w))
	}
	codes := make([]piton.Code, len(all))
	var wg sync.WaitGroup
	for i, r := range all {
		wg.Go(func() { codes[i] = piton.CodeOf(add(r)) })
	}
	wg.Wait()
	equal(s, "answers", counted(codes), map[piton.Code]int{"": 1, piton.Conflict: len(all) - 1})
}

func runsListed(s *suite) {
	v, w := s.workflow("", piton.TypePlan, "p"), s.workflow("", piton.TypePlan, "q")
	for i, x := range []struct {
		w      piton.Workflow
		branch string
		status piton.RunStatus
	}{
		{v, piton.MainBranch, piton.RunCompleted}, {v, piton.MainBranch, piton.RunFailed}, {w, piton.MainBranch, piton.RunCancelled}, {v, "other", piton.RunPaused}, {w, piton.MainBranch, piton.RunRunning},
	} {
		r := s.newRun(x.w)
		r.Plan, r.Branch, r.Status = fmt.Sprint(i), x.branch, x.status
		r.CreatedAt = piton.At(start.Add(-time.Duration(i) * time.Hour)) // no order follows a clock
		s.addRun(r)
	}
	for _, c := range []struct {
		name string
		q    piton.RunQuery
		want string
	}{
		{"all", piton.RunQuery{}, "43210"},
		{"the newest", piton.RunQuery{Limit: 2}, "43"},
		{"of a project", piton.RunQuery{Project: "p"}, "310"},
		{"of a project, bounded", piton.RunQuery{Project: "p", Limit: 1}, "3"},
		{"of a workflow", piton.RunQuery{Workflow: w.ID}, "42"},
		{"of a branch", piton.RunQuery{Workflow: v.ID, Branch: piton.MainBranch}, "10"},
		{"open", piton.RunQuery{Open: true}, "431"},
		{"open of a project", piton.RunQuery{Open: true, Project: "q"}, "4"},
		{"open of a workflow and branch", piton.RunQuery{Open: true, Workflow: v.ID, Branch: piton.MainBranch}, "1"},
		{"of a status", piton.RunQuery{Status: piton.RunFailed}, "1"},
		{"of a status and a workflow", piton.RunQuery{Status: piton.RunFailed, Workflow: w.ID}, ""},
		{"since", piton.RunQuery{Since: piton.At(start.Add(-2 * time.Hour))}, "210"},
		{"since, bounded", piton.RunQuery{Since: piton.At(start.Add(-2 * time.Hour)), Limit: 2}, "21"},
		{"since a millisecond later", piton.RunQuery{Since: piton.At(start.Add(-2*time.Hour + time.Millisecond))}, "10"},
		{"of no project that is there", piton.RunQuery{Project: "none"}, ""},
	} {
		got := ""
		for _, r := range s.runs(c.q) {
			got += r.Plan
		}
		equal(s, c.name, got, c.want)
	}
}
