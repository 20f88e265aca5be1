package storetest

import (
	"fmt"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// entry is a checkpoint of another store, as an export holds it.
func (s *suite) entry(w piton.Workflow, seq int64, parent, state string, changes ...change) store.Entry {
	p := s.prepare(w, state, changes...)
	p.Record.Seq, p.Record.ParentID = seq, parent
	return store.Entry{Workflow: w, Checkpoint: p.Record, State: p.State.Get()}
}

// bring imports entries, one transaction each, and tells which were new.
func (s *suite) bring(es ...store.Entry) (added []bool) {
	s.Helper()
	for _, e := range es {
		s.save(func(tx store.Tx) error {
			fresh, err := tx.Import(s.ctx, redact.Value(e))
			added = append(added, fresh)
			return err
		})
	}
	return added
}

// foreign is a workflow that lies in another store.
func (s *suite) foreign(name string) piton.Workflow {
	return piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Name: name, Type: piton.TypeCustom, Project: "prj_1", CreatedAt: piton.At(s.now)}
}

func importKeeps(s *suite) {
	w := s.foreign("far")
	elsewhere := func(p *store.Prepared) {
		p.Record.SessionID, p.Record.SessionName, p.Record.ImportedAt = piton.NewID(piton.SessionPrefix), "sess-123", piton.At(s.now)
	}
	done := func(p *store.Prepared) {
		p.Record.Completed, p.Record.CompletedAt = true, piton.At(start.Add(time.Hour))
	}
	one := s.entry(w, 3, "", `{"n":1}`, named("one"), tagged("a", "b"), elsewhere)
	two := s.entry(w, 7, one.Checkpoint.ID, `{"n":1e400}`, named("two"), done, elsewhere)
	equal(s, "new", s.bring(one, two), []bool{true, true})
	got := s.get(two.Checkpoint.ID)
	want := two.Checkpoint
	want.Workflow, want.StateBytes = "far", int64(len(two.State))
	want.Ordinal, want.StoredBytes, want.File = got.Ordinal, got.StoredBytes, got.File
	equal(s, "record", got, want)
	s.wantState(two.Checkpoint.ID, `{"n":1e400}`)
	equal(s, "head", s.head(w, ""), "two")
	// The numbers go on behind the highest.
	equal(s, "next number", s.append(w, `{}`).Seq, int64(8))
}

// importLinks brings parents after their children: each is linked once it is
// there, on its own branch and from another.
func importLinks(s *suite) {
	w := s.foreign("far")
	one := s.entry(w, 1, "", `{"n":1}`, named("one"))
	two := s.entry(w, 2, one.Checkpoint.ID, `{"n":2}`, named("two"))
	three := s.entry(w, 3, one.Checkpoint.ID, `{"n":3}`, named("three"), onBranch("side"))
	four := s.entry(w, 4, two.Checkpoint.ID, `{"n":4}`, named("four"))
	s.bring(four, three, two)
	equal(s, "a parent that is not there", s.get(three.Checkpoint.ID).ParentID, "")
	equal(s, "a parent that came", s.get(four.Checkpoint.ID).ParentID, two.Checkpoint.ID)
	s.bring(one)
	equal(s, "the first one's children", s.children(s.get(one.Checkpoint.ID)), []string{"three", "two"})
	branches, err := s.st.Branches(s.ctx, w.ID)
	if err != nil {
		s.Fatal(err)
	}
	for _, b := range branches {
		if b.Name == "side" {
			equal(s, "where the branch began", b.FromID, one.Checkpoint.ID)
		}
	}
	s.sound()
	// A branch whose second checkpoint comes first begins where its first does.
	far := s.foreign("further")
	root := s.entry(far, 1, "", `{"n":1}`)
	first := s.entry(far, 2, root.Checkpoint.ID, `{"n":2}`, onBranch("side"))
	s.bring(root, s.entry(far, 3, first.Checkpoint.ID, `{"n":3}`, onBranch("side")), first)
	if branches, err = s.st.Branches(s.ctx, far.ID); err != nil || len(branches) != 2 {
		s.Fatalf("got %+v (%v), want two branches", branches, err)
	}
	equal(s, "where the branch began", branches[1].FromID, root.Checkpoint.ID)
	// Deleted and imported again it is as any other: its children have none now.
	s.remove(s.get(one.Checkpoint.ID))
	s.bring(one)
	equal(s, "head", s.head(w, ""), "four")
	s.sound()
}

