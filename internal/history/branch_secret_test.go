package history_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// TestNamesLoseKnownTokens: names of branches and of clients' sessions lose what
// is a secret by itself, when they are kept and by a purge; they are still found.
func TestNamesLoseKnownTokens(t *testing.T) {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	k := history.Keeper{Store: st, Local: st.Local()}
	token := "ghp_" + strings.Repeat("aB3d", 9)
	branch := "feature/" + token
	first, err := k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{"a":1}`)}})
	if err != nil {
		t.Fatal(err)
	}
	// As an older program kept it.
	p, _, err := k.Prepare(history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"a":2}`)}})
	if err != nil {
		t.Fatal(err)
	}
	p.Record.WorkflowID, p.Record.Branch, p.Record.ParentID, p.Fork = first.WorkflowID, branch, first.ID, true
	s := agent.Session{Identity: agent.Identity{ID: piton.NewID(piton.SessionPrefix), Agent: "claude", ClientID: token}}
	if err := st.Update(ctx, func(tx store.LocalTx) error {
		if err := tx.PutSession(ctx, redact.Unchecked(s)); err != nil {
			return err
		}
		if _, err := tx.Append(ctx, redact.Unchecked(p)); err != nil {
			return err
		}
		run := piton.Run{ID: "run_0000000000000001", WorkflowID: first.WorkflowID, Branch: branch, Status: piton.RunFailed}
		return tx.Runs.AddRun(ctx, redact.Unchecked(run), redact.Unchecked(json.RawMessage(`{}`)))
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := k.Purge(ctx, true, nil); err != nil || got.Taken < 2 {
		t.Fatalf("dry: got %+v, %v, want the two names found", got, err)
	}
	if _, err := k.Purge(ctx, false, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := k.Purge(ctx, false, nil); err != nil || got.Taken != 0 {
		t.Errorf("again: got %+v, %v, want nothing more", got, err)
	}
	page, err := k.List(ctx, piton.Query{Branch: branch})
	if err != nil || len(page.Checkpoints) != 1 || page.Checkpoints[0].Branch != "feature/[REDACTED:github-token]" {
		t.Fatalf("got %+v, %v, want the branch found without its secret", page.Checkpoints, err)
	}
	if v, err := k.Verify(ctx, history.VerifyOptions{}); err != nil || len(v.Damaged)+len(v.Store) > 0 {
		t.Errorf("verify: got %+v, %v, want all intact", v, err)
	}
	if got, err := k.Load(ctx, history.Selector{Workflow: "w", Branch: branch}, false); err != nil || string(got.State) != `{"a":2}` {
		t.Errorf("load by the branch: got %s, %v", got.State, err)
	}
	if r, err := st.Runs().Run(ctx, "run_0"); err != nil || r.Branch != page.Checkpoints[0].Branch {
		t.Errorf("the run of the branch: got %q, %v, want the branch's name", r.Branch, err)
	}
	saved, err := k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", Branch: branch, State: []byte(`{"a":3}`)}})
	if err != nil || saved.Branch != "feature/[REDACTED:github-token]" {
		t.Errorf("save to the branch: got %q, %v", saved.Branch, err)
	}
	if got, err := st.SessionByClient(ctx, "claude", "[REDACTED:github-token]"); err != nil || got.ID != s.ID {
		t.Errorf("the session: got %+v, %v", got, err)
	}
	if saved, err = k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Session: token, State: []byte(`{"a":4}`)}}); err != nil || saved.SessionID != s.ID {
		t.Errorf("save to the session: got %q, %v, want %s", saved.SessionID, err, s.ID)
	}
}
