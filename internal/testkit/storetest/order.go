package storetest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func numbersRise(s *suite) {
	w := s.plain()
	for i := range 5 {
		if i == 2 {
			s.now = s.now.Add(-time.Hour)
		}
		c := s.append(w, fmt.Sprintf(`{"i":%d}`, i), named(fmt.Sprint(i)))
		equal(s, "number", c.Seq, int64(i+1))
	}
	equal(s, "list", names(s.list(piton.Query{Workflow: w.ID})), []string{"4", "3", "2", "1", "0"})
	equal(s, "head", s.head(w, ""), "4")
	equal(s, "head of main", s.head(w, piton.MainBranch), "4")
	got, err := s.st.Workflow(s.ctx, w.ID, "")
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "the workflow's number", got.Seq, int64(5))
}

func clocksJump(s *suite) {
	w := s.plain()
	var want []string
	moments := map[string]time.Time{}
	for i, jump := range []time.Duration{0, -100 * 365 * 24 * time.Hour, 0, 200 * 365 * 24 * time.Hour, -time.Millisecond, 0} {
		name := fmt.Sprint(i)
		s.now = start.Add(jump)
		moments[name] = s.now
		c := s.append(w, `{}`, named(name))
		equal(s, "number", c.Seq, int64(i+1))
		want = append([]string{name}, want...)
	}
	equal(s, "list", names(s.list(piton.Query{})), want)
	equal(s, "pages", s.pages(piton.Query{}, 2, func() {}), want)
	equal(s, "head", s.head(w, ""), "5")
	equal(s, "open", s.open(), []string{"5"})
	equal(s, "since the beginning", names(s.list(piton.Query{Since: piton.At(start)})), []string{"5", "3", "2", "0"})
	for _, c := range s.list(piton.Query{}) {
		if !c.CreatedAt.Equal(moments[c.Name]) {
			s.Errorf("%s: got %s, want the moment its clock said, %s", c.Name, c.CreatedAt, moments[c.Name])
		}
	}
	s.remove(s.list(piton.Query{})[0])
	equal(s, "head after the last went", s.head(w, ""), "4")
}

func numbersNeverFall(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b", "c")
	s.remove(cs[2])
	d := s.append(w, `{}`, named("d"))
	equal(s, "number after the head was deleted", d.Seq, int64(4))
	equal(s, "its parent", d.ParentID, cs[1].ID)
	if d.Ordinal <= cs[2].Ordinal {
		s.Errorf("ordinal after the head was deleted: got %d, want more than %d", d.Ordinal, cs[2].Ordinal)
	}
	s.remove(cs[0], cs[1], d)
	e := s.append(w, `{}`, named("e"))
	equal(s, "number after all were deleted", e.Seq, int64(5))
	if e.Ordinal <= d.Ordinal {
		s.Errorf("ordinal after all were deleted: got %d, want more than %d", e.Ordinal, d.Ordinal)
	}
}

func numbersUnderGoroutines(s *suite) {
	const savers, each = 6, 8
	w := s.plain()
	var all []store.Prepared
	for i := range savers * each {
		all = append(all, s.prepare(w, fmt.Sprintf(`{"i":%d}`, i)))
	}
	var wg sync.WaitGroup
	for i := range savers {
		wg.Go(func() {
			for _, p := range all[i*each : (i+1)*each] {
				err := s.st.Save(s.ctx, func(tx store.Tx) error {
					_, err := tx.Append(s.ctx, redact.Value(p))
					return err
				})
				if err != nil {
					s.Errorf("append: got %v, want no error", err)
				}
			}
		})
	}
	wg.Wait()
	list := s.list(piton.Query{Workflow: w.ID})
	equal(s, "checkpoints", len(list), savers*each)
	for i, c := range list {
		equal(s, "number", c.Seq, int64(len(list)-i))
		parent := ""
		if i+1 < len(list) {
			parent = list[i+1].ID
		}
		equal(s, "parent", c.ParentID, parent)
	}
}

