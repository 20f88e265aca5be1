//go:build linux || dragonfly || openbsd || solaris

package localfs

import (
	"io/fs"
	"syscall"
)

// ChangeTime is when a file, or what the system keeps about it, last changed, in
// nanoseconds; no program can set it. It is 0 where the system does not keep it.
func ChangeTime(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano()
	}
	return 0
}
