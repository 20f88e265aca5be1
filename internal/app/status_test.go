package app

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func TestNextCommands(t *testing.T) {
	none := []ClientStatus{{Agent: "claude"}}
	hooks := []ClientStatus{{Agent: "claude"}, {Agent: "codex", Hooks: true}}
	open := []piton.Checkpoint{{ID: "chk_1"}}
	waits := []Session{{WaitsFor: agent.WaitPermission}}
	held := &agent.Decision{Held: true}
	for _, c := range []struct {
		name string
		x    Status
		want []string
	}{
		{"no client is here, and nothing was saved", Status{}, []string{"piton demo", "piton help"}},
		{"no client is here", Status{Saved: true}, []string{"piton demo", "piton list"}},
		{"nothing is set up", Status{Clients: none, Saved: true}, []string{"piton init", "piton demo", "piton list"}},
		{"nothing is set up, and there is work", Status{Clients: none, Open: open, Saved: true}, []string{"piton init", "piton demo", "piton resume"}},
		{"all is quiet, and nothing was saved", Status{Clients: hooks}, []string{"piton doctor", "piton help"}},
		{"all is quiet", Status{Clients: hooks, Saved: true}, []string{"piton list", "piton doctor"}},
		{"a stop was let go", Status{Clients: hooks, Saved: true, LastDecision: &agent.Decision{}}, []string{"piton list", "piton doctor"}},
		{"a stop was held", Status{Clients: hooks, Saved: true, LastDecision: held}, []string{"piton explain", "piton list", "piton doctor"}},
		{"an agent is at work", Status{Clients: hooks, Saved: true, Sessions: []Session{{}}}, []string{"piton list", "piton doctor"}},
		{"an agent waits, and there is work", Status{Clients: hooks, Saved: true, Sessions: waits, Open: open, LastDecision: held}, []string{"piton sessions", "piton resume", "piton explain"}},
	} {
		var got []string
		for _, n := range c.x.next() {
			got = append(got, n.Command)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestStatusOfAnEmptyHome: nothing is made, and no list is null.
func TestStatusOfAnEmptyHome(t *testing.T) {
	a := newCaller(t, caller.Options{})
	x, err := a.Status(t.Context())
	if err != nil || x.Sessions == nil || x.Open == nil || x.Clients == nil || x.LastDecision != nil {
		t.Errorf("got %+v, %v", x, err)
	}
	if _, err := os.Stat(filepath.Join(a.Options.Home, "piton.db")); !os.IsNotExist(err) {
		t.Errorf("the store: got %v, want none", err)
	}
}

// TestStatusOfAClientSeenLongAgo: what is said of a client does not depend on how many
// sessions of others came after its last.
func TestStatusOfAClientSeenLongAgo(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	a := newCaller(t, caller.Options{})
	st, err := a.Local(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(tx store.LocalTx) error {
		for i := range caller.MaxSessions + 1 {
			s := agent.Session{Identity: agent.Identity{ID: fmt.Sprintf("ses_%016d", i), Agent: "claude", ClientID: fmt.Sprint(i), SeenAt: piton.At(at.Add(time.Duration(i) * time.Minute))}}
			if i == 0 {
				s.Agent = "codex"
			}
			if err := tx.PutSession(t.Context(), redact.Value(s)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	programs := t.TempDir()
	for _, name := range []string{"codex", "claude"} {
		if err := os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	x, err := a.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]time.Time{}
	for _, c := range x.Clients {
		seen[c.Agent] = c.SeenAt.Time
	}
	if !seen["codex"].Equal(at) || !seen["claude"].Equal(at.Add(caller.MaxSessions*time.Minute)) {
		t.Errorf("got %v, want when each was seen last", seen)
	}
}

// TestStatusCountsOpenWork: three of it are shown, the newest first.
func TestStatusCountsOpenWork(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	a := newCaller(t, caller.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	k, err := a.Keeper(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Project(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, w := range []string{"a", "b", "c", "d", "e"} {
		saved, err := k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: w, InProject: piton.InProject{Project: p.ID}, State: []byte(`{"n":1}`)}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append([]string{saved.Checkpoint.ID}, ids...)
	}
	x, err := a.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range x.Open {
		got = append(got, c.ID)
	}
	if diff := cmp.Diff(ids[:maxStatusOpen], got); diff != "" || x.OpenMore != 2 {
		t.Errorf("%d more (-want +got):\n%s", x.OpenMore, diff)
	}
}

// TestOpenWorkNamesProjects: who hears of unfinished work in all projects hears whose it is.
func TestOpenWorkNamesProjects(t *testing.T) {
	a := newCaller(t, caller.Options{})
	k, err := a.Keeper(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Project(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: "a", InProject: piton.InProject{Project: p.ID}, State: []byte(`{"n":1}`)}}); err != nil {
		t.Fatal(err)
	}
	n, names, err := a.OpenWork(t.Context())
	if diff := cmp.Diff([]string{p.Name}, names); diff != "" || n != 1 || err != nil {
		t.Errorf("%d, %v (-want +got):\n%s", n, err, diff)
	}
}
