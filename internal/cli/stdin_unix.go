//go:build unix

package cli

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// poll waits until something can be read from a file, or its end has come.
func poll(f *os.File, wait time.Duration) (bool, error) {
	p := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(p, int(wait.Milliseconds()))
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return n > 0, err
}

// peeked bounds what is looked at before it is read: what a pipe holds.
const peeked = 64 << 10

// peekSocket looks at what a socket holds and leaves it there.
func peekSocket(f *os.File) []byte {
	b := make([]byte, peeked)
	n, _, err := unix.Recvfrom(int(f.Fd()), b, unix.MSG_PEEK|unix.MSG_DONTWAIT)
	if err != nil || n <= 0 {
		return nil
	}
	return b[:n]
}

// foreground reports whether the terminal is ours: who reads it from the background is
// stopped.
func foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
