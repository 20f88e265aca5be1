//go:build unix

package announce

import (
	"io/fs"
	"syscall"
)

// owner is the user that a file belongs to; info is what the system has told of it.
func owner(info fs.FileInfo) (uid int, ok bool) {
	return int(info.Sys().(*syscall.Stat_t).Uid), true
}