// importCycle brings two that name each other as parents.
func importCycle(s *suite) {
	w := s.foreign("far")
	one := s.entry(w, 1, piton.NewID(piton.CheckpointPrefix), `{"n":1}`)
	two := s.entry(w, 2, one.Checkpoint.ID, `{"n":2}`)
	three := s.entry(w, 3, two.Checkpoint.ID, `{"n":3}`)
	one.Checkpoint.ParentID = three.Checkpoint.ID
	s.bring(one, two, three)
	equal(s, "the first one's parent", s.get(one.Checkpoint.ID).ParentID, "")
	s.sound()
}

// importAside brings what is set aside: it never leads a workflow that has
// anything else.
func importAside(s *suite) {
	w := s.plain()
	a := s.append(w, `{}`, named("a"))
	aside := onBranch(piton.AsideOf(piton.MainBranch))
	five := s.entry(w, 5, a.ID, `{"n":5}`, named("five"), aside)
	next := s.entry(w, 0, five.Checkpoint.ID, `{"n":6}`, named("six"), aside)
	equal(s, "new", s.bring(five, next), []bool{true, true})
	equal(s, "head", s.head(w, ""), "a")
	equal(s, "head of the branch", s.head(w, piton.AsideOf(piton.MainBranch)), "six")
	equal(s, "open", s.open(), []string{"a"})
	equal(s, "number", s.get(next.Checkpoint.ID).Seq, int64(6))
	b := s.append(w, `{}`, named("b"))
	equal(s, "the next number", b.Seq, int64(7))
	s.sound()
	s.remove(b)
	equal(s, "head after a delete", s.head(w, ""), "a")
	if done, err := s.st.Upkeep().Repair(s.ctx); err != nil {
		s.Errorf("repair: got %q, %v", done, err)
	}
	equal(s, "head after a repair", s.head(w, ""), "a")
	s.remove(a)
	equal(s, "head when nothing else is left", s.head(w, ""), "six")
	s.append(w, `{}`, named("c"))
	equal(s, "head", s.head(w, ""), "c")
	s.sound()
}

// sound fails when the store finds a fault in itself.
func (s *suite) sound() {
	s.Helper()
	found, err := s.st.Upkeep().Check(s.ctx)
	if err != nil || len(found) > 0 {
		s.Errorf("check: got %q, %v, want nothing", found, err)
	}
}

func importTwice(s *suite) {
	w := s.foreign("far")
	one := s.entry(w, 1, "", `{"n":1}`, named("one"))
	two := s.entry(w, 2, one.Checkpoint.ID, `{"n":2}`, named("two"))
	s.bring(one, two)
	before := s.list(piton.Query{})
	equal(s, "new", s.bring(one, two), []bool{false, false})
	equal(s, "list", s.list(piton.Query{}), before)
}

func importOutOfOrder(s *suite) {
	w := s.foreign("far")
	one := s.entry(w, 1, "", `{"n":1}`, named("one"))
	two := s.entry(w, 2, one.Checkpoint.ID, `{"n":2}`, named("two"))
	s.bring(two, one)
	equal(s, "head", s.head(w, ""), "two")
	equal(s, "head of main", s.head(w, piton.MainBranch), "two")
	equal(s, "a parent that came later", s.get(two.Checkpoint.ID).ParentID, one.Checkpoint.ID)
	w2, err := s.st.Workflow(s.ctx, w.ID, "")
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "last number", w2.Seq, int64(2))
}

func importConflicts(s *suite) {
	w := s.foreign("far")
	s.bring(s.entry(w, 1, "", `{"n":1}`))
	other := s.entry(w, 1, "", `{"n":2}`)
	err := s.st.Save(s.ctx, func(tx store.Tx) error {
		_, err := tx.Import(s.ctx, redact.Value(other))
		return err
	})
	s.wantCode(err, piton.Conflict)
	equal(s, "checkpoints", len(s.list(piton.Query{})), 1)
	// The transaction goes on: on another branch, under another number.
	side := s.entry(w, 1, "", `{"n":2}`, onBranch("side"))
	s.save(func(tx store.Tx) error {
		_, err := tx.Import(s.ctx, redact.Value(side))
		s.wantCode(err, piton.Conflict)
		side.Checkpoint.Seq = 0
		_, err = tx.Import(s.ctx, redact.Value(side))
		return err
	})
	equal(s, "its number", s.get(side.Checkpoint.ID).Seq, int64(2))
	s.sound()
}

