package storetest

import (
	"context"
	"errors"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// errStop is what a test's transaction ends with.
var errStop = errors.New("stop")

// much writes everything a transaction can and returns the workflow it made.
func (s *suite) much(tx store.Tx, w piton.Workflow, cs []piton.Checkpoint) piton.Workflow {
	s.Helper()
	fresh := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Name: "fresh", Type: piton.TypePlan, Project: "p", CreatedAt: piton.At(s.now)}
	must := func(err error) {
		s.Helper()
		if err != nil {
			s.Fatalf("inside the transaction: got %v, want no error", err)
		}
	}
	must(tx.PutWorkflow(s.ctx, redact.Value(fresh)))
	_, err := tx.Append(s.ctx, redact.Value(s.prepare(fresh, noise(2<<10), named("fresh"))))
	must(err)
	_, err = tx.Append(s.ctx, redact.Value(s.prepare(w, `{}`, named("more"))))
	must(err)
	must(tx.Complete(s.ctx, cs[1].ID, piton.At(s.now)))
	_, err = tx.Delete(s.ctx, []string{cs[0].ID})
	must(err)
	must(tx.Log(s.ctx, redact.Value(store.LogEvent{At: piton.At(s.now), Kind: "test"})))
	must(tx.Count(s.ctx, piton.At(s.now), "p", store.Counted{Name: "test", N: 1}))
	return fresh
}

// untouched fails unless all is as before the transaction.
func (s *suite) untouched(w, fresh piton.Workflow, cs []piton.Checkpoint) {
	s.Helper()
	equal(s, "list", s.list(piton.Query{}), []piton.Checkpoint{cs[1], cs[0]})
	_, err := s.st.Workflow(s.ctx, fresh.ID, "")
	s.wantCode(err, piton.NotFound)
	_, err = s.st.Workflow(s.ctx, "fresh", "p")
	s.wantCode(err, piton.NotFound)
	equal(s, "head", s.head(w, ""), "b")
	equal(s, "open", s.open(), []string{"b"})
	s.wantState(cs[0].ID, `{"name":"a"}`)
	c := s.append(w, `{}`, named("c"))
	equal(s, "the next number", c.Seq, cs[1].Seq+1)
	if c.Ordinal <= cs[1].Ordinal { // what was rolled back may have had some
		s.Errorf("the next ordinal: got %d, want more than %d", c.Ordinal, cs[1].Ordinal)
	}
	equal(s, "the next parent", c.ParentID, cs[1].ID)
}

func errorRollsBack(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b")
	var fresh piton.Workflow
	err := s.st.Save(s.ctx, func(tx store.Tx) error {
		fresh = s.much(tx, w, cs)
		return errStop
	})
	if !errors.Is(err, errStop) {
		s.Errorf("save: got %v, want the error of its func", err)
	}
	s.untouched(w, fresh, cs)
}

func panicRollsBack(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b")
	var fresh piton.Workflow
	func() {
		defer func() {
			if r := recover(); r != "stop" {
				s.Errorf("panic: got %v, want the one of its func", r)
			}
		}()
		s.st.Save(s.ctx, func(tx store.Tx) error {
			fresh = s.much(tx, w, cs)
			panic("stop")
		})
	}()
	s.untouched(w, fresh, cs)
}

func cancelledSave(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b")
	var fresh piton.Workflow
	ctx, cancel := context.WithCancel(s.ctx)
	err := s.st.Save(ctx, func(tx store.Tx) error {
		fresh = s.much(tx, w, cs)
		cancel()
		return nil
	})
	s.wantCode(err, piton.Unavailable)
	s.untouched(w, fresh, cs)
	s.wantCode(s.st.Save(ctx, func(tx store.Tx) error { return nil }), piton.Unavailable)
}

func seesOwnWrites(s *suite) {
	w := s.workflow("w", piton.TypeCustom, "p")
	a := s.append(w, `{"name":"a"}`, named("a"))
	s.save(func(tx store.Tx) error {
		b, err := tx.Append(s.ctx, redact.Value(s.prepare(w, `{"name":"b"}`, named("b"))))
		if err != nil {
			return err
		}
		c, err := tx.Append(s.ctx, redact.Value(s.prepare(w, `{"name":"c"}`, named("c"), expecting(b.ID))))
		if err != nil {
			return err
		}
		equal(s, "parent", c.ParentID, b.ID)
		head, err := tx.Head(s.ctx, w.ID, "")
		equal(s, "head", head, c)
		if err != nil {
			return err
		}
		page, err := tx.List(s.ctx, piton.Query{Open: true})
		equal(s, "open", names(page.Checkpoints), []string{"c"})
		if err != nil {
			return err
		}
		if _, err := tx.Delete(s.ctx, []string{b.ID}); err != nil {
			return err
		}
		cs, err := tx.Children(s.ctx, a.ID)
		equal(s, "children", names(cs), []string{"c"})
		if err != nil {
			return err
		}
		got, err := tx.Workflow(s.ctx, "w", "p")
		equal(s, "the workflow's number", got.Seq, int64(3))
		return err
	})
	equal(s, "list", names(s.list(piton.Query{})), []string{"c", "a"})
}

func setAsideOnce(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b")
	for _, why := range []string{"blob 3 is missing", "another reason"} {
		if err := s.st.Upkeep().MarkDamaged(s.ctx, cs[0].ID, redact.Value(why)); err != nil {
			s.Fatalf("set aside: got %v, want no error", err)
		}
	}
	want := cs[0]
	want.Damaged = "blob 3 is missing"
	equal(s, "list, with the damaged one", s.list(piton.Query{}), []piton.Checkpoint{cs[1], want})
	equal(s, "head", s.head(w, ""), "b")
	s.wantCode(s.st.Upkeep().MarkDamaged(s.ctx, piton.NewID(piton.CheckpointPrefix), redact.Value("x")), piton.NotFound)
}
