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
// it is not free within wait, in which the time does not count that the machine stands
// still: who has the lock stands still too. ErrIrregular where the file is not a regular
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

// TryLock is Lock without waiting: ErrBusy where another has the lock.
func TryLock(path string) (func(), error) {
	f, err := OpenOwn(path, true)
	if err != nil {
		return nil, err
	}
	if err := flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrBusy
		}
		return nil, err
	}
	return func() { f.Close() }, nil
}

// Held reports whether somebody has the lock of a file. Any number may ask at once, and
// none takes another who asks for who has it.
func Held(path string) bool {
	f, err := OpenOwn(path, false)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// lock takes the lock on an open file, which it closes in the end.
func lock(ctx context.Context, f *os.File, wait time.Duration) (func(), error) {
	fd := int(f.Fd())
	err := flock(fd, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		got := make(chan error, 1)
		go func() { got <- flock(fd, syscall.LOCK_EX) }()
		err = await(ctx, got, wait)
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

// await waits for what comes, for so long. It counts ticks: those that nobody could
// take are dropped.
func await(ctx context.Context, got <-chan error, wait time.Duration) error {
	every := min(max(wait/20, time.Millisecond), 100*time.Millisecond)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ; wait > 0; wait -= every {
		select {
		case err := <-got:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return ErrBusy
}

func flock(fd, how int) error {
	for {
		if err := syscall.Flock(fd, how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
