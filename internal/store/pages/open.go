package pages

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Open opens a file for reading, with its -wal if log is true. Both may be
// damaged in any way, and the file may be missing beside its -wal.
func Open(path string, log bool) (*File, error) {
	f := &File{}
	info, err := os.Stat(path)
	switch {
	case log && errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	default:
		if f.main, err = os.Open(path); err != nil {
			return nil, err
		}
		f.count = uint32(min((info.Size()+Size-1)/Size, maxPages))
	}
	if log {
		if err := f.readLog(path + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.Close()
			return nil, err
		}
	}
	f.mapped = f.looksMapped()
	return f, nil
}

// LogDamaged reports whether the -wal of the file at path has a damaged frame
// with whole transactions behind it, which SQLite would drop.
func LogDamaged(path string) bool {
	for range 2 { // a frame that was just being written is whole the next time
		f := &File{count: 1}
		err := f.readLog(path + "-wal")
		f.Close()
		if err != nil || f.Log.Damaged == 0 && !(f.Log.Header && f.Log.Frames > 0) {
			return false
		}
	}
	return true
}
