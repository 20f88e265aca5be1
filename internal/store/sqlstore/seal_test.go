package sqlstore_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// badRecords are ways to spoil a record, in SQL that any value of the column
// fits; kinds are those that only SQLite lets in.
var (
	badRecords = []struct{ name, set string }{
		{"session", `session_id = 'ses_x'`}, {"project", `project = 'prj_x'`}, {"branch", `branch_name = 'nain'`}, {"number", `seq = seq + 1`}, {"trigger", `trigger_name = 'manuel'`},
		{"time", `created_at = created_at + 1`}, {"no time", `created_at = 0`}, {"endless time", `created_at = 9223372036854775807`}, {"phase", `phase_number = 3`}, {"phases", `phase_total = 3`},
		{"size", `state_bytes = state_bytes + 1`}, {"negative size", `state_bytes = -1`}, {"sum", `sum = archived.sum`}, {"tags", `tags = '?a?'`}, {"text in the rest", `rest = REPLACE(rest, 'fold', 'gold')`},
		{"half a rest", `rest = '{"step_name":'`}, {"a rest of another kind", `rest = '[]'`}, {"no rest", `rest = ''`}, {"a number that is a text", `rest = '{"step_number":"x"}'`}, {"seal", `seal = archived.sum`},
		{"seal emptied", `seal = archived.none`},
	}
	badKinds = []struct{ name, set string }{
		{"number a text", `seq = 'x'`}, {"time a fraction", `created_at = 1.5`}, {"phase bytes", `phase_number = x'00'`}, {"trigger bytes", `trigger_name = CAST(trigger_name AS BLOB)`}, {"sum a text", `sum = 'x'`},
		{"tags a number", `tags = 7`}, {"rest bytes", `rest = CAST(rest AS BLOB)`}, {"rest no UTF-8", `rest = CAST(x'7b22ff227d' AS TEXT)`}, {"parent a number", `parent_id = CAST(7 AS BLOB)`},
		{"mark bytes", `damaged = x'01'`}, {"completion a text", `completed_at = 'x'`}, {"seal a text", `seal = 'x'`}, {"workflow bytes", `workflow_id = CAST('x' AS BLOB)`}, {"archive bytes", `archive = x'00'`},
	}
)

// three adds three checkpoints to a workflow with every field set; the middle
// one is there to be spoiled.
func three(t *testing.T, s *sqlstore.Store) (w string, all [3]piton.Checkpoint) {
	t.Helper()
	w = workflow(t, s)
	for i, state := range []string{`{"a":1}`, `{"b":1}`, `{"c":1}`} {
		p := prepared(w, state)
		step := i
		p.Record.StepNumber, p.Record.StepName, p.Record.Tags = &step, "fold", []string{"x", "y"}
		update(t, s, func(tx store.LocalTx) (err error) {
			all[i], err = tx.Append(t.Context(), redact.Value(p))
			return err
		})
	}
	return w, all
}

func TestDamagedRecordIsListedWithAMarkAndNotLoaded(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		bad := badRecords
		if s.D.Lock == "" {
			bad = append(bad, badKinds...)
		}
		for _, d := range bad {
			t.Run(d.name, func(t *testing.T) {
				w, all := three(t, s)
				set := strings.NewReplacer("archived.sum", `(SELECT x.sum FROM checkpoints x WHERE x.ordinal <> 0 ORDER BY x.ordinal LIMIT 1)`,
					"archived.none", `(SELECT SUBSTR(x.sum, 1, 0) FROM checkpoints x ORDER BY x.ordinal LIMIT 1)`).Replace(d.set)
				if strings.HasPrefix(d.set, "workflow_id") {
					run(t, s, `PRAGMA foreign_keys = 0`)
				}
				run(t, s, `UPDATE checkpoints SET `+set+` WHERE ordinal = $1`, all[1].Ordinal)
				page, err := s.List(t.Context(), piton.Query{Limit: 3})
				if err != nil || len(page.Checkpoints) != 3 {
					t.Fatalf("list: got %d, %v, want 3 checkpoints", len(page.Checkpoints), err)
				}
				for i, c := range page.Checkpoints {
					want := all[2-i]
					if marked := c.BadRecord && strings.Contains(c.Damaged, "its record is damaged"); marked != (i == 1) || c.ID != want.ID || c.Ordinal != want.Ordinal {
						t.Errorf("list: got %s with the mark %q, want %s, and only the middle one marked", c.ID, c.Damaged, want.ID)
					}
				}
				wantPages(t, s, all)
				wantRefused(t, s, w, all)
			})
		}
	})
}

