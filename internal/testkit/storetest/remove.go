package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// children lists the names of a checkpoint's children.
func (s *suite) children(c piton.Checkpoint) []string {
	s.Helper()
	cs, err := s.st.Children(s.ctx, c.ID)
	if err != nil {
		s.Fatal(err)
	}
	return names(cs)
}

func childrenListed(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b", "c")
	s.append(w, `{}`, named("x"), forking(cs[0].ID, "x"))
	s.append(w, `{}`, named("y"), forking(cs[0].ID, "y"))
	equal(s, "children of a", s.children(cs[0]), []string{"b", "x", "y"})
	equal(s, "children of b", s.children(cs[1]), []string{"c"})
	equal(s, "children of c", s.children(cs[2]), nil)
	none, err := s.st.Children(s.ctx, "")
	if err == nil {
		equal(s, "children of nothing", names(none), nil)
	}
}

func deleteReparents(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b", "c", "d", "e", "f")
	s.remove(cs[3], cs[1], cs[2]) // three generations, in any order
	equal(s, "left", names(s.list(piton.Query{})), []string{"f", "e", "a"})
	equal(s, "parent of e", s.get(cs[4].ID).ParentID, cs[0].ID)
	equal(s, "children of a", s.children(cs[0]), []string{"e"})
	s.wantState(cs[4].ID, `{"name":"e"}`)
	s.wantState(cs[5].ID, `{"name":"f"}`)
	s.remove(cs[0])
	equal(s, "parent of e without any ancestor", s.get(cs[4].ID).ParentID, "")
	s.remove(cs[4])
	equal(s, "parent of f", s.get(cs[5].ID).ParentID, "")
	s.wantState(cs[5].ID, `{"name":"f"}`)
	_, err := s.st.State(s.ctx, cs[0].ID)
	s.wantCode(err, piton.NotFound)
	_, err = s.st.Checkpoint(s.ctx, cs[0].ID)
	s.wantCode(err, piton.NotFound)
}

func deleteOverBranches(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b", "c")
	x := s.append(w, `{"x":1}`, named("x"), forking(cs[2].ID, "x"))
	y := s.append(w, `{"y":1}`, named("y"), forking(cs[1].ID, "y"))
	s.remove(cs[1], cs[2])
	equal(s, "parent of x", s.get(x.ID).ParentID, cs[0].ID)
	equal(s, "parent of y", s.get(y.ID).ParentID, cs[0].ID)
	equal(s, "children of a", s.children(cs[0]), []string{"x", "y"})
	s.wantState(x.ID, `{"x":1}`)
	s.wantState(y.ID, `{"y":1}`)
	equal(s, "head of main", s.head(w, piton.MainBranch), "a")
	equal(s, "head over all branches", s.head(w, ""), "y")
}

func deleteMovesHead(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b", "c", "d")
	s.remove(cs[3])
	equal(s, "head", s.head(w, ""), "c")
	equal(s, "open", s.open(), []string{"c"})
	s.remove(cs[1], cs[2])
	equal(s, "head", s.head(w, piton.MainBranch), "a")
	e := s.append(w, `{}`, named("e"), expecting(cs[0].ID))
	equal(s, "parent of the next", e.ParentID, cs[0].ID)
	equal(s, "number of the next", e.Seq, int64(5))
	f := s.append(w, `{}`, named("f"), forking(cs[0].ID, "f"))
	s.remove(f)
	equal(s, "head over all branches", s.head(w, ""), "e")
}

func deleteEmpties(s *suite) {
	w := s.workflow("w", piton.TypeCustom, "p")
	cs := s.chain(w, "a", "b")
	s.remove(cs...)
	equal(s, "head", s.head(w, ""), "")
	equal(s, "head of main", s.head(w, piton.MainBranch), "")
	equal(s, "open", s.open(), nil)
	if _, err := s.st.Workflow(s.ctx, "w", "p"); err != nil {
		s.Errorf("the emptied workflow: got %v, want no error", err)
	}
	c := s.append(w, `{"c":1}`, named("c"))
	equal(s, "parent of the next", c.ParentID, "")
	equal(s, "number of the next", c.Seq, int64(3))
	equal(s, "head", s.head(w, ""), "c")
	equal(s, "open", s.open(), []string{"c"})
	s.wantState(c.ID, `{"c":1}`)
}

func deleteEmptiesFork(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b")
	x := s.append(w, `{}`, named("x"), forking(cs[1].ID, "try"))
	s.remove(x)
	y := s.append(w, `{"y":1}`, named("y"), onBranch("try"))
	if y.ParentID != "" {
		equal(s, "parent on the emptied branch", s.get(y.ParentID).Name, "b")
	}
	// Now everything the branch came from goes too.
	s.remove(y)
	s.remove(cs...)
	z := s.append(w, `{"z":1}`, named("z"), onBranch("try"))
	equal(s, "parent when nothing is left", z.ParentID, "")
	s.wantState(z.ID, `{"z":1}`)
	equal(s, "head over all branches", s.head(w, ""), "z")
}

func deleteReopens(s *suite) {
	w := s.workflow("", piton.TypePlan, "p")
	cs := s.chain(w, "a", "b", "c")
	s.complete(cs[0].ID, s.now)
	s.complete(cs[2].ID, s.now)
	s.remove(cs[2])
	equal(s, "open after the completed head went", s.open(), []string{"b"})
	s.remove(cs[1])
	equal(s, "open when a completed one is head", s.open(), nil)
	v := s.workflow("", piton.TypeSession, "p")
	s.append(v, `{}`, named("x"))
	y := s.append(v, `{}`, named("y"), closing)
	s.remove(y)
	equal(s, "open after a session's closing save went", s.open(), nil)
}

func deleteUnknown(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b")
	err := s.st.Save(s.ctx, func(tx store.Tx) error {
		_, err := tx.Delete(s.ctx, []string{cs[0].ID, piton.NewID(piton.CheckpointPrefix)})
		return err
	})
	s.wantCode(err, piton.NotFound)
	equal(s, "left", names(s.list(piton.Query{})), []string{"b", "a"})
	equal(s, "freed by nothing", s.remove(), 0)
	s.remove(cs[0], cs[0])
	equal(s, "left after one was named twice", names(s.list(piton.Query{})), []string{"b"})
}

func deleteFrees(s *suite) {
	w := s.plain()
	big := noise(100 << 10)
	a := s.append(w, big, named("a"))
	// A state that shares nothing with the first, however a store splits them.
	b := s.append(w, `{"noise":"`+noise(200 << 10)[100<<10:], named("b"))
	if freed := s.remove(b); freed < 10<<10 {
		s.Errorf("freed: got %d bytes, want at least 10 KiB", freed)
	}
	s.wantState(a.ID, big)
}

// noise is a JSON object of about n bytes that hardly compresses.
func noise(n int) string {
	var b []byte
	for i := 0; len(b) < n; i++ {
		sum := sha256.Sum256(fmt.Append(nil, i))
		b = hex.AppendEncode(b, sum[:])
	}
	return `{"noise":"` + string(b[:n]) + `"}`
}
