package sqlite

import (
	"os"
	"path/filepath"

	"github.com/piton-project/piton"
)

// beside refuses what is no regular file where SQLite keeps its own files beside
// the store's: a link would have it write elsewhere, a pipe would never let it
// go on.
func beside(op, path string) error {
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		if info, err := os.Lstat(path + end); err == nil && !info.Mode().IsRegular() {
			return piton.Errorf(piton.Invalid, op, "look at it and who has put it there, then move it away", "%s beside it is no regular file", filepath.Base(path)+end)
		}
	}
	return nil
}
