//go:build !linux

package sqlite

import "github.com/ncruces/go-sqlite3/vfs"

// syncFile syncs a file as the driver does: systems differ in what makes it durable.
func syncFile(f vfs.File, flags vfs.SyncFlag) error { return f.Sync(flags) }
