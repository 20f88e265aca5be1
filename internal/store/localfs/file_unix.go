//go:build unix

package localfs

import (
	"io/fs"
	"os"
	"syscall"
)

// nonblock: opening a pipe in a file's place does not block. nofollow: a
// link could lead anywhere.
const (
	nonblock = syscall.O_NONBLOCK
	nofollow = syscall.O_NOFOLLOW
)

// SyncDir makes the names in a folder durable.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// SyncIn makes the names in a folder below root durable; "." is root itself.
func SyncIn(root *os.Root, dir string) error {
	f, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|nonblock, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// Names is how many names a file has, in folders anywhere on its file system.
func Names(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// Inode is a file's number on its file system, 0 if there is none.
func Inode(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Ino)
	}
	return 0
}

// Own tells whether a file is this user's.
func Own(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// Private tells whether a file is this user's, and for this user alone.
func Private(info fs.FileInfo) bool { return Own(info) && info.Mode().Perm()&0o077 == 0 }
