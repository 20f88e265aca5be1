package history_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func TestComplete(t *testing.T) {
	s := open(t)
	one := s.must(history.Draft{SaveRequest: piton.SaveRequest{Session: "one", Workflow: "import", State: []byte(`{"n":1}`)}})
	two := s.must(history.Draft{SaveRequest: piton.SaveRequest{Session: "one", Workflow: "import", State: []byte(`{"n":2}`)}})
	for range 2 { // twice changes nothing
		c, err := s.Complete(t.Context(), history.Selector{ID: one.ID})
		if err != nil || c.ID != two.ID || !c.Completed || c.CompletedAt.IsZero() {
			t.Fatalf("got %+v (%v), want the branch's head completed", c, err)
		}
		s.time = s.time.Add(time.Hour)
	}
	if c, err := s.store.Checkpoint(t.Context(), two.ID); err != nil || c.CompletedAt != two.CreatedAt {
		t.Errorf("got it completed at %s (%v), want the first time, %s", c.CompletedAt, err, two.CreatedAt)
	}
	if w := s.workflow(one.WorkflowID); !w.Closed {
		t.Errorf("got %+v, want the workflow closed", w)
	}
	if x, err := s.store.Session(t.Context(), "one"); err != nil || x.CurrentID != "" {
		t.Errorf("got the current workflow %q (%v), want none", x.CurrentID, err)
	}
	if got := s.events(two.ID); got != "checkpoint_created checkpoint_completed" {
		t.Errorf("got the events %q, want it logged once", got)
	}
	if got := s.state(two.ID); got != `{"n":2}` {
		t.Errorf("got %s, want the state as it was", got)
	}
	three := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: []byte(`{"n":3}`)}})
	if w := s.workflow(one.WorkflowID); w.Closed || three.Completed {
		t.Errorf("got %+v, want a later save to open it again", w)
	}
	t.Run("of a branch", func(t *testing.T) {
		side := s.fork(one, "side")
		if c, err := s.Complete(t.Context(), history.Selector{Workflow: "import", Project: project, Branch: "main"}); err != nil || c.ID != three.ID {
			t.Errorf("got %s (%v), want main's head %s, not %s", c.ID, err, three.ID, side.ID)
		}
	})
	t.Run("a workflow that was opened again behind its completed head", func(t *testing.T) {
		four := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "export", State: []byte("{}")}})
		if _, err := s.Complete(t.Context(), history.Selector{ID: four.ID}); err != nil {
			t.Fatal(err)
		}
		err := s.store.Save(t.Context(), func(tx store.Tx) error {
			w, err := tx.Workflow(t.Context(), four.WorkflowID, "")
			w.Closed = false // as a prompt leaves it
			return errors.Join(err, tx.PutWorkflow(t.Context(), redact.Value(w)))
		})
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Complete(t.Context(), history.Selector{ID: four.ID})
		if w := s.workflow(four.WorkflowID); err != nil || !w.Closed || !c.Completed {
			t.Errorf("got %+v (%v), want it closed again", w, err)
		}
	})
	t.Run("what is not there", func(t *testing.T) {
		if _, err := s.Complete(t.Context(), history.Selector{ID: "chk_0000000000000000"}); piton.CodeOf(err) != piton.NotFound {
			t.Errorf("got %v, want not found", err)
		}
	})
}

// rows is a removal in words: the checkpoints' numbers with what is done.
func rows(r history.Removal, all []history.Saved) string {
	var list []string
	for _, row := range r.Rows {
		for i, c := range all {
			if c.ID == row.ID {
				list = append(list, fmt.Sprintf("%s %d (%s)", row.Action, i, row.Reason))
			}
		}
	}
	return strings.Join(list, ", ")
}

