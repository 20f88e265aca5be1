package localfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MakeDir makes a folder and those above it that are missing, for this user alone, so
// that their names survive a power cut.
func MakeDir(dir string) error {
	var missing []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		missing = append(missing, at)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, dir := range missing {
		if err := SyncDir(filepath.Dir(dir)); err != nil && !errors.Is(err, fs.ErrPermission) { // one may write to a folder and not read it
			return err
		}
	}
	return nil
}
