package storetest

import (
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func runKeyed(s *suite) {
	k := piton.StartKey{Scope: "run here", Key: "2026-01-31", Sum: "aa", Ref: "run_1", At: at(7)}
	put := func(k piton.StartKey) error {
		return s.st.Save(s.ctx, func(tx store.Tx) error { return tx.Runs.PutStartKey(s.ctx, redact.Value(k)) })
	}
	_, err := s.st.Runs().StartKey(s.ctx, k.Scope, k.Key)
	s.wantCode(err, piton.NotFound)
	s.wantCode(put(k), "")
	late := k
	late.Sum, late.Ref = "bb", "run_2"
	s.wantCode(put(late), piton.Conflict)
	got, err := s.st.Runs().StartKey(s.ctx, k.Scope, k.Key)
	s.wantCode(err, "")
	equal(s, "key", got, k)
	late.Scope = "run there"
	s.wantCode(put(late), "")
	// What is written beside a key that is taken is not written either.
	r := s.newRun(s.workflow("", piton.TypePlan, "p"))
	s.wantCode(s.st.Save(s.ctx, func(tx store.Tx) error {
		if err := tx.Runs.AddRun(s.ctx, redact.Value(r), planOf("a")); err != nil {
			return err
		}
		return tx.Runs.PutStartKey(s.ctx, redact.Value(late))
	}), piton.Conflict)
	equal(s, "runs", len(s.runs(piton.RunQuery{})), 0)
}

func runOnceInNamespace(s *suite) {
	add := func(project, namespace, branch string) (piton.Run, error) {
		w := s.workflow("nightly", piton.TypePlan, project)
		r := s.newRun(w)
		r.Namespace, r.Branch = namespace, branch
		return r, s.st.Save(s.ctx, func(tx store.Tx) error { return tx.Runs.AddRun(s.ctx, redact.Value(r), planOf("a")) })
	}
	first, err := add("p1", "path:/w", "main")
	s.wantCode(err, "")
	_, err = add("p2", "path:/w", "main")
	s.wantCode(err, piton.Conflict)
	_, err = add("p3", "path:/w", "beside")
	s.wantCode(err, "")
	_, err = add("p4", "path:/v", "main")
	s.wantCode(err, "")
	_, err = add("p5", "", "main") // of an older program
	s.wantCode(err, "")
	equal(s, "runs of the namespace", len(s.runs(piton.RunQuery{Namespace: "path:/w", Name: "nightly", Open: true})), 2)
	equal(s, "runs of project or namespace", len(s.runs(piton.RunQuery{Project: "p4", Namespace: "path:/w"})), 3)
	s.become(first, piton.RunCompleted)
	_, err = add("p6", "path:/w", "main")
	s.wantCode(err, "")
}