func TestDelete(t *testing.T) {
	for _, c := range []struct {
		name   string
		choose func(all []history.Saved) history.Selector
		older  time.Duration
		want   string
		left   string // the states that are left, and their parents
	}{
		{"one", func(all []history.Saved) history.Selector { return history.Selector{ID: all[1].ID[:13]} }, 0,
			"delete 1 (asked for by id)", "0<- 2<-0 3<-2"},
		{"the head", func(all []history.Saved) history.Selector { return history.Selector{ID: all[3].ID} }, 0,
			"delete 3 (asked for by id)", "0<- 1<-0 2<-1"},
		{"a workflow's", func([]history.Saved) history.Selector { return history.Selector{Workflow: "import", Project: project} }, 0,
			"delete 3 (of workflow import), delete 2 (of workflow import), delete 1 (of workflow import), delete 0 (of workflow import)", ""},
		{"a workflow's older ones", func([]history.Saved) history.Selector { return history.Selector{Workflow: "import", Project: project} }, 30 * time.Minute,
			"keep 3 (younger than 30m0s), keep 2 (younger than 30m0s), delete 1 (of workflow import), delete 0 (of workflow import)", "2<- 3<-2"},
		{"a session's", func([]history.Saved) history.Selector { return history.Selector{Session: "one"} }, 0,
			"delete 2 (of session one), delete 0 (of session one)", "1<- 3<-1"},
		{"one that is too young", func(all []history.Saved) history.Selector { return history.Selector{ID: all[3].ID} }, time.Hour,
			"keep 3 (younger than 1h0m0s)", "0<- 1<-0 2<-1 3<-2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			var all []history.Saved
			for i := range 4 {
				d := history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: fmt.Appendf(nil, `{"n":%d,"text":"%s"}`, i, strings.Repeat("x", 100))}}
				if i%2 == 0 {
					d.Session = "one"
				}
				all = append(all, s.must(d))
				if i == 1 {
					s.time = s.time.Add(time.Hour)
				}
			}
			rowsBefore := s.rows()
			dry, err := s.Delete(t.Context(), c.choose(all), history.DeleteOptions{OlderThan: c.older, DryRun: true})
			if err != nil || s.rows() != rowsBefore {
				t.Fatalf("dry: got %d rows after %d (%v), want nothing changed", s.rows(), rowsBefore, err)
			}
			dry.DryRun = false // the one thing that tells them apart
			real, err := s.Delete(t.Context(), c.choose(all), history.DeleteOptions{OlderThan: c.older})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(dry, real); diff != "" {
				t.Errorf("the dry run's answer is not the real one's (dry -, real +):\n%s", diff)
			}
			deleted := strings.Count(c.want, "delete")
			if got := rows(real, all); got != c.want || real.Deleted != deleted || (real.FreedBytes > 0) != (deleted > 0) {
				t.Errorf("got %q, %d deleted, %d bytes; want %q", got, real.Deleted, real.FreedBytes, c.want)
			}
			number := func(id string) string {
				for i, c := range all {
					if c.ID == id {
						return fmt.Sprint(i)
					}
				}
				return ""
			}
			var left []string
			for i, x := range all {
				got, err := s.store.Checkpoint(t.Context(), x.ID)
				if piton.CodeOf(err) == piton.NotFound {
					if events := s.events(x.ID); events != "checkpoint_created checkpoint_deleted" {
						t.Errorf("%d: got the events %q, want its end logged", i, events)
					}
					continue
				}
				if state := s.state(x.ID); !strings.HasPrefix(state, fmt.Sprintf(`{"n":%d,`, i)) {
					t.Errorf("%d: got the state %s, want it loadable", i, state)
				}
				left = append(left, fmt.Sprintf("%d<-%s", i, number(got.ParentID)))
			}
			if got := strings.Join(left, " "); got != c.left {
				t.Errorf("got %q left, want %q", got, c.left)
			}
			next := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: []byte(`{}`)}})
			if next.Seq != 5 {
				t.Errorf("got the next number %d, want 5: it never falls", next.Seq)
			}
		})
	}
	s := open(t)
	for name, x := range map[string]history.Selector{"nothing": {}, "two ways": {ID: "chk_0", Session: "one"}} {
		if _, err := s.Delete(t.Context(), x, history.DeleteOptions{}); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
	if _, err := s.Delete(t.Context(), history.Selector{ID: "chk_0000000000000000"}, history.DeleteOptions{}); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("got %v, want not found", err)
	}
}