// wantPages reads one checkpoint at a time and comes past the damaged one.
func wantPages(t *testing.T, s *sqlstore.Store, all [3]piton.Checkpoint) {
	t.Helper()
	before := all[2].Ordinal + 1
	for i := 2; i >= 0; i-- {
		page, err := s.List(t.Context(), piton.Query{Limit: 1, Before: before})
		if err != nil || len(page.Checkpoints) != 1 || page.Checkpoints[0].ID != all[i].ID {
			t.Fatalf("page %d: got %+v, %v, want %s", 3-i, page, err, all[i].ID)
		}
		if before = page.Next; before == 0 {
			break
		}
	}
}

// wantRefused loads the damaged one, with and without an ancestor in its
// place.
func wantRefused(t *testing.T, s *sqlstore.Store, w string, all [3]piton.Checkpoint) {
	t.Helper()
	k := history.Keeper{Store: s}
	x, err := k.Load(t.Context(), history.Selector{ID: all[1].ID}, false)
	if piton.CodeOf(err) != piton.Corrupt || x.State != nil {
		t.Errorf("load: got %q, %v, want corrupt", x.State, err)
	}
	c, err := s.Checkpoint(t.Context(), all[1].ID)
	if err != nil || !c.BadRecord {
		t.Errorf("record: got %+v, %v, want it marked", c, err)
	}
	if c.Branch == all[1].Branch && c.WorkflowID == w || c.ParentID == all[0].ID {
		x, err = k.Load(t.Context(), history.Selector{ID: all[1].ID}, true)
		if err != nil || x.Checkpoint.ID != all[0].ID || string(x.State) != `{"a":1}` || x.RecoveredFrom != all[1].ID {
			t.Errorf("nearest: got %s %q, %v, want %s", x.Checkpoint.ID, x.State, err, all[0].ID)
		}
	}
	x, err = k.Load(t.Context(), history.Selector{Workflow: w}, false)
	if err != nil || string(x.State) != `{"c":1}` {
		t.Errorf("the one behind it: got %q, %v, want it whole", x.State, err)
	}
	events := number(t, s, `SELECT COUNT(*) FROM events WHERE kind = 'checkpoint_damaged' AND checkpoint_id = $1`, all[1].ID)
	mark := text(t, s, `SELECT COALESCE(CAST(damaged AS TEXT), '') FROM checkpoints WHERE ordinal = $1`, all[1].Ordinal)
	if events > 1 || mark == "" {
		t.Errorf("got %d events and the mark %q, want it set aside once", events, mark)
	}
}

// TestOldRecordsHaveNoSeal takes the seal away, as before there was one.
func TestOldRecordsHaveNoSeal(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		_, all := three(t, s)
		run(t, s, `UPDATE checkpoints SET seal = NULL`)
		for _, want := range all {
			if c, err := s.Checkpoint(t.Context(), want.ID); err != nil || c.Damaged != "" {
				t.Errorf("got the mark %q, %v, want none", c.Damaged, err)
			}
		}
		run(t, s, `UPDATE checkpoints SET rest = '{' WHERE ordinal = $1`, all[1].Ordinal)
		if c, err := s.Checkpoint(t.Context(), all[1].ID); err != nil || !c.BadRecord {
			t.Errorf("half a rest: got the mark %q, %v, want it marked", c.Damaged, err)
		}
	})
}

// TestWhatMayChangeIsNotSealed does all that may be done to a saved record.
func TestWhatMayChangeIsNotSealed(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		_, all := three(t, s)
		remove(t, s, all[1].ID)
		update(t, s, func(tx store.LocalTx) error { return tx.Complete(t.Context(), all[2].ID, piton.At(when)) })
		if err := s.MarkDamaged(t.Context(), all[2].ID, redact.Value("why not")); err != nil {
			t.Fatal(err)
		}
		run(t, s, `UPDATE checkpoints SET archive = 'f', stored_bytes = 0 WHERE ordinal = $1`, all[2].Ordinal)
		c, err := s.Checkpoint(t.Context(), all[2].ID)
		if err != nil || c.BadRecord || c.Damaged != "why not" || c.ParentID != all[0].ID || !c.Completed || c.Archive != "f" {
			t.Errorf("got %+v, %v, want only what was changed, and no bad record", c, err)
		}
	})
}

// TestLostWorkflowLosesNoCheckpoint takes the workflow's row away, or spoils
// it.
func TestLostWorkflowLosesNoCheckpoint(t *testing.T) {
	for _, query := range []string{`DELETE FROM workflows`, `UPDATE workflows SET name = x'00', type = 7`} {
		s := sqliteStore(t)
		_, all := three(t, s)
		s.DB.SetMaxOpenConns(1)
		run(t, s, `PRAGMA foreign_keys = 0`)
		run(t, s, query)
		page, err := s.List(t.Context(), piton.Query{})
		if err != nil || len(page.Checkpoints) != 3 {
			t.Fatalf("%s: got %d, %v, want 3 checkpoints", query, len(page.Checkpoints), err)
		}
		wantState(t, s, all[1].ID, `{"b":1}`)
	}
}
