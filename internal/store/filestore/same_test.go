package filestore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// TestWrittenIsRead does chance transactions and wants a store that is opened
// anew to see what the one that wrote sees, damage and archives included.
func TestWrittenIsRead(t *testing.T) {
	for seed := range uint64(4) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		s := reopened(t, dir)
		flow(t, s, oldFlow, "old")
		flow(t, s, newFlow, "new")
		theirs(t, dir, "ckpt-theirs.json", "x", "s1", "Build", "3", "2026-02-01T12:00:00Z", "false")
		var ids []string
		for n := range 40 {
			what := ""
			err := s.Save(t.Context(), func(tx store.Tx) error {
				page, err := tx.List(t.Context(), piton.Query{})
				if err != nil {
					return err
				}
				ids = nil
				for _, c := range page.Checkpoints {
					ids = append(ids, c.ID)
				}
				for range 1 + rnd.IntN(3) {
					id := ""
					if len(ids) > 0 {
						id = ids[rnd.IntN(len(ids))]
					}
					done, err := chance(t.Context(), rnd, tx, id, n)
					if what += done + " "; err != nil && piton.CodeOf(err) != piton.NotFound && piton.CodeOf(err) != piton.Conflict {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatalf("seed %d, %d: %s: %v", seed, n, what, err)
			}
			if rnd.IntN(8) == 0 && len(ids) > 0 {
				id := ids[rnd.IntN(len(ids))]
				what += "set aside " + id
				if err := s.MarkDamaged(t.Context(), id, redact.Value("chance")); err != nil && piton.CodeOf(err) != piton.NotFound {
					t.Fatal(err)
				}
			}
			for who, reader := range map[string]*Store{"who reads anew": anew(t, dir), "who has a cache": reopened(t, dir)} {
				if diff := differ(seen(t, reader), seen(t, s)); diff != "" {
					t.Fatalf("seed %d, %d: after %s: the writer sees +, %s -\n%s", seed, n, what, who, diff)
				}
			}
		}
		if faults, err := s.Check(t.Context()); err != nil || len(faults) > 0 {
			t.Fatalf("seed %d: got the faults %q, %v, want none", seed, faults, err)
		}
	}
}

// chance does one thing in a transaction and says what.
func chance(ctx context.Context, rnd *rand.Rand, tx store.Tx, id string, n int) (string, error) {
	p := prepared(piton.NewID(piton.CheckpointPrefix), []string{oldFlow, newFlow}[rnd.IntN(2)], fmt.Sprintf(`{"n":%d}`, n))
	kind := rnd.IntN(7)
	if id == "" {
		kind = 6
	}
	switch kind {
	case 0:
		return "complete", tx.Complete(ctx, id, piton.At(when))
	case 1, 2:
		_, err := tx.Delete(ctx, []string{id})
		return "delete", err
	case 3:
		_, err := tx.Archive(ctx, []string{id}, "a")
		return "archive", err
	case 4:
		p.Fork, p.Record.ParentID, p.Record.Branch = true, id, fmt.Sprint("b", rnd.IntN(3))
	case 5:
		return "put", tx.PutWorkflow(ctx, redact.Value(piton.Workflow{ID: p.Record.WorkflowID, Closed: rnd.IntN(2) == 0}))
	}
	_, err := tx.Append(ctx, redact.Value(p))
	return "append " + p.Record.Branch, err
}
