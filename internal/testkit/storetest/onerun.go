package storetest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// owner is a process; n tells it from others.
func owner(n int) piton.Owner {
	return piton.Owner{PID: n, Start: fmt.Sprint(n * 100), Boot: "3b1f8e62-4a0a-4f4b-9d2c-7f0c4a3de111", Space: "4026531836", Host: "lab"}
}

// planOf is the plan of a run, as it was checked.
func planOf(s string) redact.Document {
	return redact.Unchecked(json.RawMessage(`{"name":"` + s + `"}`))
}

// newRun is a run with every field set, owned by process 1.
func (s *suite) newRun(w piton.Workflow) piton.Run {
	s.now = s.now.Add(time.Second)
	return piton.Run{
		ID: piton.NewID(piton.RunPrefix), WorkflowID: w.ID, Workflow: w.Name, Branch: piton.MainBranch, Project: w.Project, SessionID: "ses_0000000000000001",
		CheckpointID: "chk_0000000000000001", Plan: "research", PlanFile: "/w/plan.yaml", PlanSum: "aa", Dir: "/w/ü b", Host: "h", Namespace: "path:/w " + w.ID, Folder: "ü b", PlanPath: "plan.yaml", Daemon: "home", Status: piton.RunRunning, Owner: owner(1), Fence: 1,
		LeaseUntil: piton.At(s.now.Add(time.Minute)), CreatedAt: piton.At(s.now), UpdatedAt: piton.At(s.now),
		Total: 4, Now: "step fetch", Usage: piton.TokenUsage{Input: 1}, CostUSD: 0.25, WorkMS: 7,
	}
}

// addRun adds it.
func (s *suite) addRun(r piton.Run) piton.Run {
	s.Helper()
	s.save(func(tx store.Tx) error { return tx.Runs.AddRun(s.ctx, redact.Value(r), planOf("a")) })
	return r
}

// run adds a run of a workflow of its own.
func (s *suite) run() piton.Run {
	s.Helper()
	return s.addRun(s.newRun(s.workflow("", piton.TypePlan, "p")))
}

// getRun reads a run again.
func (s *suite) getRun(id string) piton.Run {
	s.Helper()
	r, err := s.st.Runs().Run(s.ctx, id)
	if err != nil {
		s.Fatalf("run %s: got %v, want no error", id, err)
	}
	return r
}

// claim makes process n the owner of a run whose fence is this one.
func (s *suite) claim(id string, fence int64, n int) (r piton.Run, err error) {
	err = s.st.Save(s.ctx, func(tx store.Tx) error {
		r, err = tx.Runs.ClaimRun(s.ctx, id, fence, redact.Value(owner(n)), at(n), at(n+60))
		return err
	})
	return r, err
}

// putRun writes a run.
func (s *suite) putRun(r piton.Run) error {
	return s.st.Save(s.ctx, func(tx store.Tx) error { return tx.Runs.PutRun(s.ctx, redact.Value(r)) })
}

// become gives a run a status.
func (s *suite) become(r piton.Run, status piton.RunStatus) {
	s.Helper()
	r.Status = status
	if err := s.putRun(r); err != nil {
		s.Fatalf("%s: got %v, want no error", status, err)
	}
}

// wish asks something of the owner that a run has under a fence.
func (s *suite) wish(id string, fence int64, w piton.RunWish) error {
	return s.st.Save(s.ctx, func(tx store.Tx) error { return tx.Runs.WishRun(s.ctx, id, fence, w) })
}

func counted(codes []piton.Code) map[piton.Code]int {
	count := map[piton.Code]int{}
	for _, c := range codes {
		count[c]++
	}
	return count
}

// runs lists runs.
func (s *suite) runs(q piton.RunQuery) []piton.Run {
	s.Helper()
	list, err := s.st.Runs().Runs(s.ctx, q)
	if err != nil {
		s.Fatalf("runs %+v: got %v, want no error", q, err)
	}
	return list
}
