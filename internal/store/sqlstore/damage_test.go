package sqlstore_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// damages are ways to spoil what one checkpoint's state is made of, in the SQL
// of SQLite. $1 is its ordinal; its branch has no other checkpoint.
var damages = []struct{ name, query string }{
	{"blob missing", `DELETE FROM blobs WHERE (branch, epoch) IN (SELECT branch, epoch FROM checkpoints WHERE ordinal = $1)`},
	{"blob emptied", `UPDATE blobs SET data = x'' WHERE branch IN (SELECT branch FROM checkpoints WHERE ordinal = $1)`},
	{"blob cut", `UPDATE blobs SET data = substr(data, 1, length(data) - 1) WHERE branch IN (SELECT branch FROM checkpoints WHERE ordinal = $1)`},
	{"blob longer", `UPDATE blobs SET data = CAST(data || x'00' AS BLOB) WHERE branch IN (SELECT branch FROM checkpoints WHERE ordinal = $1)`},
	{"blob of zeros", `UPDATE blobs SET data = zeroblob(length(data)) WHERE branch IN (SELECT branch FROM checkpoints WHERE ordinal = $1)`},
	{"blob's sum", `UPDATE blobs SET sum = randomblob(32) WHERE branch IN (SELECT branch FROM checkpoints WHERE ordinal = $1)`},
	{"blob's sum cut", `UPDATE blobs SET sum = CAST(n AS BLOB) WHERE branch IN (SELECT branch FROM checkpoints WHERE ordinal = $1)`},
	{"blob's number", `UPDATE blobs SET n = n + 100 WHERE branch IN (SELECT branch FROM checkpoints WHERE ordinal = $1)`},
	{"blob's number no number", `UPDATE blobs SET n = 'x' || n WHERE branch IN (SELECT branch FROM checkpoints WHERE ordinal = $1)`},
	{"blob's epoch", `UPDATE blobs SET epoch = epoch + 1 WHERE branch IN (SELECT branch FROM checkpoints WHERE ordinal = $1)`},
	{"blob's branch", `UPDATE blobs SET branch = branch + 100 WHERE branch IN (SELECT branch FROM checkpoints WHERE ordinal = $1)`},
	{"manifest missing", `DELETE FROM manifests WHERE checkpoint = $1`},
	{"manifest emptied", `UPDATE manifests SET data = x'' WHERE checkpoint = $1`},
	{"manifest cut", `UPDATE manifests SET data = CAST(substr(data, 1, length(data) - 1) AS BLOB) WHERE checkpoint = $1`},
	{"manifest of no blobs", `UPDATE manifests SET data = x'01' WHERE checkpoint = $1`},
	{"manifest of another form", `UPDATE manifests SET data = x'ff00' WHERE checkpoint = $1`},
	{"manifest torn", `UPDATE manifests SET data = x'01ff' WHERE checkpoint = $1`},
	{"manifest of a huge number", `UPDATE manifests SET data = x'01ffffffffffffffffff01' WHERE checkpoint = $1`},
	{"manifest of another state", `UPDATE manifests SET data = x'01' || x'02' WHERE checkpoint = $1`},
	{"manifest twice", `UPDATE manifests SET data = CAST(data || substr(data, 2) AS BLOB) WHERE checkpoint = $1`},
	{"the record's sum", `UPDATE checkpoints SET sum = randomblob(32) WHERE ordinal = $1`},
	{"the record's sum emptied", `UPDATE checkpoints SET sum = x'' WHERE ordinal = $1`},
	{"the record's epoch", `UPDATE checkpoints SET epoch = epoch + 1 WHERE ordinal = $1`},
	{"the record's epoch no number", `UPDATE checkpoints SET epoch = 'x' WHERE ordinal = $1`},
	{"the record's branch", `UPDATE checkpoints SET branch = branch + 1 WHERE ordinal = $1`},
}

func TestDamagedStateIsNeverAnswered(t *testing.T) {
	before := noise(2, 3000)
	for name, state := range map[string]string{"raw": `{"small":1}`, "packed": `{"a":"` + strings.Repeat("all work ", 1000) + `"}`, "noise": noise(1, 5000)} {
		for _, d := range damages {
			ofBlobs := strings.HasPrefix(d.name, "blob") || d.name == "the record's epoch" || d.name == "the record's branch"
			if name == "raw" && ofBlobs {
				continue // it has no blob
			}
			t.Run(name+"/"+d.name, func(t *testing.T) {
				s := sqliteStore(t)
				w, other := workflow(t, s), workflow(t, s)
				c := add(t, s, w, state)
				others := map[string]string{add(t, s, other, before).ID: before, add(t, s, other, state).ID: state}
				run(t, s, d.query, c.Ordinal)
				got, err := s.State(t.Context(), c.ID)
				if piton.CodeOf(err) != piton.Corrupt || got != nil {
					t.Errorf("got %.40q, %v, want corrupt", got, err)
				}
				if _, state, err := s.HeadState(t.Context(), w, "", ""); state != nil {
					t.Errorf("together with its record: got %.40q, %v, want no state", state, err)
				}
				for id, want := range others {
					wantState(t, s, id, want)
				}
				page, err := s.List(t.Context(), piton.Query{})
				if err != nil || len(page.Checkpoints) != 3 {
					t.Errorf("list: got %d, %v, want 3 checkpoints", len(page.Checkpoints), err)
				}
			})
		}
	}
}

