//go:build !unix

package localfs

import (
	"context"
	"io/fs"
	"os"
	"time"
)

const (
	nonblock = 0
	nofollow = 0
)

// Lock fails where there is no flock.
func Lock(context.Context, string, time.Duration) (func(), error) { return nil, ErrNoLocks }

// LockIn fails where there is no flock.
func LockIn(context.Context, *os.Root, string, time.Duration) (func(), error) { return nil, ErrNoLocks }

// SyncDir does nothing where folders cannot be synced.
func SyncDir(string) error { return nil }

// SyncIn does nothing where folders cannot be synced.
func SyncIn(*os.Root, string) error { return nil }

// Names cannot tell here.
func Names(fs.FileInfo) uint64 { return 1 }

// Inode cannot tell here.
func Inode(fs.FileInfo) int64 { return 0 }
