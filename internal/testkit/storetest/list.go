package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func listShared(s *suite) {
	for _, project := range []string{"prj_1", "", "prj_2"} {
		s.append(s.workflow("w", piton.TypeCustom, project), `{}`, named("of "+project))
	}
	for _, open := range []bool{false, true} {
		equal(s, "one's own and nobody's", names(s.list(piton.Query{Project: "prj_1", Shared: true, Open: open})), []string{"of ", "of prj_1"})
		equal(s, "one's own", names(s.list(piton.Query{Project: "prj_1", Open: open})), []string{"of prj_1"})
		equal(s, "all", len(s.list(piton.Query{Shared: true, Open: open})), 3)
	}
}

func listFilters(s *suite) {
	yes, no := true, false
	v := s.workflow("v", piton.TypePhases, "prj_1")
	w := s.workflow("w", piton.TypeSession, "prj_2")
	s1, s2 := "ses_0000000000000001", "ses_0000000000000002"
	a := s.append(v, `{}`, named("a"), inSession(s1), tagged("red"), because(piton.TriggerPhaseComplete), byAgent("claude"))
	s.append(v, `{}`, named("b"), inSession(s2), tagged("red", "blue"))
	since := piton.At(s.now)
	s.append(w, `{}`, named("c"), inSession(s1), because(piton.TriggerTurnEnd), byAgent("codex"))
	f := s.append(v, `{}`, named("f"), inSession(s1), tagged("blue"), forking(a.ID, "try"))
	s.append(w, `{}`, named("d"), because(piton.TriggerTurnEnd), byAgent("claude"), says(`"origin":{"agent":"codex"`))
	s.complete(f.ID, s.now)
	for _, c := range []struct {
		name string
		q    piton.Query
		want string
	}{
		{"all", piton.Query{}, "d f c b a"},
		{"workflow", piton.Query{Workflow: v.ID}, "f b a"},
		{"workflow that is not", piton.Query{Workflow: "wf_0000000000000000"}, ""},
		{"session", piton.Query{Session: s1}, "f c a"},
		{"sessions", piton.Query{Sessions: []string{"", "nobody's", s2, s1}}, "f c b a"},
		{"a session of several", piton.Query{Sessions: []string{"nobody's", s2}}, "b"},
		{"project", piton.Query{Project: "prj_2"}, "d c"},
		{"branch", piton.Query{Branch: "try"}, "f"},
		{"branch main", piton.Query{Branch: piton.MainBranch}, "d c b a"},
		{"type", piton.Query{Type: piton.TypePhases}, "f b a"},
		{"not type", piton.Query{NotType: piton.TypePhases}, "d c"},
		{"trigger", piton.Query{Trigger: piton.TriggerTurnEnd}, "d c"},
		{"trigger manual", piton.Query{Trigger: piton.TriggerManual}, "f b"},
		{"agent", piton.Query{Agent: "claude"}, "d a"},
		{"another agent", piton.Query{Agent: "codex"}, "c"},
		{"the beginning of an agent's name", piton.Query{Agent: "cod"}, ""},
		{"agent and trigger", piton.Query{Agent: "claude", Trigger: piton.TriggerTurnEnd}, "d"},
		{"tag", piton.Query{Tag: "red"}, "b a"},
		{"name", piton.Query{Name: "c"}, "c"},
		{"part of a name", piton.Query{Name: "C"}, ""},
		{"name elsewhere", piton.Query{Name: "c", Project: "prj_1"}, ""},
		{"completed", piton.Query{Completed: &yes}, "f"},
		{"incomplete", piton.Query{Completed: &no}, "d c b a"},
		{"since", piton.Query{Since: since}, "d f c"},
		{"until", piton.Query{Until: since}, "b a"},
		{"since and until", piton.Query{Since: since, Until: since}, ""},
		{"limit", piton.Query{Limit: 2}, "d f"},
		{"all together", piton.Query{Workflow: v.ID, Session: s1, Project: "prj_1", Branch: "try", Type: piton.TypePhases, NotType: piton.TypeSession,
			Trigger: piton.TriggerManual, Tag: "blue", Completed: &yes, Since: since, Limit: 5}, "f"},
		{"together none", piton.Query{Session: s2, Tag: "blue", Completed: &yes}, ""},
	} {
		got := ""
		for i, n := range names(s.list(c.q)) {
			if i > 0 {
				got += " "
			}
			got += n
		}
		if got != c.want {
			s.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func listTags(s *suite) {
	w := s.plain()
	tags := []string{"100%", "100 percent", "a_b", "axb", "ab", "abc", "Release", "release", `back\slash`, `back\\slash`, "größe", "GRÖSSE", "%", "_", `\`, "'; --"}
	for _, tag := range tags {
		s.append(w, `{}`, named(tag), tagged("other", tag, "last"))
	}
	for _, tag := range tags {
		equal(s, "tagged "+tag, names(s.list(piton.Query{Tag: tag})), []string{tag})
	}
	for _, tag := range []string{"100", "a", "b", "ABC", "other last", "a%", "a__", "%%"} {
		equal(s, "tagged "+tag, names(s.list(piton.Query{Tag: tag})), nil)
	}
	equal(s, "tagged other", len(s.list(piton.Query{Tag: "other"})), len(tags))
}

func listSince(s *suite) {
	w := s.plain()
	cs := s.chain(w, "a", "b", "c")
	for _, c := range []struct {
		name  string
		since piton.Time
		want  []string
	}{
		{"the moment", cs[1].CreatedAt, []string{"c", "b"}},
		{"a millisecond later", piton.At(cs[1].CreatedAt.Add(time.Millisecond)), []string{"c"}},
		{"a millisecond before", piton.At(cs[1].CreatedAt.Add(-time.Millisecond)), []string{"c", "b"}},
		{"after all", piton.At(s.now), nil},
	} {
		equal(s, c.name, names(s.list(piton.Query{Since: c.since})), c.want)
	}
}

// pages reads a query in pages of n and calls between after each.
func (s *suite) pages(q piton.Query, n int, between func()) (got []string) {
	s.Helper()
	q.Limit = n
	for {
		page, err := s.st.List(s.ctx, q)
		if err != nil {
			s.Fatal(err)
		}
		if len(page.Checkpoints) > n {
			s.Fatalf("a page: got %d rows, want at most %d", len(page.Checkpoints), n)
		}
		got = append(got, names(page.Checkpoints)...)
		if page.Next == 0 {
			return got
		}
		if len(page.Checkpoints) != n {
			s.Fatalf("a page with a next one: got %d rows, want %d", len(page.Checkpoints), n)
		}
		if q.Before != 0 && page.Next >= q.Before {
			s.Fatalf("cursor: got %d after %d, want less", page.Next, q.Before)
		}
		q.Before = page.Next
		between()
	}
}

func pagesStable(s *suite) {
	w, v := s.plain(), s.plain()
	var want []string
	for i := range 12 {
		x := w
		if i%3 == 0 {
			x = v
		}
		name := fmt.Sprint("old ", i)
		s.append(x, `{}`, named(name))
		want = append([]string{name}, want...)
	}
	for _, n := range []int{1, 3, 4, 5, 11, 12, 13} {
		equal(s, fmt.Sprintf("pages of %d", n), s.pages(piton.Query{}, n, func() {}), want)
	}
	i := 0
	got := s.pages(piton.Query{}, 5, func() {
		i++
		s.append(w, `{}`, named(fmt.Sprint("new ", i)))
	})
	equal(s, "pages with appends between", got, want)
	equal(s, "the list after", len(s.list(piton.Query{})), len(want)+i)

	// The row a cursor stands on may go.
	page, err := s.st.List(s.ctx, piton.Query{Workflow: w.ID, Limit: 4})
	if err != nil {
		s.Fatal(err)
	}
	s.remove(page.Checkpoints[3])
	next := s.list(piton.Query{Workflow: w.ID, Limit: 1, Before: page.Next})
	rest := s.list(piton.Query{Workflow: w.ID})
	equal(s, "after the cursor's row was deleted", names(next), names(rest)[3:4])
}

func pagesUnderGoroutines(s *suite) {
	w := s.plain()
	var want []string
	for i := range 20 {
		name := fmt.Sprint("old ", i)
		s.append(w, `{}`, named(name))
		want = append([]string{name}, want...)
	}
	page, err := s.st.List(s.ctx, piton.Query{Limit: 1})
	if err != nil {
		s.Fatal(err)
	}
	var more []store.Prepared
	for range 30 {
		more = append(more, s.prepare(w, `{}`, named("new")))
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, p := range more {
			err := s.st.Save(s.ctx, func(tx store.Tx) error {
				_, err := tx.Append(s.ctx, redact.Value(p))
				return err
			})
			if err != nil {
				s.Errorf("append: got %v, want no error", err)
			}
		}
	})
	for range 5 {
		got := s.pages(piton.Query{Before: page.Checkpoints[0].Ordinal}, 3, func() {})
		equal(s, "the old ones while others are added", got, want[1:])
	}
	wg.Wait()
	equal(s, "checkpoints", len(s.list(piton.Query{})), 50)
}

func pagesBesideSavers(s *suite) {
	w := s.plain()
	var want []string
	for i := range 15 {
		name := fmt.Sprint("old ", i)
		s.append(w, `{}`, named(name))
		want = append([]string{name}, want...)
	}
	var more []store.Prepared
	for range 40 {
		more = append(more, s.prepare(w, `{}`, named("new")))
	}
	var wg sync.WaitGroup
	for half := range 2 {
		wg.Go(func() {
			for i, p := range more[half*20 : half*20+20] {
				err := s.st.Save(s.ctx, func(tx store.Tx) error {
					c, err := tx.Append(s.ctx, redact.Value(p))
					if err == nil && i%4 == 0 {
						_, err = tx.Delete(s.ctx, []string{c.ID})
					}
					return err
				})
				if err != nil {
					s.Errorf("append: got %v, want no error", err)
				}
			}
		})
	}
	for range 8 {
		var got []string
		last := int64(0)
		for q := (piton.Query{Workflow: w.ID, Limit: 4}); ; {
			page, err := s.st.List(s.ctx, q)
			if err != nil {
				s.Fatal(err)
			}
			for _, c := range page.Checkpoints {
				if last != 0 && c.Ordinal >= last {
					s.Fatalf("got the ordinal %d behind %d, want them to fall", c.Ordinal, last)
				}
				if last = c.Ordinal; c.Name != "new" {
					got = append(got, c.Name)
				}
			}
			if q.Before = page.Next; q.Before == 0 {
				break
			}
		}
		equal(s, "the old ones, each once", got, want)
	}
	wg.Wait()
	equal(s, "checkpoints", len(s.list(piton.Query{})), 15+30)
}
