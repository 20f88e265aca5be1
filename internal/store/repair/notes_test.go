package repair_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/store/repair"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// TestNotesReadWell: a note says how many, and nothing behind it.
func TestNotesReadWell(t *testing.T) {
	w := build(t, 20, 2, 600)
	from := filepath.Join(t.TempDir(), "piton.db")
	if err := os.WriteFile(from, w.file, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), from, sqlite.Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := s.DB.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{`PRAGMA foreign_keys = 0`, `DELETE FROM manifests WHERE checkpoint = (SELECT MAX(checkpoint) FROM manifests)`, `DELETE FROM branches`, `DELETE FROM epochs`, `DELETE FROM workflows`, `UPDATE counters SET value = 1 WHERE name = 'ordinal'`} {
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	r, err := repair.Rebuild(t.Context(), from, filepath.Join(t.TempDir(), "new.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(r.Notes, "\n")
	if !strings.Contains(text, "1 states lost the list of their parts\n") && !strings.HasSuffix(text, "1 states lost the list of their parts") || strings.Contains(text, "%") {
		t.Errorf("got the notes\n%s", text)
	}
}
