package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
)

// saved makes a checkpoint in the caller's folder.
func saved(t *testing.T, a *App, d piton.SaveRequest) history.Saved {
	t.Helper()
	s, err := a.Save(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestChoice names one checkpoint in every way that a door may.
func TestChoice(t *testing.T) {
	a := newCaller(t, caller.Options{})
	first := saved(t, a, piton.SaveRequest{Workflow: "w", Name: "start", State: []byte(`{"n":1}`)})
	second := saved(t, a, piton.SaveRequest{Workflow: "w", State: []byte(`{"n":2}`)})
	for name, x := range map[string]struct {
		choice piton.Choice
		want   string
	}{
		"an id":         {piton.Choice{Ref: first.ID}, `{"n":1}`},
		"its beginning": {piton.Choice{Ref: second.ID[:len(second.ID)-1]}, `{"n":2}`},
		"a name":        {piton.Choice{Ref: "start"}, `{"n":1}`},
		"a workflow":    {piton.Choice{Workflow: "w"}, `{"n":2}`},
	} {
		if l, err := a.Load(t.Context(), piton.LoadRequest{Choice: x.choice}); err != nil || string(l.State) != x.want {
			t.Errorf("%s: got %s, %v, want %s", name, l.State, err, x.want)
		}
	}
	for name, c := range map[string]piton.Choice{
		"no such name":     {Ref: "other"},
		"no such workflow": {Workflow: "other"},
		"another folder":   {Workflow: "w", InProject: piton.InProject{Project: t.TempDir()}},
	} {
		if _, err := a.Load(t.Context(), piton.LoadRequest{Choice: c}); piton.CodeOf(err) != piton.NotFound {
			t.Errorf("%s: got %v, want not found", name, err)
		}
	}
	if _, err := a.Load(t.Context(), piton.LoadRequest{Choice: piton.Choice{Ref: first.ID, InProject: piton.InProject{Project: "no such folder"}}}); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("a folder that is missing: got %v, want invalid", err)
	}
}

// TestListWords: the texts of a filter are read, and what cannot be read is
// refused before a store is opened.
func TestListWords(t *testing.T) {
	a := newCaller(t, caller.Options{})
	for name, f := range map[string]piton.ListRequest{
		"since":  {Since: "some day"},
		"cursor": {Cursor: "-1"},
	} {
		if _, err := a.List(t.Context(), f); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
	if l, err := a.List(t.Context(), piton.ListRequest{}); err != nil || l.Checkpoints == nil || len(l.Checkpoints) > 0 {
		t.Errorf("without a store: got %v, %v, want an empty list", l.Checkpoints, err)
	}
	for range 3 {
		saved(t, a, piton.SaveRequest{Workflow: "w", State: []byte(`{}`)})
	}
	seen := map[string]bool{}
	f := piton.ListRequest{Limit: 2, Since: "1h"}
	for range 2 {
		l, err := a.List(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range l.Checkpoints {
			seen[c.ID] = true
		}
		f.Cursor = l.Next
	}
	if len(seen) != 3 || f.Cursor != "" {
		t.Errorf("got %d checkpoints on two pages and the cursor %q, want 3 and none", len(seen), f.Cursor)
	}
}

// TestEpisodeAndSession: what a draft leaves out is the caller's.
func TestEpisodeAndSession(t *testing.T) {
	home := t.TempDir()
	a := newCaller(t, caller.Options{Getenv: func(name string) string { return map[string]string{"HOME": home, "PITON_EPISODE": "7"}[name] }})
	if s := saved(t, a, piton.SaveRequest{State: []byte(`{}`)}); strings.Join(s.Tags, " ") != "episode:7" {
		t.Errorf("got the tags %q, want episode:7", s.Tags)
	}
	if s, err := a.Save(t.Context(), piton.SaveRequest{State: []byte(`{}`), Episode: "8"}); err != nil || strings.Join(s.Tags, " ") != "episode:8" {
		t.Errorf("got the tags %q, %v, want episode:8", s.Tags, err)
	}
	if a.captures(t.Context(), "") {
		t.Error("a save outside of a session captures one")
	}
}

// TestExportImport carries work to another home by a file in the caller's folder,
// twice; the file is written once.
func TestExportImport(t *testing.T) {
	a := newCaller(t, caller.Options{})
	saved(t, a, piton.SaveRequest{Workflow: "w", State: []byte(`{"n":1}`)})
	request := ExportRequest{ExportRequest: piton.ExportRequest{All: true}, File: "x.jsonl.zst"}
	out, err := a.Export(t.Context(), request)
	if err != nil || out.Checkpoints != 1 || out.Damaged {
		t.Fatalf("got %+v, %v, want one checkpoint", out, err)
	}
	if _, err := a.Export(t.Context(), request); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("again: got %v, want conflict", err)
	}
	if left, _ := filepath.Glob(filepath.Join(a.Options.Dir, ".piton-export-*")); len(left) > 0 {
		t.Errorf("got %q left behind, want nothing", left)
	}
	b := newCaller(t, caller.Options{})
	for n := range 2 {
		got, err := b.Import(t.Context(), ImportRequest{Files: []string{filepath.Join(a.Options.Dir, "x.jsonl.zst")}})
		if err != nil || got.Added != 1-n || got.Known != n || len(got.LeftOut) > 0 {
			t.Errorf("import %d: got %+v, %v", n, got, err)
		}
		if (got.Retention == nil) != (n == 1) {
			t.Errorf("import %d: got the outlook %v, want one for what was added only", n, got.Retention)
		}
	}
	if err := os.WriteFile(filepath.Join(b.Options.Dir, "none.jsonl"), []byte("1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Import(t.Context(), ImportRequest{Files: []string{"none.jsonl"}}); piton.CodeOf(err) != piton.Invalid || !strings.Contains(caller.AsError(err).Hint, "1 more") {
		t.Errorf("nothing that can be read: got %v, want invalid and how many more", err)
	}
}

// TestOneOffStore: nothing that hooks have saved goes to a store that the caller
// has named for itself.
func TestOneOffStore(t *testing.T) {
	a := newCaller(t, caller.Options{Store: "file:shared"})
	if _, err := a.Flush(t.Context(), FlushRequest{}); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("flush: got %v, want invalid", err)
	}
	if k, err := a.Keeper(t.Context(), false); err != nil || !k.OneOff {
		t.Errorf("got OneOff %v, %v, want it", k.OneOff, err)
	}
	home := t.TempDir()
	folder := filepath.Join(home, "shared")
	b := newCaller(t, caller.Options{Store: "file:" + folder, Getenv: func(name string) string {
		return map[string]string{"HOME": home, "PITON_STORE": "file:" + folder}[name]
	}})
	if k, err := b.Keeper(t.Context(), false); err != nil || k.OneOff {
		t.Errorf("the configured store: got OneOff %v, %v, want it not", k.OneOff, err)
	}
}

// TestTrustIsForPersons: an agent is refused, whatever the file says.
func TestTrustIsForPersons(t *testing.T) {
	a := newCaller(t, caller.Options{Getenv: func(name string) string { return map[string]string{"CLAUDECODE": "1"}[name] }})
	if err := os.WriteFile(filepath.Join(a.Options.Dir, ".piton.yaml"), []byte("debrief:\n  mode: off\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.AskTrust(t.Context()); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("ask: got %v, want invalid", err)
	}
	if _, err := a.Revoke(t.Context()); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("revoke: got %v, want invalid", err)
	}
	if x, err := a.TrustStatus(); err != nil || x.Trusted || len(x.LeftOut) == 0 {
		t.Errorf("status: got %+v, %v, want it not trusted and a key left out", x, err)
	}
}

// TestSaveOfAServerIsNotTheEnvironments: where a call belongs to no session, its save
// does not go to the one that the environment names.
func TestSaveOfAServerIsNotTheEnvironments(t *testing.T) {
	one := agent.Session{Identity: agent.Identity{
		ID: "ses_0000000000000001", StartedAt: piton.At(time.Now()), SeenAt: piton.At(time.Now()),
		Process: agent.Process{Space: "hidden from here, so that only the silence counts"},
	}}
	ended := one
	ended.EndedAt = one.SeenAt
	for _, c := range []struct {
		name    string
		session agent.Session
		from    caller.Sender
	}{
		{"that session has ended", ended, caller.Sender{}},
		{"another client calls, inside of that session", one, caller.Sender{Client: "gemini-cli-mcp-client"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newCaller(t, caller.Options{Home: t.TempDir(), Getenv: func(k string) string { return map[string]string{"CLAUDE_CODE_SESSION_ID": one.ID}[k] }})
			leave(t, a, c.session)
			id, err := a.SessionOf(t.Context(), c.from)
			if id != "" || err != nil {
				t.Fatalf("got %q, %v, want no session", id, err)
			}
			saved, err := a.Save(t.Context(), piton.SaveRequest{State: []byte(`{"n":1}`)})
			if err != nil || saved.SessionID != "" {
				t.Errorf("got a checkpoint of the session %q, %v, want none", saved.SessionID, err)
			}
		})
	}
}
