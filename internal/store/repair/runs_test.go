package repair_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/repair"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// runsIn is all that a store has of its runs.
func runsIn(t *testing.T, s *sqlstore.Store) string {
	t.Helper()
	list, err := s.Runs().Runs(t.Context(), piton.RunQuery{})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, r := range list {
		plan, err := s.Runs().RunPlan(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		answers, err := s.Runs().Answers(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("%+v %s %+v\n", r, plan, answers)
	}
	return text
}

// TestRunsAreCarriedOver repairs a store whose schema is damaged: its runs, with
// their fences, plans and answers, go on in the new one.
func TestRunsAreCarriedOver(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "piton.db")
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Save(ctx, func(tx store.Tx) error {
		for i := range 40 {
			w := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Type: piton.TypePlan, CreatedAt: piton.FromMillis(1)}
			if err := tx.PutWorkflow(ctx, redact.Value(w)); err != nil {
				return err
			}
			r := piton.Run{ID: piton.NewID(piton.RunPrefix), WorkflowID: w.ID, Branch: piton.MainBranch, CheckpointID: "chk_0000000000000001", Status: piton.RunRunning,
				Owner: piton.Owner{PID: i, Host: "lab"}, Fence: int64(i + 1), Wish: piton.WishPause, LeaseUntil: piton.FromMillis(9), CreatedAt: piton.FromMillis(int64(i)), Total: i}
			if err := tx.Runs.AddRun(ctx, redact.Value(r), redact.Unchecked(json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)))); err != nil {
				return err
			}
			for _, shown := range []string{"aa", "bb"} {
				if err := tx.Runs.AnswerRun(ctx, redact.Value(piton.Answer{RunID: r.ID, StepID: "s", Shown: shown, Words: "yes", At: piton.FromMillis(7)})); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := runsIn(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw[100+8] ^= 0x10 // where the schema's entries stand
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "new.db")
	if _, err := repair.Rebuild(ctx, path, to, nil); err != nil {
		t.Fatal(err)
	}
	fixed, err := sqlite.Open(ctx, to, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer fixed.Close()
	if got := runsIn(t, fixed); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
