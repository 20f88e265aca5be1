//go:build unix

package setup

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and group of another.
func keepOwner(path string, of fs.FileInfo) error {
	own, err := os.Stat(path)
	if err != nil {
		return err
	}
	now, _ := own.Sys().(*syscall.Stat_t)
	old, _ := of.Sys().(*syscall.Stat_t)
	if now == nil || old == nil || now.Uid == old.Uid && now.Gid == old.Gid {
		return nil
	}
	return os.Lchown(path, int(old.Uid), int(old.Gid))
}

// mayAdd returns an error if this user may not make anything in a folder. It makes nothing.
func mayAdd(folder string) error {
	const writeAndSearch = 2 | 1
	if err := syscall.Access(folder, writeAndSearch); err != nil {
		return &fs.PathError{Op: "write in", Path: folder, Err: err}
	}
	return nil
}
