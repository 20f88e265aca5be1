//go:build unix

package localfs

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// Lock takes an exclusive lock on a file and returns what releases it. Who
// comes first has it first: Linux keeps those who block in line. ErrBusy when
// it is not to be had within wait. The file stays: removing it would let two
// processes lock different files of one name.
func Lock(ctx context.Context, path string, wait time.Duration) (func(), error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	fd := int(f.Fd())
	if err = flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		got := make(chan error, 1)
		go func() { got <- flock(fd, syscall.LOCK_EX) }()
		patience := time.NewTimer(wait)
		defer patience.Stop()
		select {
		case err = <-got:
		case <-ctx.Done():
			err = ctx.Err()
		case <-patience.C:
			err = ErrBusy
		}
		if errors.Is(err, ErrBusy) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			// Nothing ends a blocked flock: the file is closed, and the lock
			// let go, when it has its turn.
			go func() {
				<-got
				f.Close()
			}()
			return nil, err
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

func flock(fd, how int) error {
	for {
		if err := syscall.Flock(fd, how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// SyncDir makes the names in a folder durable.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
