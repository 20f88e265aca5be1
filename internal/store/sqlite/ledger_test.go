package sqlite_test

import (
	"context"
	"os"
	"testing"

	"github.com/piton-project/piton/internal/testkit/crashtest"
)

// TestLedgerFindsWhatIsLost works on a store, spoils it behind the ledger's
// back, and wants that to be found.
func TestLedgerFindsWhatIsLost(t *testing.T) {
	const last = `(SELECT MAX(ordinal) FROM checkpoints)`
	for _, x := range []struct{ name, query string }{
		{"nothing", ``},
		{"a checkpoint", `DELETE FROM checkpoints WHERE ordinal = ` + last},
		{"a state", `DELETE FROM manifests WHERE checkpoint = ` + last},
		{"another state", `UPDATE manifests SET data = (SELECT data FROM manifests m WHERE m.checkpoint <> manifests.checkpoint AND m.data <> manifests.data LIMIT 1) WHERE checkpoint = ` + last},
		{"a number", `UPDATE checkpoints SET seq = seq + 1, seal = NULL WHERE ordinal = ` + last},
		{"a head", `UPDATE workflows SET head_id = 'chk_0000000000000000'`},
		{"a branch's head", `UPDATE branches SET head_id = 'chk_0000000000000000'`},
		{"a last number", `UPDATE workflows SET seq = seq - 1`},
		{"a parent", `UPDATE checkpoints SET parent_id = 'chk_0000000000000000' WHERE ordinal = ` + last},
		{"a seal", `UPDATE checkpoints SET seal = zeroblob(16) WHERE ordinal = ` + last},
		{"a completion", `UPDATE checkpoints SET completed_at = 5, seal = NULL WHERE ordinal = (SELECT MAX(ordinal) FROM checkpoints WHERE completed_at = 0)`},
		{"an archive's name", `UPDATE checkpoints SET archive = 'f' WHERE ordinal = ` + last},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := fresh(t)
			var ledger crashtest.Ledger
			ctx, enough := context.WithCancel(t.Context())
			n := 0
			err := crashtest.Child(ctx, s, t.TempDir(), crashtest.All, 1, lineWriter(func(line string) {
				if !ledger.Read(line) {
					t.Errorf("got the line %q, want one that is understood", line)
				}
				if n++; n == 40 {
					enough()
				}
			}))
			if err != nil {
				t.Fatal(err)
			}
			s.DB.SetMaxOpenConns(1)
			if _, err := s.DB.ExecContext(t.Context(), `PRAGMA foreign_keys = 0`); err != nil {
				t.Fatal(err)
			}
			if _, err := s.DB.ExecContext(t.Context(), x.query); err != nil {
				t.Fatal(err)
			}
			err = crashtest.Verify(t.Context(), s, &ledger)
			if lost := x.query != ""; (err != nil) != lost {
				t.Errorf("got %v, want an error: %t", err, lost)
			}
		})
	}
}

// TestLedgerKnowsTheLines reads what children say.
func TestLedgerKnowsTheLines(t *testing.T) {
	for line, want := range map[string]bool{
		"save chk_a 00 1 wf_a 17": true, "import chk_b 00 2 wf_a 0": true, "begin delete - chk_a,chk_b": true, "delete - chk_a,chk_b": true, "over import - chk_b": true,
		"archive cold chk_b": true, "complete - chk_a": true, "begin prune chk_a,chk_b -": true, "prune - chk_a": true, "prune -": false, "": false, "save chk_a 00 1": false, "delete -": false, "begin": false, "else - chk_a": false, "save chk_a 00 x wf_a 17": false,
	} {
		var l crashtest.Ledger
		if got := l.Read(line); got != want {
			t.Errorf("%q: got %t, want %t", line, got, want)
		}
	}
}

// TestLedgerLooksIntoTheArchive prunes, and loses the archive.
func TestLedgerLooksIntoTheArchive(t *testing.T) {
	s, cold := fresh(t), t.TempDir()
	ledger := crashtest.Ledger{Cold: cold}
	ctx, enough := context.WithCancel(t.Context())
	err := crashtest.Child(ctx, s, cold, crashtest.Mode{crashtest.Save, crashtest.Save, crashtest.Prune}, 1, lineWriter(func(line string) {
		if !ledger.Read(line) {
			t.Errorf("got the line %q, want one that is understood", line)
		}
		if ledger.Archived > 0 && ledger.Prunings > 1 {
			enough()
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := crashtest.Verify(t.Context(), s, &ledger); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(cold); err != nil {
		t.Fatal(err)
	}
	if err := crashtest.Verify(t.Context(), s, &ledger); err == nil {
		t.Error("got no error, want the archive to be missed")
	}
}
