package sqlite_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// No byte of the files holds a secret that was handed to the store, and what is
// named by one is found again.
func TestNoSecretReachesTheFiles(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	s, err := sqlite.Open(ctx, filepath.Join(dir, "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	text := "with " + secret
	local := s.Local()
	alias := []piton.Alias{{Kind: piton.AliasPath, Value: "/home/ann/" + secret}}
	p, err := local.Project(ctx, redact.Name(text), redact.Value(alias))
	if err != nil {
		t.Fatal(err)
	}
	w := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Name: text, Type: text, Project: p.ID}
	err = s.Update(ctx, func(tx store.LocalTx) error {
		session := agent.Session{Identity: agent.Identity{ID: piton.NewID(piton.SessionPrefix), Agent: "claude", ClientID: secret, Root: text}, Remembers: agent.Remembers{LastMessage: text, Outputs: map[string]string{text: text}}}
		c := piton.Checkpoint{ID: piton.NewID(piton.CheckpointPrefix), InWorkflow: piton.InWorkflow{WorkflowID: w.ID, Branch: "main"}, Described: piton.Described{Name: text, Tags: []string{text}, Description: text},
			Trigger: piton.TriggerManual, CreatedAt: piton.FromMillis(2), OfState: piton.OfState{SHA256: "00", SchemaVersion: 1}, Origin: piton.Origin{Host: text, GitBranch: text}}
		state := redact.Value(json.RawMessage(`{"a":"` + text + `"}`))
		for _, err := range []error{
			tx.PutSession(ctx, redact.Value(session)),
			tx.PutTurn(ctx, redact.Value(agent.Turn{SessionID: session.ID, N: 1, Baseline: []byte(`{"Branch":"` + text + `"}`)})),
			tx.Decide(ctx, redact.Value(agent.Decision{Session: session.ID, Message: text, Actions: []string{text}, Files: []agent.FileChange{{Path: text}}, Notes: []string{text}})),
			tx.PutVerified(ctx, "key", redact.Value(agent.Verified{Command: text, Output: text})),
			tx.Post(ctx, redact.Value(agent.Letter{ID: piton.NewID(piton.LetterPrefix), SessionID: session.ID, Kind: agent.LetterHold, Body: `{"text":"` + text + `"}`, Outcome: text})),
			tx.PutWorkflow(ctx, redact.Value(w)),
			tx.Log(ctx, redact.Value(store.LogEvent{Kind: store.EventKind(text), Data: map[string]any{"a": []any{text}}})),
			tx.SetMirror(ctx, "far", p.ID, redact.Value([]piton.Checkpoint{c})),
		} {
			if err != nil {
				return err
			}
		}
		_, err := tx.Append(ctx, redact.Value(store.Prepared{Record: c, State: state}))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got the files %v, %v", files, err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.Index(raw, []byte(secret)); i >= 0 {
			t.Errorf("%s: got %q", filepath.Base(name), raw[max(0, i-60):i])
		}
	}
	if got, err := local.SessionByClient(ctx, "claude", redact.Name(secret).Get()); err != nil || got.ClientID != "[REDACTED:github-token]" {
		t.Errorf("the session by its name: got %q, %v", got.ClientID, err)
	}
	if got, err := local.KnownProject(ctx, redact.Value(alias).Get()); err != nil || got.ID != p.ID {
		t.Errorf("the project by its path: got %q, %v", got.ID, err)
	}
}
