//go:build unix

package announce

import (
	"io/fs"
	"syscall"
)

// owner is the user that a file belongs to.
func owner(info fs.FileInfo) (uid int, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}
