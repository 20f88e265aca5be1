package repair_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/store/pages"
)

// FuzzPages reads files of any bytes: a store may be anybody's.
func FuzzPages(f *testing.F) {
	w := build(f, 20, 2, 50)
	f.Add(w.file[:8*pages.Size], []byte{}, uint32(3))
	f.Add(w.file, w.file, uint32(20))
	f.Add([]byte("SQLite format 3\x00"), []byte{0x37, 0x7f, 6, 0x82}, uint32(1))
	f.Fuzz(func(t *testing.T, db, wal []byte, root uint32) {
		if len(db) > 64*pages.Size || len(wal) > 64*pages.Size {
			return
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "x")
		if err := os.WriteFile(path, db, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+"-wal", wal, 0o600); err != nil {
			t.Fatal(err)
		}
		pages.LogDamaged(path)
		src, err := pages.Open(path, true)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		any := func([]any) bool { return true }
		seen := map[uint32]bool{}
		for _, found := range src.Find([]pages.Tree{{Name: "a", Root: 1, Fits: any}, {Name: "b", Root: root, Usual: binary.BigEndian.Uint32(append(db, 0, 0, 0, 0)), Fits: any}, {Name: "c", Index: true, Usual: root + 1}}) {
			for _, n := range append(found.Linked, found.Adopted...) {
				if seen[n] || n == 0 || n > src.Pages() {
					t.Errorf("page %d: got it twice, or it is none", n)
				}
				seen[n] = true
				src.Rows(n, func(pages.Row) {})
			}
		}
	})
}
