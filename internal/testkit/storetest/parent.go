package storetest

import (
	"sync"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func expectedParent(s *suite) {
	w := s.plain()
	a := s.append(w, `{}`)
	b := s.append(w, `{}`, expecting(a.ID))
	equal(s, "parent", b.ParentID, a.ID)
}

func staleParent(s *suite) {
	w := s.workflow("w", piton.TypeCustom, "p")
	cs := s.chain(w, "a", "b")
	_, err := s.try(w, `{}`, named("late"), expecting(cs[0].ID))
	s.wantCode(err, piton.Conflict)
	_, err = s.try(w, `{}`, named("late"), onBranch("other"), expecting(cs[0].ID))
	s.wantCode(err, piton.Conflict)
	v := s.plain()
	_, err = s.try(v, `{}`, named("late"), expecting(cs[1].ID))
	s.wantCode(err, piton.Conflict)
	equal(s, "list", names(s.list(piton.Query{})), []string{"b", "a"})
	equal(s, "head", s.head(w, ""), "b")
	equal(s, "head of a branch that never was", s.head(w, "other"), "")
	c := s.append(w, `{}`, named("c"), expecting(cs[1].ID))
	equal(s, "the next number", c.Seq, int64(3))
	equal(s, "the next ordinal", c.Ordinal, cs[1].Ordinal+1)
}

func oneWins(s *suite) {
	w := s.plain()
	a := s.append(w, `{}`)
	var all []store.Prepared
	for range 8 {
		all = append(all, s.prepare(w, `{}`, expecting(a.ID)))
	}
	codes := make([]piton.Code, len(all))
	var wg sync.WaitGroup
	for i, p := range all {
		wg.Go(func() {
			codes[i] = piton.CodeOf(s.st.Save(s.ctx, func(tx store.Tx) error {
				_, err := tx.Append(s.ctx, redact.Value(p))
				return err
			}))
		})
	}
	wg.Wait()
	count := map[piton.Code]int{}
	for _, c := range codes {
		count[c]++
	}
	equal(s, "answers", count, map[piton.Code]int{"": 1, piton.Conflict: len(all) - 1})
	equal(s, "checkpoints", len(s.list(piton.Query{})), 2)
}

func unknownParent(s *suite) {
	w := s.plain()
	a := s.append(w, `{}`, named("a"))
	unknown := piton.NewID(piton.CheckpointPrefix)
	_, err := s.try(w, `{}`, expecting(unknown))
	s.wantCode(err, piton.NotFound)
	_, err = s.try(w, `{}`, forking(unknown, "b"))
	s.wantCode(err, piton.NotFound)
	nowhere := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Type: piton.TypeCustom}
	_, err = s.try(nowhere, `{}`)
	s.wantCode(err, piton.NotFound)
	_, err = s.try(nowhere, `{}`, expecting(a.ID))
	s.wantCode(err, piton.NotFound)
	_, err = s.try(nowhere, `{}`, forking(a.ID, "b"))
	s.wantCode(err, piton.NotFound)
	equal(s, "list", names(s.list(piton.Query{})), []string{"a"})
}

func forkStartsBranch(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b", "c")
	f := s.append(w, `{"f":1}`, named("f"), forking(cs[0].ID, "try"))
	equal(s, "parent of the fork", f.ParentID, cs[0].ID)
	equal(s, "branch of the fork", f.Branch, "try")
	equal(s, "number of the fork", f.Seq, int64(4))
	g := s.append(w, `{}`, named("g"), onBranch("try"))
	equal(s, "parent on the branch", g.ParentID, f.ID)
	d := s.append(w, `{}`, named("d"))
	equal(s, "parent on main", d.ParentID, cs[2].ID)
	equal(s, "head of the branch", s.head(w, "try"), "g")
	equal(s, "head of main", s.head(w, piton.MainBranch), "d")
	equal(s, "head over all branches", s.head(w, ""), "d")
	s.append(w, `{}`, named("h"), onBranch("try"))
	equal(s, "head over all branches", s.head(w, ""), "h")
	equal(s, "head of a branch that is not", s.head(w, "none"), "")
	_, err := s.try(w, `{}`, forking(cs[1].ID, "try"))
	s.wantCode(err, piton.Conflict)
	_, err = s.try(w, `{}`, forking(cs[1].ID, piton.MainBranch))
	s.wantCode(err, piton.Conflict)

	// A fork may begin in another workflow.
	v := s.plain()
	x := s.append(v, `{"f":1}`, named("x"), forking(f.ID, piton.MainBranch))
	equal(s, "parent in another workflow", x.ParentID, f.ID)
	s.wantState(x.ID, `{"f":1}`)
	y := s.append(v, `{}`, named("y"))
	equal(s, "parent of the next", y.ParentID, x.ID)
}