func importCloses(s *suite) {
	w := s.foreign("far")
	one := s.entry(w, 1, "", `{"n":1}`, named("one"))
	two := s.entry(w, 2, one.Checkpoint.ID, `{"n":2}`, named("two"))
	three := s.entry(w, 3, two.Checkpoint.ID, `{"n":3}`, named("three"), inPhase(2, 2))
	four := s.entry(w, 4, three.Checkpoint.ID, `{"n":4}`, named("four"))
	// Each was exported when it was the head.
	for _, c := range []struct {
		e      store.Entry
		closed bool
		open   []string
	}{{one, false, []string{"one"}}, {two, true, nil}, {three, false, []string{"three"}}, {four, true, nil}} {
		c.e.Workflow.HeadID, c.e.Workflow.Seq, c.e.Workflow.Closed = c.e.Checkpoint.ID, c.e.Checkpoint.Seq, c.closed
		s.bring(c.e)
		equal(s, "open after "+c.e.Checkpoint.Name, s.open(), c.open)
	}
	// Of an older one its workflow's mark says nothing: the checkpoint does.
	v := s.foreign("further")
	v.HeadID, v.Closed = piton.NewID(piton.CheckpointPrefix), true
	five, six := s.entry(v, 5, "", `{"n":5}`, named("five")), s.entry(v, 6, "", `{"n":6}`, named("six"), inPhase(2, 2))
	s.bring(five)
	equal(s, "open after an older one", s.open(), []string{"five"})
	s.bring(six)
	equal(s, "open after one that finishes", s.open(), nil)
}

func importBack(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b", "c", "d")
	f := s.append(w, `{"name":"f"}`, named("f"), forking(cs[1].ID, "try"))
	saved := map[string]store.Entry{}
	for _, c := range append(cs, f) {
		saved[c.Name] = store.Entry{Workflow: w, Checkpoint: c, State: []byte(`{"name":"` + c.Name + `"}`)}
	}
	s.remove(cs[2], cs[3], f)
	equal(s, "head", s.head(w, ""), "b")
	for _, x := range []struct{ name, main, all string }{{"c", "c", "c"}, {"f", "c", "f"}, {"d", "d", "f"}} {
		equal(s, "new", s.bring(saved[x.name]), []bool{true})
		equal(s, "head of main after "+x.name, s.head(w, piton.MainBranch), x.main)
		equal(s, "head after "+x.name, s.head(w, ""), x.all)
		equal(s, "open after "+x.name, s.open(), []string{x.all})
	}
	equal(s, "parent of d", s.get(cs[3].ID).ParentID, cs[2].ID)
	s.wantState(cs[3].ID, `{"name":"d"}`)
	equal(s, "the next number", s.append(w, `{}`).Seq, int64(6))
	found, err := s.st.Upkeep().Check(s.ctx)
	if err != nil || len(found) > 0 {
		s.Errorf("check: got %q, %v, want nothing", found, err)
	}
}

func importNumbers(s *suite) {
	w := s.foreign("far")
	w.Seq = 9 // its newest were deleted there
	one := s.entry(w, 4, "", `{"n":1}`, named("one"))
	s.bring(one)
	equal(s, "next number", s.append(w, `{}`, named("next")).Seq, int64(10))
	none := s.entry(w, 0, one.Checkpoint.ID, `{"n":2}`, named("without a number"))
	s.bring(none)
	equal(s, "its number", s.get(none.Checkpoint.ID).Seq, int64(11))
	equal(s, "head", s.head(w, ""), "without a number")
	done := s.entry(w, 12, "", `{"n":3}`, func(p *store.Prepared) { p.Record.CompletedAt = piton.At(s.now) })
	s.bring(done)
	equal(s, "completed by its time", s.get(done.Checkpoint.ID).Completed, true)
}

