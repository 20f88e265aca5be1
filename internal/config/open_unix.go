//go:build unix

package config

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// Bounds of waiting for a folder's lock. Ours hold it while they write one file.
const (
	lockFor   = 5 * time.Second
	lockEvery = 5 * time.Millisecond
)

// lockFolder locks a folder against others of ours that write in it, without a file
// that would stay there. Who cannot have the lock goes on without: anybody who may read
// the folder could hold it for ever, and not every file system has locks.
func lockFolder(dir string) (unlock func()) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	for range lockFor / lockEvery { // tries, not a time in which the machine may have stood still
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			break
		}
		time.Sleep(lockEvery)
	}
	return func() { f.Close() }
}
