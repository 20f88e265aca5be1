//go:build !unix

package localfs

import (
	"io/fs"
	"os"
)

const (
	nonblock = 0
	nofollow = 0
)

// SyncDir does nothing where folders cannot be synced.
func SyncDir(string) error { return nil }

// SyncIn does nothing where folders cannot be synced.
func SyncIn(*os.Root, string) error { return nil }

// Names cannot tell here.
func Names(fs.FileInfo) uint64 { return 1 }

// Inode cannot tell here.
func Inode(fs.FileInfo) int64 { return 0 }

// Own cannot tell here.
func Own(fs.FileInfo) bool { return false }

// Private cannot tell here.
func Private(fs.FileInfo) bool { return false }
