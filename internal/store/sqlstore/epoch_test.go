package sqlstore_test

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// epoch is how many appends of a branch share blobs (docs/spec.md,
// "Corruption").
const epoch = 64

func TestEqualStatesAreStoredOnceInAnEpoch(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w, state := workflow(t, s), noise(0, 20<<10)
		var cs []piton.Checkpoint
		for i := range 2*epoch + 1 {
			c := add(t, s, w, state)
			if first, big := i%epoch == 0, c.StoredBytes > 1000; first != big {
				t.Errorf("append %d: got %d bytes stored, want the whole state only at an epoch's begin", i+1, c.StoredBytes)
			}
			cs = append(cs, c)
		}
		blobs := number(t, s, `SELECT COUNT(*) FROM blobs`)
		if epochs := number(t, s, `SELECT COUNT(*) FROM epochs`); epochs != 3 || blobs%3 != 0 {
			t.Errorf("got %d epochs and %d blobs, want 3 epochs with the same blobs each", epochs, blobs)
		}

		// One bad blob costs at most the checkpoints of its epoch.
		run(t, s, `DELETE FROM blobs WHERE epoch = 1`)
		for i, c := range cs {
			_, err := s.State(t.Context(), c.ID)
			want := piton.Code("")
			if i/epoch == 1 {
				want = piton.Corrupt
			}
			if got := piton.CodeOf(err); got != want {
				t.Errorf("state %d: got %v, want %q", i+1, err, want)
			}
		}
	})
}

func TestBranchesAndWorkflowsShareNoBlobs(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		v, w, state := workflow(t, s), workflow(t, s), noise(0, 20<<10)
		a := add(t, s, v, state)
		b := add(t, s, w, state)
		var f piton.Checkpoint
		update(t, s, func(tx store.LocalTx) (err error) {
			p := prepared(v, state)
			p.Fork, p.Record.ParentID, p.Record.Branch = true, a.ID, "try"
			f, err = tx.Append(t.Context(), redact.Value(p))
			return err
		})
		for _, c := range []piton.Checkpoint{a, b, f} {
			if c.StoredBytes < 1000 {
				t.Errorf("%s: got %d bytes stored, want the whole state", c.ID, c.StoredBytes)
			}
		}
		run(t, s, `DELETE FROM blobs WHERE branch = (SELECT branch FROM checkpoints WHERE id = $1)`, a.ID)
		wantState(t, s, b.ID, state)
		wantState(t, s, f.ID, state)
	})
}

func TestDeleteFreesWhatNobodyNames(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w, shared, own := workflow(t, s), noise(1, 20<<10), noise(2, 30<<10)
		a, b, c := add(t, s, w, shared), add(t, s, w, own), add(t, s, w, shared)
		size := func() int64 {
			t.Helper()
			return number(t, s, `SELECT COALESCE(SUM(LENGTH(data)), 0) FROM blobs`) + number(t, s, `SELECT COALESCE(SUM(LENGTH(data)), 0) FROM manifests`)
		}
		for _, x := range []struct {
			name string
			id   string
			big  bool
		}{{"one of two with a shared blob", a.ID, false}, {"one with a blob of its own", b.ID, true}, {"the last with the shared blob", c.ID, true}} {
			before := size()
			freed := remove(t, s, x.id)
			if after := size(); before-after != freed {
				t.Errorf("%s: got %d bytes freed, want the %d that are gone", x.name, freed, before-after)
			}
			if big := freed > 1000; big != x.big {
				t.Errorf("%s: got %d bytes freed", x.name, freed)
			}
			if x.id != c.ID {
				wantState(t, s, c.ID, shared)
			}
		}
		if n := size(); n != 0 {
			t.Errorf("after all were deleted: got %d bytes, want 0", n)
		}
		// A number freed is never given again.
		d := add(t, s, w, noise(3, 20<<10))
		if n := number(t, s, `SELECT MIN(n) FROM blobs`); n < 2 {
			t.Errorf("number of a new blob: got %d, want one never used", n)
		}
		wantState(t, s, d.ID, noise(3, 20<<10))
	})
}

func TestDeleteKeepsBlobsBesideADamagedManifest(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w, state := workflow(t, s), noise(1, 2<<10)
		a, b, c := add(t, s, w, state), add(t, s, w, state), add(t, s, w, noise(2, 2<<10))
		run(t, s, `UPDATE manifests SET data = $1 WHERE checkpoint = $2`, []byte("?"), a.Ordinal)
		blobs := number(t, s, `SELECT COUNT(*) FROM blobs`)
		remove(t, s, b.ID, c.ID)
		if n := number(t, s, `SELECT COUNT(*) FROM blobs`); n != blobs {
			t.Errorf("blobs: got %d, want all %d, for nobody knows what the damaged manifest named", n, blobs)
		}
		remove(t, s, a.ID)
		if n := number(t, s, `SELECT COUNT(*) FROM blobs`); n != 0 {
			t.Errorf("blobs after the damaged one was deleted too: got %d, want 0", n)
		}
	})
}
