package cli

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// discardTyped forgets what was typed at a terminal and not read.
func discardTyped(f *os.File) { _ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

// peek looks at what a pipe or a socket holds and leaves it there; nil where
// that cannot be done.
func peek(f *os.File) []byte {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	defer w.Close()
	n, err := unix.Tee(int(f.Fd()), int(w.Fd()), peeked, unix.SPLICE_F_NONBLOCK)
	if err != nil || n <= 0 {
		return peekSocket(f)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil
	}
	return b
}
