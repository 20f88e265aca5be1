package history_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

func TestFind(t *testing.T) {
	s := open(t)
	a := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Session: "one", State: []byte(`{"n":1}`)}})
	b := s.fork(a, "try")
	c := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "export", Session: "one", State: []byte(`{"n":3}`)}})
	for _, x := range []struct {
		name string
		s    history.Selector
		want string
		code piton.Code
	}{
		{"by id", history.Selector{ID: a.ID}, a.ID, ""},
		{"by its beginning", history.Selector{ID: a.ID[:14]}, a.ID, ""},
		{"the newest of a workflow, over all branches", history.Selector{Workflow: "import", Project: project}, b.ID, ""},
		{"of a branch", history.Selector{Workflow: "import", Project: project, Branch: "main"}, a.ID, ""},
		{"of a workflow by id", history.Selector{Workflow: c.WorkflowID}, c.ID, ""},
		{"the newest of a session", history.Selector{Session: "one"}, c.ID, ""},
		{"of a session and branch", history.Selector{Session: "one", Branch: "try"}, "", piton.NotFound},
		{"no way", history.Selector{}, "", piton.Invalid},
		{"two ways", history.Selector{ID: a.ID, Session: "one"}, "", piton.Invalid},
		{"an unknown id", history.Selector{ID: "chk_0000000000000000"}, "", piton.NotFound},
		{"no id", history.Selector{ID: "latest"}, "", piton.Invalid},
		{"an unknown session", history.Selector{Session: "two"}, "", piton.NotFound},
		{"an unknown workflow", history.Selector{Workflow: "import", Project: "prj_0000000000000002"}, "", piton.NotFound},
		{"an unknown branch", history.Selector{Workflow: "import", Project: project, Branch: "no"}, "", piton.NotFound},
	} {
		got, err := s.Find(t.Context(), x.s)
		if got.ID != x.want && x.code == "" || piton.CodeOf(err) != x.code {
			t.Errorf("%s: got %s (%v), want %s (%s)", x.name, got.ID, err, x.want, x.code)
		}
	}
}

// line saves n checkpoints one after the other, {"n":0} and on.
func (s *shelf) line(n int) []history.Saved {
	s.Helper()
	var all []history.Saved
	for i := range n {
		all = append(all, s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", StepName: fmt.Sprintf("step %d", i), State: fmt.Appendf(nil, `{"n":%d}`, i)}}))
	}
	return all
}

func TestLoadDamaged(t *testing.T) {
	for _, c := range []struct {
		name    string
		damaged []int
		want    int // the nearest intact one of 0 to 4; -1: none
	}{
		{"none", nil, 4},
		{"the head", []int{4}, 3},
		{"the head and two above", []int{4, 3, 2}, 1},
		{"with an intact one between", []int{4, 3, 1}, 2},
		{"all but the first", []int{4, 3, 2, 1}, 0},
		{"all", []int{4, 3, 2, 1, 0}, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			all := s.line(5)
			for _, i := range c.damaged {
				s.damage(all[i])
			}
			head := history.Selector{ID: all[4].ID}
			got, err := s.Load(t.Context(), head, false)
			switch {
			case len(c.damaged) == 0 && (err != nil || string(got.State) != `{"n":4}` || got.RecoveredFrom != ""):
				t.Fatalf("got %s (%v), want the state asked for", got.State, err)
			case len(c.damaged) > 0:
				hint := "no intact ancestor"
				if c.want >= 0 {
					hint = all[c.want].ID + " (" + all[c.want].StepName + ")"
				}
				e, ok := err.(*piton.Error)
				if !ok || e.Code != piton.Corrupt || got.State != nil || !strings.Contains(e.Hint, hint) {
					t.Fatalf("got %s, %v; want corrupt, no state, the hint %q", got.State, err, hint)
				}
			}
			got, err = s.Load(t.Context(), head, true)
			if c.want < 0 {
				if piton.CodeOf(err) != piton.Corrupt || got.State != nil {
					t.Fatalf("nearest: got %s (%v), want corrupt", got.State, err)
				}
				return
			}
			from := ""
			if len(c.damaged) > 0 {
				from = all[4].ID
			}
			if err != nil || string(got.State) != fmt.Sprintf(`{"n":%d}`, c.want) || got.Checkpoint.ID != all[c.want].ID || got.RecoveredFrom != from || (got.Why == "") != (from == "") {
				t.Fatalf("nearest: got %s of %s, from %q, because %q (%v); want that of step %d", got.State, got.Checkpoint.ID, got.RecoveredFrom, got.Why, err, c.want)
			}
			// Those that were met are set aside, once, and stay in the list.
			page, err := s.List(t.Context(), piton.Query{Workflow: "import", Project: project})
			if err != nil || len(page.Checkpoints) != 5 {
				t.Fatalf("got %d rows (%v), want all 5", len(page.Checkpoints), err)
			}
			for i, row := range page.Checkpoints {
				n := 4 - i
				want := slices.Contains(c.damaged, n) && n > c.want
				if (row.Damaged != "") != want || strings.Count(s.events(row.ID), "checkpoint_damaged") != map[bool]int{true: 1}[want] {
					t.Errorf("step %d: got damaged %q, events %q; want it marked: %v", n, row.Damaged, s.events(row.ID), want)
				}
			}
		})
	}
}

