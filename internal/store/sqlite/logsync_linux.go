package sqlite

import (
	"errors"

	"github.com/ncruces/go-sqlite3/vfs"
	"golang.org/x/sys/unix"
)

// syncFile syncs a file once, where the driver would sync a log twice.
func syncFile(f vfs.File, flags vfs.SyncFlag) error {
	d, ok := f.(interface{ Fd() uintptr })
	if !ok {
		return f.Sync(flags)
	}
	for {
		if err := unix.Fdatasync(int(d.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
