package git

import (
	"io/fs"
	"syscall"
)

func inode(info fs.FileInfo) (number uint64, ctime int64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino, s.Ctimespec.Nano()
	}
	return 0, 0
}
