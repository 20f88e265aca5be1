package storetest

import (
	"fmt"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// open lists the names of the open heads.
func (s *suite) open() []string {
	s.Helper()
	return names(s.list(piton.Query{Open: true}))
}

func openHeads(s *suite) {
	v, w := s.workflow("", piton.TypePlan, "p"), s.workflow("", piton.TypeCustom, "p")
	s.plain() // empty: it has no head to offer
	a := s.append(v, `{}`, named("a"))
	s.append(w, `{}`, named("b"))
	s.append(v, `{}`, named("c"))
	equal(s, "open", s.open(), []string{"c", "b"})
	s.append(v, `{}`, named("d"), forking(a.ID, "try"))
	equal(s, "open after a fork", s.open(), []string{"d", "b"})
	s.append(w, `{}`, named("e"))
	equal(s, "open after a save", s.open(), []string{"e", "d"})
}

func lastPhaseCloses(s *suite) {
	w := s.workflow("", piton.TypePhases, "p")
	for phase := 1; phase <= 2; phase++ {
		s.append(w, `{}`, named(fmt.Sprint(phase)), inPhase(phase, 3))
		equal(s, "open", s.open(), []string{fmt.Sprint(phase)})
	}
	s.append(w, `{}`, named("3"), inPhase(3, 3))
	equal(s, "open after the last phase", s.open(), nil)
	got, err := s.st.Workflow(s.ctx, w.ID, "")
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "closed", got.Closed, true)
	equal(s, "completed", s.get(got.HeadID).Completed, false)
	s.append(w, `{}`, named("2 again"), inPhase(2, 3))
	equal(s, "open after a later phase", s.open(), []string{"2 again"})
}

func closeAndKeep(s *suite) {
	w := s.workflow("", piton.TypeSession, "p")
	s.append(w, `{}`, named("a"))
	s.append(w, `{}`, named("b"), keeping)
	equal(s, "open kept", s.open(), []string{"b"})
	s.append(w, `{}`, named("c"), inPhase(2, 2), keeping)
	equal(s, "open kept by what would close", s.open(), []string{"c"})
	s.append(w, `{}`, named("d"), closing)
	equal(s, "closed", s.open(), nil)
	s.append(w, `{}`, named("e"), keeping)
	equal(s, "closed kept", s.open(), nil)
	equal(s, "head", s.head(w, ""), "e")
	s.append(w, `{}`, named("f"))
	equal(s, "opened", s.open(), []string{"f"})
	s.append(w, `{}`, named("g"), func(p *store.Prepared) { p.Record.Completed, p.Record.CompletedAt = true, piton.At(s.now) })
	equal(s, "closed by a completed save", s.open(), nil)
}

func completeCloses(s *suite) {
	w := s.workflow("", piton.TypePlan, "p")
	cs := s.chain(w, "a", "b")
	at := start.Add(time.Hour)
	s.complete(cs[1].ID, at)
	want := cs[1]
	want.Completed, want.CompletedAt = true, piton.At(at)
	equal(s, "record", s.get(cs[1].ID), want)
	equal(s, "its parent", s.get(cs[0].ID), cs[0])
	equal(s, "open", s.open(), nil)
	s.complete(cs[1].ID, at.Add(time.Hour))
	equal(s, "record completed twice", s.get(cs[1].ID), want)
	s.append(w, `{}`, named("c"))
	equal(s, "open after a later save", s.open(), []string{"c"})
	s.complete(cs[1].ID, at.Add(time.Hour))
	equal(s, "open after the old one was completed again", s.open(), []string{"c"})
	err := s.st.Save(s.ctx, func(tx store.Tx) error {
		return tx.Complete(s.ctx, piton.NewID(piton.CheckpointPrefix), piton.At(at))
	})
	s.wantCode(err, piton.NotFound)
}

func openPages(s *suite) {
	var want []string
	for i := range 7 {
		kind, project := piton.TypePlan, "p"
		if i%2 == 1 {
			kind, project = piton.TypeSession, "q"
		}
		w := s.workflow("", kind, project)
		s.append(w, `{}`, named("old"))
		name := fmt.Sprint(i)
		s.append(w, `{}`, named(name))
		want = append([]string{name}, want...)
	}
	equal(s, "pages", s.pages(piton.Query{Open: true}, 2, func() {}), want)
	equal(s, "of a project", names(s.list(piton.Query{Open: true, Project: "q"})), []string{"5", "3", "1"})
	equal(s, "of a type", names(s.list(piton.Query{Open: true, Type: piton.TypePlan, Limit: 2})), []string{"6", "4"})
	equal(s, "not of a type", names(s.list(piton.Query{Open: true, NotType: piton.TypePlan, Project: "q"})), []string{"5", "3", "1"})
}

func openCounted(s *suite) {
	count := func(what, project string, want map[string]int) {
		s.Helper()
		got, err := s.st.CountOpen(s.ctx, project)
		if err != nil {
			s.Fatal(err)
		}
		equal(s, what, got, want)
	}
	count("of nothing", "p", nil)
	s1, s2 := "ses_0000000000000001", "ses_0000000000000002"
	v, w, x := s.workflow("", piton.TypePlan, "p"), s.workflow("", piton.TypeSession, "p"), s.workflow("", piton.TypeCustom, "q")
	s.append(v, `{}`, inSession(s1))
	b := s.append(v, `{}`, inSession(s2))
	s.append(w, `{}`, inSession(s2))
	s.append(x, `{}`)
	s.workflow("", piton.TypePlan, "p") // empty
	count("by the session of the head", "p", map[string]int{s2: 2})
	count("of another project", "q", map[string]int{"": 1})
	c := s.append(v, `{}`)
	count("after a save without a session", "p", map[string]int{s2: 1, "": 1})
	s.remove(c)
	count("after it was deleted", "p", map[string]int{s2: 2})
	s.complete(b.ID, s.now)
	count("after the newest was completed", "p", map[string]int{s2: 1})
}
