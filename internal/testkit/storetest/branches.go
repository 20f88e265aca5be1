package storetest

import (
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// branches lists a workflow's branches.
func (s *suite) branches(w piton.Workflow) []store.Branch {
	s.Helper()
	bs, err := s.st.Branches(s.ctx, w.ID)
	if err != nil {
		s.Fatalf("branches: got %v, want no error", err)
	}
	return bs
}

func branchesListed(s *suite) {
	w, other := s.plain(), s.plain()
	equal(s, "of an empty workflow", s.branches(w), nil)
	cs := s.chain(w, "a", "b", "c")
	s.chain(other, "x")
	z := s.append(w, `{"z":1}`, named("z"), forking(cs[0].ID, "zebra"))
	a := s.append(w, `{}`, named("a"), forking(z.ID, "ant"))
	b := s.append(w, `{}`, named("b"), onBranch("ant"))
	equal(s, "branches", s.branches(w), []store.Branch{
		{Name: piton.MainBranch, HeadID: cs[2].ID, Count: 3},
		{Name: "zebra", HeadID: z.ID, FromID: cs[0].ID, Count: 1},
		{Name: "ant", HeadID: b.ID, FromID: z.ID, Count: 2},
	})
	equal(s, "parent on the branch", b.ParentID, a.ID)
	s.save(func(tx store.Tx) error {
		bs, err := tx.Branches(s.ctx, w.ID)
		equal(s, "branches inside a transaction", len(bs), 3)
		return err
	})
	_, err := s.st.Branches(s.ctx, piton.NewID(piton.WorkflowPrefix))
	s.wantCode(err, piton.NotFound)

	// One that began in another workflow.
	v := s.plain()
	y := s.append(v, `{}`, forking(z.ID, piton.MainBranch))
	equal(s, "begun in another workflow", s.branches(v), []store.Branch{{Name: piton.MainBranch, HeadID: y.ID, FromID: z.ID, Count: 1}})
}

func branchesShareNumbers(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b", "c")
	for i, from := range cs { // from any checkpoint: the first, one in the middle, the head
		f := s.append(w, `{}`, named("fork"), forking(from.ID, from.Name))
		equal(s, "number of the fork", f.Seq, int64(4+i))
		equal(s, "parent of the fork", f.ParentID, from.ID)
	}
	want := int64(7)
	for _, branch := range []string{"a", piton.MainBranch, "b", "a", piton.MainBranch, "c"} {
		c := s.append(w, `{}`, named(branch+" again"), onBranch(branch))
		equal(s, "number on "+branch, c.Seq, want)
		equal(s, "head over all branches", s.head(w, ""), c.Name)
		equal(s, "head of "+branch, s.head(w, branch), c.Name)
		want++
	}
	for _, b := range s.branches(w) {
		equal(s, "count of "+b.Name, b.Count, map[string]int{piton.MainBranch: 5, "a": 3, "b": 2, "c": 2}[b.Name])
	}
}

func branchDeleted(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b", "c")
	f := s.append(w, `{"f":1}`, named("f"), forking(cs[1].ID, "try"))
	g := s.append(w, `{"g":1}`, named("g"), onBranch("try"))
	h := s.append(w, `{}`, named("h"), forking(g.ID, "deeper"))
	s.remove(f, g)
	equal(s, "branches", s.branches(w), []store.Branch{
		{Name: piton.MainBranch, HeadID: cs[2].ID, Count: 3},
		{Name: "try", HeadID: cs[1].ID, FromID: cs[1].ID},
		{Name: "deeper", HeadID: h.ID, FromID: cs[1].ID, Count: 1},
	})
	equal(s, "parent of what began there", s.get(h.ID).ParentID, cs[1].ID)
	equal(s, "head over all branches", s.head(w, ""), "h")
	_, err := s.try(w, `{}`, forking(cs[0].ID, "try"))
	s.wantCode(err, piton.Conflict)
	again := s.append(w, `{}`, named("again"), onBranch("try"))
	equal(s, "the next number", again.Seq, int64(7))
	equal(s, "parent of the next", again.ParentID, cs[1].ID)

	// What a branch began from goes: it began from the ancestor.
	s.remove(cs[1])
	for _, b := range s.branches(w)[1:] {
		equal(s, b.Name+" began from", b.FromID, cs[0].ID)
	}
	s.remove(cs[0])
	for _, b := range s.branches(w)[1:] {
		equal(s, b.Name+" began from", b.FromID, "")
	}
}