func TestAncestorsInACircle(t *testing.T) {
	s := open(t)
	all := s.line(3)
	s.damage(all...)
	s.sql(`UPDATE checkpoints SET parent_id = ? WHERE id = ?`, all[2].ID, all[0].ID)
	if _, err := s.Load(t.Context(), history.Selector{ID: all[1].ID}, true); piton.CodeOf(err) != piton.Corrupt {
		t.Errorf("got %v, want corrupt and an end", err)
	}
	t.Run("its own parent", func(t *testing.T) {
		s.sql(`UPDATE checkpoints SET parent_id = id WHERE id = ?`, all[1].ID)
		if _, err := s.Load(t.Context(), history.Selector{ID: all[1].ID}, true); piton.CodeOf(err) != piton.Corrupt {
			t.Errorf("got %v, want corrupt and an end", err)
		}
	})
	t.Run("a parent that is lost", func(t *testing.T) {
		s.sql(`UPDATE checkpoints SET parent_id = 'chk_0000000000000000' WHERE id = ?`, all[1].ID)
		if _, err := s.Load(t.Context(), history.Selector{ID: all[1].ID}, true); piton.CodeOf(err) != piton.Corrupt {
			t.Errorf("got %v, want corrupt", err)
		}
		if x, err := s.Inspect(t.Context(), all[1].ID); err != nil || x.Parent != nil || piton.CodeOf(x.Damage) != piton.Corrupt {
			t.Errorf("inspect: got %+v (%v), want what is known without a parent", x, err)
		}
	})
}

// away is a store of which some states cannot be read just now.
type away struct {
	store.Checkpoints
	id string
}

func (a *away) State(ctx context.Context, id string) ([]byte, error) {
	if id == a.id {
		return nil, piton.Errorf(piton.Unavailable, "load", "", "the disk is busy")
	}
	return a.Checkpoints.State(ctx, id)
}

func TestTroubleIsNoDamage(t *testing.T) {
	s := open(t)
	all := s.line(3)
	s.damage(all[2])
	k := s.Keeper
	k.Store = &away{s.store, all[1].ID}
	if got, err := k.Load(t.Context(), history.Selector{ID: all[2].ID}, true); piton.CodeOf(err) != piton.Corrupt {
		t.Errorf("got %s (%v), want no older one in the place of one that may be intact", got.State, err)
	}
	if _, err := k.Load(t.Context(), history.Selector{ID: all[1].ID}, true); piton.CodeOf(err) != piton.Unavailable || s.events(all[1].ID) != "checkpoint_created" {
		t.Errorf("got %v and the events %q, want unavailable and nothing set aside", err, s.events(all[1].ID))
	}
}

func TestInspect(t *testing.T) {
	s := open(t)
	s.Diff = func(from, to []byte) ([]byte, error) { return []byte(string(from) + " to " + string(to)), nil }
	all := s.line(3)
	x, err := s.Inspect(t.Context(), all[1].ID[:12])
	if err != nil || x.Checkpoint.ID != all[1].ID || x.Parent == nil || x.Parent.StepName != "step 0" || len(x.Children) != 1 || x.Children[0].ID != all[2].ID ||
		string(x.State) != `{"n":1}` || string(x.Changes) != `{"n":0} to {"n":1}` || x.Damage != nil {
		t.Errorf("got %+v (%v)", x, err)
	}
	if x, err = s.Inspect(t.Context(), all[0].ID); err != nil || x.Parent != nil || x.Changes != nil {
		t.Errorf("the first: got %+v (%v), want no parent and no changes", x, err)
	}
	s.damage(all[1])
	if x, err = s.Inspect(t.Context(), all[1].ID); err != nil || x.State != nil || x.Changes != nil || piton.CodeOf(x.Damage) != piton.Corrupt || x.Checkpoint.Damaged == "" || x.Parent == nil {
		t.Errorf("damaged: got %+v (%v), want metadata and lineage without a state", x, err)
	}
	if x, err = s.Inspect(t.Context(), all[2].ID); err != nil || x.Changes != nil || string(x.State) != `{"n":2}` {
		t.Errorf("its child: got %+v (%v), want the state, and the changes unknown", x, err)
	}
	if _, err = s.Inspect(t.Context(), "chk_0000000000000000"); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("got %v, want not found", err)
	}
}
