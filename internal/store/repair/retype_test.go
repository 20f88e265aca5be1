package repair_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/store/sqlite"
)

// TestChangedKinds repairs stores where one bit has made bytes of a text or a
// text of bytes, which SQLite reads as if nothing had happened.
func TestChangedKinds(t *testing.T) {
	small, w := build(t, 60, 3, 200), build(t, 60, 3, 2500)
	for _, change := range []string{
		`UPDATE manifests SET data = CAST(data AS TEXT) WHERE checkpoint % 3 = 1`,
		`UPDATE blobs SET sum = CAST(sum AS TEXT) WHERE n % 3 = 1`,
		`UPDATE blobs SET data = CAST(data AS TEXT) WHERE n % 3 = 1`,
		`UPDATE checkpoints SET id = CAST(id AS BLOB) WHERE seq % 3 = 1`,
		`UPDATE checkpoints SET project = CAST(project AS BLOB) WHERE seq % 3 = 1`,
		`UPDATE workflows SET name = CAST(name AS BLOB) WHERE rowid = 1`,
	} {
		w := w
		if strings.Contains(change, "manifests") {
			w = small
		}
		path := filepath.Join(t.TempDir(), "piton.db")
		if err := os.WriteFile(path, w.file, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.DB.Exec(change)
		if err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			t.Fatalf("%s: got %d rows, %v, want some", change, n, err)
		}
		s.Close()
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if r := w.mend(t, file); r.err != nil || len(r.wrong) > 0 || r.intact != len(w.sums) {
			t.Errorf("%s: got %d of %d intact, %d lost, %v, %q", change, r.intact, len(w.sums), len(r.lost), r.err, r.wrong)
		}
	}
}
