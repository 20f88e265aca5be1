package setup

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/piton-project/piton"
)

// Claude Code holds FILE.lock, a folder, while it reads its own state, changes it and writes it back (npm's proper-lockfile). A lock
// whose time is older than staleLock is of a process that is gone.
const (
	staleLock   = 10 * time.Second
	lockTries   = 60
	lockBetween = 50 * time.Millisecond
)

// lock takes a file's lock, so that its own program does not write back what it read before our edit.
func lock(path string) (release func(), err error) {
	folder := path + ".lock"
	for range lockTries {
		err := os.Mkdir(folder, 0o755)
		switch {
		case err == nil:
			return func() { os.Remove(folder) }, nil
		case errors.Is(err, fs.ErrNotExist):
			return func() {}, nil // no folder, so no file and nobody who writes it
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		}
		if info, err := os.Stat(folder); err == nil && time.Since(info.ModTime()) > staleLock {
			os.Remove(folder)
			continue
		}
		time.Sleep(lockBetween)
	}
	return nil, piton.Errorf(piton.Conflict, "write "+path, "try again in a moment", "its own program is writing it: %s is there", folder)
}