func TestEveryFlippedByteIsFound(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w := workflow(t, s)
		for _, state := range []string{`{"small":1}`, `{"a":"` + strings.Repeat("all work ", 1000) + `"}`, noise(1, 5000)} {
			flips(t, s, add(t, s, w, state), state)
		}
	})
}

// flips spoils each byte of a checkpoint's blobs, sums and manifest in turn, a
// sample of the long ones, and puts it back.
func flips(t *testing.T, s *sqlstore.Store, c piton.Checkpoint, state string) {
	epoch := fmt.Sprintf(`branch = (SELECT branch FROM checkpoints WHERE ordinal = %d)`, c.Ordinal)
	columns := []struct{ table, name, where string }{{"manifests", "data", fmt.Sprintf(`checkpoint = %d`, c.Ordinal)}, {"checkpoints", "sum", fmt.Sprintf(`ordinal = %d`, c.Ordinal)}}
	if n := number(t, s, `SELECT COALESCE(MAX(n), -1) FROM blobs WHERE `+epoch); n >= 0 {
		newest := epoch + fmt.Sprintf(` AND n = %d`, n)
		columns = append(columns, []struct{ table, name, where string }{{"blobs", "data", newest}, {"blobs", "sum", newest}}...)
	}
	for _, column := range columns {
		var whole []byte
		if err := s.DB.QueryRowContext(t.Context(), `SELECT `+column.name+` FROM `+column.table+` WHERE `+column.where).Scan(&whole); err != nil {
			t.Fatal(err)
		}
		write := func(b []byte) {
			t.Helper()
			run(t, s, `UPDATE `+column.table+` SET `+column.name+` = $1 WHERE `+column.where, b)
		}
		right := 0
		for i := 0; i < len(whole); i += 1 + len(whole)/200 {
			for _, bit := range []byte{0x01, 0x80, 0xff} {
				bad := bytes.Clone(whole)
				bad[i] ^= bit
				write(bad)
				got, err := s.State(t.Context(), c.ID)
				switch {
				case err == nil && string(got) == state:
					right++ // a bit that means nothing
				case err == nil:
					t.Errorf("%s.%s byte %d: got a wrong state %.40q", column.table, column.name, i, got)
				case piton.CodeOf(err) != piton.Corrupt:
					t.Errorf("%s.%s byte %d: got %v, want corrupt", column.table, column.name, i, err)
				}
			}
		}
		write(whole)
		if column.name == "sum" && right > 0 {
			t.Errorf("%s.%s: got the state in spite of %d wrong sums", column.table, column.name, right)
		}
	}
	wantState(t, s, c.ID, state)
}

func TestDamagedLineageEnds(t *testing.T) {
	each(t, func(t *testing.T, s *sqlstore.Store) {
		w := workflow(t, s)
		a, b, c := add(t, s, w, `{"a":1}`), add(t, s, w, `{"b":1}`), add(t, s, w, `{"c":1}`)
		run(t, s, `UPDATE checkpoints SET parent_id = $1 WHERE id = $2`, b.ID, a.ID) // a cycle
		remove(t, s, a.ID, b.ID)
		got, err := s.Checkpoint(t.Context(), c.ID)
		if err != nil || got.ParentID != "" {
			t.Errorf("parent: got %q, %v, want none", got.ParentID, err)
		}
		wantState(t, s, c.ID, `{"c":1}`)
	})
}

// TestDamagedIndexPassesNothingOff has an index on ids that holds the parents'
// ids: asked for a parent it leads to the child.
func TestDamagedIndexPassesNothingOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piton.db")
	s := storeAt(t, path)
	w := workflow(t, s)
	a := add(t, s, w, `{"a":1}`)
	b := add(t, s, w, `{"b":1}`)
	s.DB.SetMaxOpenConns(1)
	for _, q := range []string{
		`DROP INDEX checkpoints_id`, `CREATE INDEX checkpoints_id ON checkpoints (parent_id)`, `PRAGMA writable_schema = 1`,
		`UPDATE sqlite_schema SET sql = 'CREATE INDEX checkpoints_id ON checkpoints (id)' WHERE name = 'checkpoints_id'`,
	} {
		run(t, s, q)
	}
	s.Close()
	s = storeAt(t, path)
	if got, err := s.State(t.Context(), a.ID); piton.CodeOf(err) != piton.Corrupt {
		t.Errorf("state: got %q, %v, want corrupt and not the state of %s", got, err, b.ID)
	}
	if got, err := s.Checkpoint(t.Context(), a.ID); err != nil || got.ID != a.ID || !got.BadRecord {
		t.Errorf("record: got %s, %v, want that of %s, marked", got.ID, err, a.ID)
	}
}

// A save that is acknowledged can be loaded, also when it finds its own content
// damaged in the store.
func TestSaveDoesNotRelyOnDamagedBlobs(t *testing.T) {
	state := `{"a":"` + strings.Repeat("all work ", 1000) + `"}`
	for _, d := range damages {
		if !strings.HasPrefix(d.name, "blob ") {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			s := sqliteStore(t)
			w := workflow(t, s)
			run(t, s, d.query, add(t, s, w, state).Ordinal)
			wantState(t, s, add(t, s, w, state).ID, state)
		})
	}
}
