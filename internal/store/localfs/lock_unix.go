//go:build unix

package localfs

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// Lock takes an exclusive lock on a file and returns what releases it. The
// first to ask gets it first: Linux keeps blocked callers in a queue. ErrBusy when
// it is not free within wait, ErrIrregular where the file is no regular
// one. The file stays: removing it would let two processes lock different files
// of one name.
func Lock(ctx context.Context, path string, wait time.Duration) (func(), error) {
	// A link could have the file made anywhere.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|nonblock, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, irregular(path, err)
	}
	return lock(ctx, f, wait)
}

// LockIn is Lock for a file below root.
func LockIn(ctx context.Context, root *os.Root, name string, wait time.Duration) (func(), error) {
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, irregular(name, nil)
	}
	f, _, err := openRegular(root, name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	return lock(ctx, f, wait)
}

// lock takes the lock on an open file, which it closes in the end.
func lock(ctx context.Context, f *os.File, wait time.Duration) (func(), error) {
	fd := int(f.Fd())
	err := flock(fd, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
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
