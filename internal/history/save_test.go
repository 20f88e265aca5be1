package history_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
)

func TestWorkflowOfASave(t *testing.T) {
	state := []byte(`{"done":1}`)
	for _, c := range []struct {
		name  string
		first history.Draft
		then  history.Draft
		same  bool
		kind  string // of the second
	}{
		{"none and no session: a new one", history.Draft{SaveRequest: piton.SaveRequest{State: state}}, history.Draft{SaveRequest: piton.SaveRequest{State: state}}, false, "custom"},
		{"by name", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: state}}, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: state}}, true, "custom"},
		{"another name", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: state}}, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "export", State: state}}, false, "custom"},
		{"the same name elsewhere", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: state}}, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: state, InProject: piton.InProject{Project: "prj_0000000000000002"}}}, false, "custom"},
		{"the session's current one", history.Draft{SaveRequest: piton.SaveRequest{Session: "s", State: state}}, history.Draft{SaveRequest: piton.SaveRequest{Session: "s", State: state}}, true, "custom"},
		{"another session's", history.Draft{SaveRequest: piton.SaveRequest{Session: "s", State: state}}, history.Draft{SaveRequest: piton.SaveRequest{Session: "t", State: state}}, false, "custom"},
		{"a phase among phases", history.Draft{SaveRequest: piton.SaveRequest{Session: "s", Phase: "A", PhaseNumber: 1, State: state}}, history.Draft{SaveRequest: piton.SaveRequest{Session: "s", Phase: "B", PhaseNumber: 2, State: state}}, true, "phases"},
		{"a phase does not go among others", history.Draft{SaveRequest: piton.SaveRequest{Session: "s", State: state}}, history.Draft{SaveRequest: piton.SaveRequest{Session: "s", Phase: "B", PhaseNumber: 2, State: state}}, false, "phases"},
		{"a type does not go into another's", history.Draft{SaveRequest: piton.SaveRequest{Session: "s", State: state}}, history.Draft{SaveRequest: piton.SaveRequest{Session: "s", Type: "recipe", State: state}}, false, "recipe"},
		{"the type it has", history.Draft{SaveRequest: piton.SaveRequest{Session: "s", Type: "recipe", State: state}}, history.Draft{SaveRequest: piton.SaveRequest{Session: "s", Type: "recipe", State: state}}, true, "recipe"},
		{"a state does not go among what hooks captured", history.Draft{SaveRequest: piton.SaveRequest{Session: "s", Type: "session", State: state}}, history.Draft{SaveRequest: piton.SaveRequest{Session: "s", State: state}}, false, "custom"},
		{"a save without a state does", history.Draft{SaveRequest: piton.SaveRequest{Session: "s", Type: "session", State: state}}, history.Draft{SaveRequest: piton.SaveRequest{Session: "s"}}, true, "session"},
	} {
		s := open(t)
		one, two := s.must(c.first), s.must(c.then)
		if got := one.WorkflowID == two.WorkflowID; got != c.same || two.WorkflowType != c.kind {
			t.Errorf("%s: got the same workflow %v, type %s; want %v, %s", c.name, got, two.WorkflowType, c.same, c.kind)
		}
		if c.same && (two.ParentID != one.ID || two.Seq != 2) {
			t.Errorf("%s: got number %d after %s, want 2 after %s", c.name, two.Seq, two.ParentID, one.ID)
		}
	}
}