func orderOverWorkflows(s *suite) {
	v, w := s.plain(), s.plain()
	var want []string
	last := int64(0)
	for i, x := range []piton.Workflow{v, w, w, v, w} {
		s.now = s.now.Add(-time.Minute)
		name := fmt.Sprint(i)
		c := s.append(x, `{}`, named(name))
		if c.Ordinal <= last {
			s.Errorf("ordinal: got %d, want more than %d", c.Ordinal, last)
		}
		last = c.Ordinal
		want = append(want, name)
	}
	slices.Reverse(want)
	equal(s, "list", names(s.list(piton.Query{})), want)
}

func twoPlans(s *suite) {
	session := inSession(piton.NewID(piton.SessionPrefix))
	step := func(n int) change { return func(p *store.Prepared) { p.Record.StepNumber = &n } }
	v, w := s.workflow("first", piton.TypePlan, "p"), s.workflow("second", piton.TypePlan, "p")
	s.append(v, `{"plan":1}`, named("first 7"), session, step(7))
	w0 := s.append(w, `{"plan":2}`, named("second 0"), session, step(0))
	s.append(v, `{"plan":1}`, named("first 8"), session, step(8))
	w1 := s.append(w, `{"plan":2}`, named("second 1"), session, step(1))
	q := piton.Query{Session: w0.SessionID}
	equal(s, "the session's", names(s.list(q)), []string{"second 1", "first 8", "second 0", "first 7"})
	equal(s, "head of the first", s.head(v, ""), "first 8")
	equal(s, "head of the second", s.head(w, ""), "second 1")
	equal(s, "number in the second", w1.Seq, int64(2))
	s.remove(w0, w1)
	equal(s, "what is left", names(s.list(q)), []string{"first 8", "first 7"})
	equal(s, "head of the first", s.head(v, ""), "first 8")
}

func recordComesBack(s *suite) {
	step, progress := 3, 42
	w := s.workflow("wf", piton.TypePhases, "prj_0000000000000001")
	parent := s.append(w, `{}`)
	c := s.append(w, `{"a":1}`, func(p *store.Prepared) {
		r := &p.Record
		r.SessionID, r.StepNumber, r.StepName = "ses_0000000000000001", &step, "Bauen & prüfen"
		r.PhaseNumber, r.PhaseTotal, r.Name, r.Description = 2, 7, "before the big change", "two\nlines \"and\" 'quotes'"
		r.TaskSummary, r.Tags, r.Trigger = "Übung macht 🧗", []string{"b", "a", "b c"}, piton.TriggerPreRisky
		r.Progress, r.DurationMS, r.TokenUsage = &progress, 1<<40, &piton.TokenUsage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 1 << 50}
		r.Origin = piton.Origin{Agent: "claude", ClientVersion: "2.1", Host: "höhle", GitHead: "abc", GitBranch: "main"}
		r.SchemaVersion = 3
	})
	equal(s, "parent", c.ParentID, parent.ID)
	equal(s, "workflow's name", c.Workflow, "wf")
	equal(s, "branch", c.Branch, piton.MainBranch)
	equal(s, "size", c.StateBytes, int64(7))
	if c.StoredBytes <= 0 {
		s.Errorf("stored bytes: got %d, want more than 0", c.StoredBytes)
	}
	equal(s, "record by id", s.get(c.ID), c)
	equal(s, "record in a list", s.list(piton.Query{Limit: 1})[0], c)
	head, err := s.st.Head(s.ctx, w.ID, "")
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "record of the head", head, c)
	cs, err := s.st.Children(s.ctx, parent.ID)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "record of the child", cs, []piton.Checkpoint{c})
}

func storeGivesDefaults(s *suite) {
	w := s.plain()
	c := s.append(w, `{}`, func(p *store.Prepared) { p.Record.ID, p.Record.Branch = "", "" })
	if !piton.IsID(piton.CheckpointPrefix, c.ID) {
		s.Errorf("id: got %q, want one of the form chk_…", c.ID)
	}
	equal(s, "branch", c.Branch, piton.MainBranch)
	equal(s, "record", s.get(c.ID), c)
	d := s.append(w, `{}`, func(p *store.Prepared) { p.Record.Completed = true })
	equal(s, "completed at", d.CompletedAt, d.CreatedAt)
	equal(s, "record completed at its save", s.get(d.ID), d)
}
