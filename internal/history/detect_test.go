package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
)

// names are the checkpoints' names, in order.
func names(cs []piton.Checkpoint) string {
	var list []string
	for _, c := range cs {
		list = append(list, c.Name)
	}
	return strings.Join(list, " ")
}

func TestDetect(t *testing.T) {
	s := open(t)
	at := func(name string, d history.Draft) history.Saved {
		d.Name = name
		if d.State == nil {
			d.State = []byte(`{}`)
		}
		return s.must(d)
	}
	alive := s.agent(agent.Session{Identity: agent.Identity{ClientID: "alive"}})
	gone := s.agent(agent.Session{Identity: agent.Identity{ClientID: "gone", EndedAt: piton.At(s.time)}})
	at("session-gone", history.Draft{SaveRequest: piton.SaveRequest{Session: gone.ID, Type: "session"}})
	at("session-alive", history.Draft{SaveRequest: piton.SaveRequest{Session: alive.ID, Type: "session"}})
	at("old", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import"}})
	at("import", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import"}})
	at("side", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "export", Branch: "side"}})
	at("phase-6", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "ship", Phase: "Test", PhaseNumber: 6}})
	at("phase-7", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "shipped", Phase: "Ship", PhaseNumber: 7}})
	at("phase-4-of-4", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "small", Phase: "Ship", PhaseNumber: 4, PhaseTotal: 4}})
	at("conductor", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "c", State: []byte(`{"current_phase":"2","completed_phases":["1"]}`)}})
	at("plan", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "p", State: []byte(`{"plan":[],"current_step_index":0}`)}})
	at("phase-alive", history.Draft{SaveRequest: piton.SaveRequest{Session: alive.ID, Workflow: "now", Phase: "Build", PhaseNumber: 1}})
	at("phase-gone", history.Draft{SaveRequest: piton.SaveRequest{Session: gone.ID, Workflow: "then", Phase: "Build", PhaseNumber: 1}})
	done := at("done", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "done"}})
	if _, err := s.Complete(t.Context(), history.Selector{ID: done.ID}); err != nil {
		t.Fatal(err)
	}
	at("caller", history.Draft{SaveRequest: piton.SaveRequest{Session: "nightly", Workflow: "night"}})
	at("elsewhere", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", InProject: piton.InProject{Project: "prj_0000000000000002"}}})

	for _, c := range []struct {
		name, except string
		limit        int
		want         string
		more         int
	}{
		{"any type before type session, newest first", "", 100, "caller phase-gone plan conductor phase-6 side import session-gone", 0},
		{"at most so many", "", 3, "caller phase-gone plan", 5},
		{"not one's own", gone.ID, 100, "caller plan conductor phase-6 side import", 0},
		{"the newest", "", 1, "caller", 7},
	} {
		open, more, err := s.Detect(t.Context(), project, c.except, c.limit)
		if got := names(open); err != nil || got != c.want || more != c.more {
			t.Errorf("%s: got %q and %d more (%v), want %q and %d", c.name, got, more, err, c.want, c.more)
		}
	}
	if open, _, err := s.Detect(t.Context(), "prj_0000000000000009", "", 5); err != nil || len(open) > 0 {
		t.Errorf("a project without any: got %q (%v), want none", names(open), err)
	}
}

func TestOffer(t *testing.T) {
	const long = "one two three four five six seven eight nine"
	for _, c := range []struct {
		name string
		c    piton.Checkpoint
		want string
	}{
		{"a phase", piton.Checkpoint{AtStep: piton.AtStep{StepName: "Build", PhaseNumber: 3}, Described: piton.Described{TaskSummary: "fix it"}}, "Checkpoint: Resume from Phase 3? (fix it)"},
		{"a phase without a task", piton.Checkpoint{AtStep: piton.AtStep{StepName: "Build", PhaseNumber: 3}}, "Checkpoint: Resume from Phase 3?"},
		{"eight words of a task", piton.Checkpoint{AtStep: piton.AtStep{PhaseNumber: 1}, Described: piton.Described{TaskSummary: long}}, "Checkpoint: Resume from Phase 1? (one two three four five six seven eight …)"},
		{"a step", piton.Checkpoint{AtStep: piton.AtStep{StepName: "parse rows"}, Described: piton.Described{TaskSummary: "import"}}, "Checkpoint: Resume from parse rows? (import)"},
		{"a task alone is said once", piton.Checkpoint{Described: piton.Described{TaskSummary: "import it"}}, "Checkpoint: Resume from import it?"},
		{"lines become one", piton.Checkpoint{Described: piton.Described{TaskSummary: "a\nb\t c"}}, "Checkpoint: Resume from a b c?"},
		{"nothing but a trigger", piton.Checkpoint{Trigger: piton.TriggerAuto}, "Checkpoint: Resume from auto?"},
	} {
		if got := history.Offer(c.c); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestList(t *testing.T) {
	s := open(t)
	for i := range 5 {
		s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Name: fmt.Sprint(i), Session: "one", State: []byte(`{}`)}})
	}
	s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "export", Name: "x", State: []byte(`{}`)}})
	for _, c := range []struct {
		name string
		q    piton.Query
		want string
	}{
		{"all", piton.Query{}, "x 4 3 2 1 0"},
		{"by the workflow's name", piton.Query{Workflow: "import", Project: project}, "4 3 2 1 0"},
		{"by the client's session", piton.Query{Session: "one", Limit: 2}, "4 3"},
	} {
		page, err := s.List(t.Context(), c.q)
		if got := names(page.Checkpoints); err != nil || got != c.want {
			t.Errorf("%s: got %q (%v), want %q", c.name, got, err, c.want)
		}
	}
	got, before := "", int64(0)
	for {
		page, err := s.List(t.Context(), piton.Query{Limit: 2, Before: before})
		if err != nil {
			t.Fatal(err)
		}
		got += names(page.Checkpoints) + "|"
		if before = page.Next; before == 0 {
			break
		}
	}
	if got != "x 4|3 2|1 0|" {
		t.Errorf("got the pages %q, want three of two", got)
	}
	for _, q := range []piton.Query{{Workflow: "none", Project: project}, {Session: "none"}} {
		if _, err := s.List(t.Context(), q); piton.CodeOf(err) != piton.NotFound {
			t.Errorf("%+v: got %v, want not found", q, err)
		}
	}
}
