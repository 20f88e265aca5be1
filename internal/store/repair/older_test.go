package repair_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/store/repair"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// TestARepairSaysThatAStoreIsOlder: what is missing without damage is missing all the
// same, and a repair does not make it forgotten.
func TestARepairSaysThatAStoreIsOlder(t *testing.T) {
	l := buildLogged(t)
	live := filepath.Join(t.TempDir(), "piton.db")
	put := func(path string, files map[string][]byte) {
		for end, b := range files {
			if err := os.WriteFile(path+end, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(live, map[string][]byte{"": l.db, "-wal": l.wal})
	s, err := sqlite.Open(t.Context(), live, sqlite.Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Accept(t.Context(), live, s); err != nil { // writes the mark of all 40
		t.Fatal(err)
	}
	s.Close()
	mark, err := os.ReadFile(live + ".mark")
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte{}, l.db...)
	damaged[100+8] ^= 0x10 // the first entry of the schema is lost
	for _, x := range []struct {
		name    string
		files   map[string][]byte
		replace bool
		older   bool
	}{
		{"whole", map[string][]byte{"": l.db, "-wal": l.wal}, false, false},
		{"without its log", map[string][]byte{"": l.db}, false, true},
		{"without its log, replaced", map[string][]byte{"": l.db}, true, true},
		{"damaged and without its log", map[string][]byte{"": damaged}, true, true},
	} {
		path := filepath.Join(t.TempDir(), "piton.db")
		put(path, x.files)
		put(path, map[string][]byte{".mark": mark})
		r, err := repair.Run(t.Context(), path, repair.Options{Replace: x.replace})
		if err != nil || (r.Older != "") != x.older {
			t.Errorf("%s: got %q, %v, want it said: %t", x.name, r.Older, err, x.older)
			continue
		}
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{Existing: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := sqlite.Behind(t.Context(), path, s); (err != nil) != x.older {
			t.Errorf("%s: after the repair got %v, want it said: %t", x.name, err, x.older)
		}
		s.Close()
	}
}