func importNames(s *suite) {
	mine := s.workflow("flow", piton.TypeCustom, "prj_1")
	s.append(mine, `{"mine":true}`)
	w := s.foreign("flow")
	e := s.entry(w, 1, "", `{"mine":false}`)
	s.bring(e)
	equal(s, "name", s.get(e.Checkpoint.ID).Workflow, "flow-2")
	got, err := s.st.Workflow(s.ctx, "flow", "prj_1")
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "whose name it is", got.ID, mine.ID)
}

func importBranches(s *suite) {
	w := s.foreign("")
	one := s.entry(w, 1, "", `{"n":1}`, named("one"))
	side := s.entry(w, 2, one.Checkpoint.ID, `{"n":2}`, named("side"), onBranch("side"))
	three := s.entry(w, 3, one.Checkpoint.ID, `{"n":3}`, named("three"))
	s.bring(one, side, three)
	equal(s, "main", s.head(w, piton.MainBranch), "three")
	equal(s, "side", s.head(w, "side"), "side")
	equal(s, "parent", s.get(side.Checkpoint.ID).ParentID, one.Checkpoint.ID)
}

func archiveDrops(s *suite) {
	w := s.plain()
	var cs []piton.Checkpoint
	for i := range 70 { // over an epoch's edge
		cs = append(cs, s.append(w, fmt.Sprintf(`{"n":%d,"text":"all the same all the same"}`, i), named(fmt.Sprint(i))))
	}
	cold := []string{cs[0].ID, cs[1].ID, cs[66].ID}
	var freed int64
	s.save(func(tx store.Tx) (err error) {
		freed, err = tx.Archive(s.ctx, cold, "a-file")
		return err
	})
	if freed <= 0 {
		s.Errorf("freed: got %d, want more than 0", freed)
	}
	for _, id := range cold {
		equal(s, "archive", s.get(id).Archive, "a-file")
		_, err := s.st.State(s.ctx, id)
		s.wantCode(err, piton.NotFound)
	}
	equal(s, "in the file", len(s.list(piton.Query{Archive: "a-file"})), 3)
	for i, c := range cs {
		if i != 0 && i != 1 && i != 66 {
			s.wantState(c.ID, fmt.Sprintf(`{"n":%d,"text":"all the same all the same"}`, i))
		}
	}
	equal(s, "listed", len(s.list(piton.Query{})), 70)
	// They can be deleted as all others.
	s.remove(cs[0])
	equal(s, "in the file", len(s.list(piton.Query{Archive: "a-file"})), 2)
}

func archiveTwice(s *suite) {
	c := s.append(s.plain(), `{"n":1}`)
	for _, file := range []string{"one", "two"} {
		s.save(func(tx store.Tx) error {
			_, err := tx.Archive(s.ctx, []string{c.ID}, file)
			return err
		})
	}
	equal(s, "archive", s.get(c.ID).Archive, "two")
}

func markTaken(s *suite) {
	c := s.append(s.plain(), `{"n":1}`)
	for _, why := range []string{"", "torn", "other", "", ""} {
		if err := s.st.Upkeep().MarkDamaged(s.ctx, c.ID, redact.Value(why)); err != nil {
			s.Fatal(err)
		}
		want := why
		if why == "other" {
			want = "torn" // marked once
		}
		equal(s, "mark", s.get(c.ID).Damaged, want)
	}
}

func nothingWrong(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b", "c", "d")
	s.remove(cs[1], cs[3])
	found, err := s.st.Upkeep().Check(s.ctx)
	if err != nil || len(found) > 0 {
		s.Errorf("check: got %q, %v, want nothing", found, err)
	}
	if _, err := s.st.Upkeep().Repair(s.ctx); err != nil {
		s.Errorf("repair: got %v, want no error", err)
	}
	equal(s, "after the repair", names(s.list(piton.Query{})), []string{"c", "a"})
}

func reclaims(s *suite) {
	w := s.plain()
	var cs []piton.Checkpoint
	for i := range 20 {
		cs = append(cs, s.append(w, noise(40_000+i)))
	}
	s.remove(cs[:19]...)
	if _, err := s.st.Upkeep().Reclaim(s.ctx, nil); err != nil {
		s.Fatalf("reclaim: got %v, want no error", err)
	}
	s.wantState(cs[19].ID, noise(40_019))
}
