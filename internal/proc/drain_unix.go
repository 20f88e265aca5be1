//go:build unix

package proc

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// maxPipe is the most that a pipe holds: more has been written while it was drained.
const maxPipe = 1 << 20

// drain copies what a pipe holds already, and waits for nothing.
func drain(from *os.File, to io.Writer) {
	raw, err := from.SyscallConn()
	if err != nil || from.SetReadDeadline(time.Time{}) != nil {
		return
	}
	b := make([]byte, 32<<10)
	for left := maxPipe; left > 0; {
		var n int
		var failed error
		if err := raw.Read(func(fd uintptr) bool { n, failed = syscall.Read(int(fd), b); return true }); err != nil {
			return
		}
		if n <= 0 && !errors.Is(failed, syscall.EINTR) {
			return
		}
		if n > 0 {
			_, _ = to.Write(b[:n])
			left -= n
		}
	}
}
