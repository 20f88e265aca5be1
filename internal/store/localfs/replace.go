package localfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a file in one step: who reads it sees the old text or the new one,
// also after a power cut. may is asked just before that step, and its error ends it.
func Replace(path string, text []byte, mode fs.FileMode, may func() error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".piton-*") // for its owner alone
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already where all went well
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	if may != nil {
		if err := may(); err != nil {
			return err
		}
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}