func TestWorkflowByID(t *testing.T) {
	s := open(t)
	one := s.must(history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{}`)}})
	for _, ref := range []string{one.WorkflowID, one.WorkflowID[:9]} {
		if c := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: ref, State: []byte(`{}`)}}); c.WorkflowID != one.WorkflowID {
			t.Errorf("%s: got workflow %s, want %s", ref, c.WorkflowID, one.WorkflowID)
		}
	}
	s.refused("an id that is none's", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "wf_0000000000000000", State: []byte(`{}`)}}, piton.NotFound, "no")
	s.refused("another type", history.Draft{SaveRequest: piton.SaveRequest{Workflow: one.WorkflowID, Type: "recipe", State: []byte(`{}`)}}, piton.Invalid, "type custom")
}

func TestSaveRefuses(t *testing.T) {
	s := open(t)
	one := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: []byte(`{"a":1}`)}})
	two := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: []byte(`{"a":2}`)}})
	other := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "export", State: []byte(`{"a":2}`)}})
	ok := []byte(`{}`)
	s.refused("no JSON", history.Draft{SaveRequest: piton.SaveRequest{Session: "new", Workflow: "new", State: []byte(`{a}`)}}, piton.Invalid, "")
	s.refused("an empty state", history.Draft{SaveRequest: piton.SaveRequest{Session: "new", State: []byte{}}}, piton.Invalid, "EOF")
	s.refused("a bad draft", history.Draft{SaveRequest: piton.SaveRequest{Session: "new", State: ok, Progress: ptr(101)}}, piton.Invalid, "101")
	s.refused("a phase of no workflow of phases", history.Draft{SaveRequest: piton.SaveRequest{Session: "new", Type: "phases", State: ok}}, piton.Invalid, "/phase")
	s.refused("the head has moved on", history.Draft{SaveRequest: piton.SaveRequest{Session: "new", Workflow: "import", Parent: one.ID, State: ok}}, piton.Conflict, "the head of branch main")
	s.refused("another workflow's head", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Parent: other.ID, State: ok}}, piton.Conflict, "")
	s.refused("a branch that is not there", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Branch: "try", Parent: two.ID, State: ok}}, piton.NotFound, "no branch try")
	side := s.fork(one, "side")
	s.refused("another branch's head", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Branch: "side", Parent: two.ID, State: ok}}, piton.Conflict, "")
	if c := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Branch: "side", State: ok}}); c.ParentID != side.ID || c.Branch != "side" {
		t.Errorf("got %s after %s, want it on the branch", c.Branch, c.ParentID)
	}
	s.refused("a parent nobody knows", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Parent: "chk_0000000000000000", State: ok}}, piton.NotFound, "")
	s.refused("a parent that is not an id", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Parent: "latest", State: ok}}, piton.Invalid, `"latest" is not an id`)
	s.refused("a session of ours that is not there", history.Draft{SaveRequest: piton.SaveRequest{Session: "ses_0000000000000000", State: ok}}, piton.NotFound, "")
	s.refused("a session's name on two lines", history.Draft{SaveRequest: piton.SaveRequest{Session: "a\nb", State: ok}}, piton.Invalid, "U+000A")
	s.refused("a session's name that is a secret", history.Draft{SaveRequest: piton.SaveRequest{Session: "ghp_0123456789abcdefghijklmnopqrstuvwxyz", State: ok}}, piton.Invalid, "[REDACTED:")
	s.refused("a name that is a secret", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "ghp_0123456789abcdefghijklmnopqrstuvwxyz", State: ok}}, piton.Invalid, "[REDACTED:")
	s.refused("a blank name", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "  ", State: ok}}, piton.Invalid, "blank")
	s.refused("a long name", history.Draft{SaveRequest: piton.SaveRequest{Workflow: strings.Repeat("x", 201), State: ok}}, piton.Invalid, "201")
	s.refused("a name on two lines", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "a\nb", State: ok}}, piton.Invalid, "U+000A")
	s.refused("a name like an id", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "wf_mine", State: ok}}, piton.Invalid, "wf_")
	if c := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Parent: two.ID[:12], State: ok}}); c.ParentID != two.ID {
		t.Errorf("got the parent %s, want %s by its beginning", c.ParentID, two.ID)
	}
}

func TestSessionOfASave(t *testing.T) {
	s := open(t)
	one := s.must(history.Draft{SaveRequest: piton.SaveRequest{Session: "build 42", State: []byte(`{}`)}})
	x, err := s.store.Session(t.Context(), "build 42")
	if err != nil || x.ID != one.SessionID || x.Agent != "" || x.Project != project || x.CurrentID != one.WorkflowID {
		t.Errorf("got the session %+v (%v), want one without agent whose current workflow is %s", x, err, one.WorkflowID)
	}
	two := s.must(history.Draft{SaveRequest: piton.SaveRequest{Session: x.ID[:10], Workflow: "import", State: []byte(`{}`)}})
	if x, err = s.store.Session(t.Context(), x.ID); err != nil || two.SessionID != x.ID || x.CurrentID != two.WorkflowID {
		t.Errorf("got the current workflow %s (%v), want the last saved to, %s", x.CurrentID, err, two.WorkflowID)
	}
	if w := s.workflow(one.WorkflowID); w.SessionID != x.ID {
		t.Errorf("got the workflow's session %q, want %q", w.SessionID, x.ID)
	}
	t.Run("without a project of its own it is the session's", func(t *testing.T) {
		c, err := s.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Session: "build 42", State: []byte(`{}`)}})
		if err != nil || c.Project != project {
			t.Errorf("got project %q (%v), want %q", c.Project, err, project)
		}
	})
	t.Run("sessions kept elsewhere", func(t *testing.T) {
		local := open(t)
		k := s.Keeper
		k.Local = local.store.Local()
		c, err := k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Session: "apart", State: []byte(`{}`)}})
		x, err2 := local.store.Session(t.Context(), "apart")
		if err != nil || err2 != nil || x.ID != c.SessionID || x.CurrentID != c.WorkflowID {
			t.Errorf("got the session %+v of %+v (%v, %v), want it noted beside", x, c, err, err2)
		}
	})
	t.Run("no sessions at all", func(t *testing.T) {
		k := s.Keeper
		k.Local = nil
		if c, err := k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Session: "x", State: []byte(`{}`)}}); err != nil || c.SessionID != "" {
			t.Errorf("got %q (%v), want none", c.SessionID, err)
		}
	})
}

func TestStateOfASave(t *testing.T) {
	ctx := context.Background()
	s := open(t)
	if got := s.state(s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import"}}).ID); got != "{}" {
		t.Errorf("a new workflow: got %s, want {}", got)
	}
	s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: []byte(` { "b" : 1e400, "a":"\u00e9" } `)}})
	if got := s.state(s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", Name: "again"}}).ID); got != `{"b":1e400,"a":"\u00e9"}` {
		t.Errorf("the head's again: got %s, want it as it was given", got)
	}
	if _, err := s.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", InProject: piton.InProject{Project: project}, Branch: "mian"}}); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("a branch that is not there: got %v, want %s", err, piton.NotFound)
	}
	t.Run("what a hook would capture", func(t *testing.T) {
		x := s.agent(agent.Session{Identity: agent.Identity{ClientID: "c1"}})
		s.Capture = func(_ context.Context, got agent.Session) ([]byte, error) {
			return []byte(`{"of":"` + got.ClientID + `","key":"ghp_0123456789abcdefghijklmnopqrstuvwxyz"}`), nil
		}
		c := s.must(history.Draft{SaveRequest: piton.SaveRequest{Session: x.ID}})
		if got := s.state(c.ID); got != `{"of":"c1","key":"[REDACTED:github-token]"}` || c.Redacted != 1 {
			t.Errorf("got %s with %d taken out, want the session's, and 1", got, c.Redacted)
		}
	})
	t.Run("a capture that fails", func(t *testing.T) {
		x := s.agent(agent.Session{Identity: agent.Identity{ClientID: "c2"}})
		s.Capture = func(context.Context, agent.Session) ([]byte, error) { return nil, errors.New("no git") }
		if got := s.state(s.must(history.Draft{SaveRequest: piton.SaveRequest{Session: x.ID}}).ID); got != "{}" {
			t.Errorf("got %s, want {}", got)
		}
	})
	t.Run("a head that is damaged is never replaced", func(t *testing.T) {
		c := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "broken", State: []byte(`{"a":1}`)}})
		s.damage(c)
		if _, err := s.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{InProject: piton.InProject{Project: project}, Workflow: "broken"}}); piton.CodeOf(err) != piton.Corrupt {
			t.Errorf("got %v, want corrupt", err)
		}
		if got := s.events(c.ID); got != "checkpoint_created checkpoint_damaged" {
			t.Errorf("got the events %q, want the damage noted", got)
		}
	})
}

func TestManyFirstSavesAtOnce(t *testing.T) {
	s := open(t)
	const n = 8
	results := make(chan history.Saved, n)
	for range n {
		go func() {
			c, err := s.Save(context.Background(), history.Draft{SaveRequest: piton.SaveRequest{InProject: piton.InProject{Project: project}, Workflow: "import", Session: "one", State: []byte(`{}`)}})
			if err != nil {
				t.Error(err)
			}
			results <- c
		}()
	}
	seqs, workflows, sessions := map[int64]bool{}, map[string]bool{}, map[string]bool{}
	for range n {
		c := <-results
		seqs[c.Seq], workflows[c.WorkflowID], sessions[c.SessionID] = true, true, true
	}
	if len(seqs) != n || len(workflows) != 1 || len(sessions) != 1 {
		t.Errorf("got %d numbers in %d workflows of %d sessions, want %d in one of one", len(seqs), len(workflows), len(sessions), n)
	}
}

// Depth 10,000 is where both JSON readers end: what one takes the other must.
func TestDeepestState(t *testing.T) {
	s := open(t)
	for _, depth := range []int{9_998, 9_999, 10_000, 10_001} {
		in := strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
		c, err := s.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{State: []byte(in)}})
		if err != nil {
			if depth < 9_999 || piton.CodeOf(err) != piton.Invalid {
				t.Errorf("depth %d: got %v, want it kept, or refused as invalid", depth, err)
			}
			continue
		}
		if got := s.state(c.ID); got != in {
			t.Errorf("depth %d: got another state back", depth)
		}
	}
}
