//go:build unix

package localfs

import (
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// Ring wakes a process that listens at path. It never waits and makes nothing.
// false: nobody listens. Where nobody does it costs one call of the system that
// fails. What has the name and is not a pipe is left as it is.
func Ring(path string) bool { return reach(path, true) }

// Attended reports whether a process listens at path.
func Attended(path string) bool { return reach(path, false) }

func reach(path string, ring bool) bool {
	// To open a pipe that nobody reads fails, and so do a link and a folder.
	fd, err := syscall.Open(path, syscall.O_WRONLY|nonblock|nofollow|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil || info.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return false
	}
	if ring {
		// A pipe that is full holds a call already.
		if _, err := syscall.Write(fd, []byte{0}); err != nil && err != syscall.EAGAIN {
			return false
		}
	}
	return true
}

// Listen hears those who ring at path, until stop is called: several rings may be
// heard as one. Of several processes that listen one hears a ring. It makes a pipe
// at path; one that a dead process has left is used again.
func Listen(path string) (rings <-chan struct{}, stop func(), err error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, nil, &fs.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: errors.Join(err, errors.New("this is not a pipe"))}
	}
	// Open for writing too: else reading would end each time that a writer goes.
	f, err := os.OpenFile(path, os.O_RDWR|nofollow, 0)
	if err != nil {
		return nil, nil, err
	}
	heard := make(chan struct{}, 1)
	var over atomic.Bool
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		defer f.Close()
		for b := make([]byte, 512); !over.Load(); {
			if _, err := f.Read(b); err != nil {
				return
			}
			select {
			case heard <- struct{}{}:
			default:
			}
		}
	}()
	stop = func() {
		over.Store(true)
		if f.SetReadDeadline(time.Now()) == nil {
			<-closed
			return
		}
		// This system cannot end a read of a pipe. A ring does, unless another process
		// hears it.
		for {
			Ring(path)
			select {
			case <-closed:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}
	return heard, stop, nil
}
