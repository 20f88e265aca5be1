package app

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// leave stores sessions of the caller's project as their work left it.
func leave(t *testing.T, a *App, sessions ...agent.Session) {
	t.Helper()
	p, err := a.Project(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	st, err := a.Local(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(tx store.LocalTx) error {
		for _, s := range sessions {
			s.Agent, s.ClientID, s.Project = "claude", s.ID, p.ID
			if err := tx.PutSession(t.Context(), redact.Value(s)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func idle(file string) agent.Need {
	return agent.Need{Kind: "idle", Files: []string{file}, Text: "`" + file + "` changed, and no test of it has run since"}
}

func TestNeedsThatWereTakenOver(t *testing.T) {
	left := agent.Session{Identity: agent.Identity{ID: "ses_0000000000000001", WorkflowID: "wf_1"}, Takeover: agent.Takeover{TakenBy: "ses_0000000000000002", Open: []agent.Need{idle("a.go")}}}
	heir := agent.Session{Identity: agent.Identity{ID: "ses_0000000000000002", WorkflowID: "wf_2"}}
	elsewhere := agent.Session{Identity: agent.Identity{ID: "ses_0000000000000003", WorkflowID: "wf_1"}, Takeover: agent.Takeover{Open: []agent.Need{idle("b.go")}}}
	for _, c := range []struct {
		name string
		took *agent.Took
		want []string
	}{
		{"before the heir's first stop they are the first session's", &agent.Took{}, []string{"a.go", "b.go"}},
		{"then they are the heir's, which has proven them", &agent.Took{Asked: true}, []string{"b.go"}},
		{"and so where the work that was taken over is finished", nil, []string{"b.go"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			heir.Took = c.took
			var got []string
			for _, n := range needsOf([]agent.Session{left, heir, elsewhere}) {
				got = append(got, n.Files...)
			}
			if len(got) != len(c.want) || got[0] != c.want[0] {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := needsOf([]agent.Session{left}); len(got) != 1 {
		t.Errorf("its heir is gone: got %v, want what it left", got)
	}
}

// TestCompleteWithNeeds: an agent does not finish work by its word that has left
// something open. A person does, and that closes it.
func TestCompleteWithNeeds(t *testing.T) {
	a := newCaller(t, caller.Options{Home: t.TempDir()})
	saved, err := a.Save(t.Context(), piton.SaveRequest{Workflow: "w", State: []byte(`{"a":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	leave(t, a, agent.Session{Identity: agent.Identity{ID: "ses_0000000000000001", WorkflowID: saved.WorkflowID}, Takeover: agent.Takeover{Open: []agent.Need{idle("a.go")}}},
		agent.Session{Identity: agent.Identity{ID: "ses_0000000000000002", WorkflowID: "wf_another"}, Takeover: agent.Takeover{Open: []agent.Need{idle("b.go")}}})

	a.Options.Remote = true
	if _, err := a.Complete(t.Context(), piton.CompleteRequest{Scope: piton.Scope{Workflow: "w"}}); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("over a connection: got %v, want it refused", err)
	}
	if _, err := a.IgnoreNeeds(t.Context(), IgnoreRequest{Why: "I looked"}); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("ignored over a connection: got %v, want it refused", err)
	}
	a.Options.Remote = false
	above := a.Options.Ancestors
	a.Options.Ancestors = func() []proc.Ancestor {
		return []proc.Ancestor{{Name: "node", Argv: []string{"node", "/usr/bin/gemini"}}}
	}
	if _, err := a.Complete(t.Context(), piton.CompleteRequest{Scope: piton.Scope{Workflow: "w"}}); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("by an agent: got %v, want it refused", err)
	}
	a.Options.Ancestors = above
	if list, err := a.needsHere(t.Context(), ""); err != nil || len(list) != 2 {
		t.Fatalf("got %v, %v; want both open", list, err)
	}
	if done, err := a.Complete(t.Context(), piton.CompleteRequest{Scope: piton.Scope{Workflow: "w"}}); err != nil || !done.Completed {
		t.Fatalf("by a person: got %+v, %v", done, err)
	}
	if list, err := a.needsHere(t.Context(), ""); err != nil || len(list) != 1 || list[0].Files[0] != "b.go" {
		t.Errorf("got %v, %v; want the other work's open still", list, err)
	}
}
