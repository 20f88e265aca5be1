package history_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/archive"
)

// aged is a store with work of three ages: to be deleted, to be archived, kept.
func aged(t *testing.T) *shelf {
	s := open(t)
	s.Archive = archive.Folder{Dir: filepath.Join(t.TempDir(), "archive")}
	for age, days := range []int{20, 20, 1} {
		for w := range 3 {
			for n := range 20 {
				s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: fmt.Sprintf("work-%d-%d", age, w), State: fmt.Appendf(nil, `{"n":%d,"w":%d}`, n, w)}})
			}
		}
		s.time = s.time.Add(time.Duration(days) * 24 * time.Hour)
	}
	return s
}

// checkStopped fails unless an answer says what was done, and no more.
func checkStopped(t *testing.T, s *shelf, p history.Pruning, before int) {
	t.Helper()
	page, err := s.List(t.Context(), piton.Query{})
	if err != nil {
		t.Fatal(err)
	}
	there, cold := map[string]bool{}, map[string]bool{}
	for _, c := range page.Checkpoints {
		there[c.ID], cold[c.ID] = true, c.Archive != ""
		if _, err := s.Load(t.Context(), history.Selector{ID: c.ID}, false); err != nil {
			t.Errorf("load %s: got %v, want its state", c.ID, err)
		}
	}
	if got := before - len(page.Checkpoints); got != p.Deleted {
		t.Errorf("got %d deleted, the answer says %d", got, p.Deleted)
	}
	for _, v := range p.Rows {
		switch want := v.Action; {
		case want == piton.DeleteForever && there[v.ID], want == piton.Keep && !there[v.ID], want == piton.MoveToCold && !cold[v.ID]:
			t.Errorf("%+v: there %t, in the archive %t", v, there[v.ID], cold[v.ID])
		}
	}
}

// A pruning that is stopped says what it has done, and the next one does the
// rest.
func TestPruneStopped(t *testing.T) {
	var planned history.Pruning
	for stop := range 12 {
		for _, how := range []string{history.StoppedInterrupted, history.StoppedTime} {
			s := aged(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			steps := 0
			o := history.PruneOptions{Policy: piton.DefaultRetention}
			enough := func() {
				if how == history.StoppedInterrupted {
					cancel()
				} else {
					s.time = s.time.Add(time.Minute)
				}
			}
			o.Progress = func(int64, int64) {
				if steps++; steps == stop {
					enough()
				}
			}
			dry, err := s.Prune(ctx, history.PruneOptions{Policy: o.Policy, DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			planned = dry
			if how == history.StoppedTime {
				o.MaxTime = time.Minute
			}
			if stop == 0 && how == history.StoppedInterrupted {
				continue // nothing is even listed
			} else if stop == 0 {
				o.MaxTime = time.Nanosecond
				s.Now = func() time.Time { s.time = s.time.Add(time.Millisecond); return s.time }
			}
			p, err := s.Prune(ctx, o)
			if steps >= stop && (how == history.StoppedInterrupted || p.Left > 0) && (p.Stopped != how || how == history.StoppedTime && err != nil || how != history.StoppedTime && err == nil) {
				t.Errorf("stopped at step %d: got %q, %v, want %q", stop, p.Stopped, err, how)
			}
			if got := p.Archived + p.Deleted + p.Left; got != dry.Archived+dry.Deleted {
				t.Errorf("stopped at step %d: got %d archived, %d deleted, %d left, want %d in all", stop, p.Archived, p.Deleted, p.Left, dry.Archived+dry.Deleted)
			}
			checkStopped(t, s, p, len(dry.Rows))
			rest, err := s.Prune(t.Context(), history.PruneOptions{Policy: piton.DefaultRetention})
			if err != nil || rest.Archived+p.Archived != dry.Archived || rest.Deleted+p.Deleted != dry.Deleted || rest.Left != 0 {
				t.Errorf("stopped at step %d: then got %d and %d archived, %d and %d deleted, %v, want %d and %d in all", stop, p.Archived, rest.Archived, p.Deleted, rest.Deleted, err, dry.Archived, dry.Deleted)
			}
		}
	}
	if planned.Archived < 50 || planned.Deleted < 50 {
		t.Fatalf("got %d to archive and %d to delete, want enough for many steps", planned.Archived, planned.Deleted)
	}
}

// What decides on a session's checkpoints is found without listing the others.
func TestPruneOfASessionSaysWhatAPruneOfAllSays(t *testing.T) {
	s := open(t)
	var sessions []string
	for i := range 6 {
		id := fmt.Sprintf("session-%d", i)
		for n := range 8 {
			where := fmt.Sprintf("work-%d", (i*3+n*5)%7)
			project := fmt.Sprintf("prj_%016d", (i*3+n*5)%7%3) // a workflow belongs to one
			if (i*3+n*5)%7%3 == 2 {
				project = ""
			}
			d := history.Draft{SaveRequest: piton.SaveRequest{Workflow: where, Session: id, InProject: piton.InProject{Project: project}, State: fmt.Appendf(nil, `{"n":%d}`, n)}}
			if n%4 == 1 {
				d.Name = fmt.Sprintf("named %d", n)
			}
			s.time = s.time.Add(7 * time.Hour)
			c, err := s.Save(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if n == 7 {
				sessions = append(sessions, c.SessionID)
			}
		}
	}
	s.time = s.time.Add(9 * 24 * time.Hour)
	s.Archive = archive.Folder{Dir: t.TempDir()}
	for name, policy := range map[string]piton.Retention{
		"default":     piton.DefaultRetention,
		"few":         {Warm: 2, WarmFor: 200 * time.Hour, DeleteAt: 400 * time.Hour, NamedCap: 1, OpenFor: 500 * time.Hour, OpenCap: 1},
		"per session": {PerSession: 3, NamedCap: 1, OpenCap: 2, OpenFor: 1000 * time.Hour, Warm: 1},
	} {
		all, err := s.Prune(t.Context(), history.PruneOptions{Policy: policy, DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]piton.Verdict{}
		for _, v := range all.Rows {
			said[v.ID] = v
		}
		for _, session := range sessions {
			p, err := s.Prune(t.Context(), history.PruneOptions{Policy: policy, Session: session, DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Rows) != 8 {
				t.Errorf("%s: got %d rows of %s, want 8", name, len(p.Rows), session)
			}
			for _, v := range p.Rows {
				if v != said[v.ID] {
					t.Errorf("%s: got %+v, want %+v", name, v, said[v.ID])
				}
			}
		}
	}
}
