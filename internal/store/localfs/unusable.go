package localfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/piton-project/piton"
)

// elsewhere is what to do about a place that no store can use.
const elsewhere = "see that the folder can be read and written, or name another store: 'store STORE', PITON_STORE or PITON_HOME"

// NoRoom says that nothing could be written because the disk is full. op is what was
// tried; err is kept for the log.
func NoRoom(op string, err error) error {
	return &piton.Error{Code: piton.Unavailable, Op: "cannot save", Hint: "free some space and try again; nothing was written", Err: &noRoom{op, err}}
}

// IsFull reports whether an error says that the disk is full.
func IsFull(err error) bool {
	var full *noRoom
	return errors.As(err, &full)
}

type noRoom struct {
	op    string
	cause error
}

func (e *noRoom) Error() string { return "disk full (" + e.op + ")" }
func (e *noRoom) Unwrap() error { return e.cause }

// Unusable says why a store cannot be opened at a path: what stands in its way, or
// which folder cannot be used. err is what the file system said; another error than
// the file system's comes back as it is.
func Unusable(op, path string, err error) error {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return &piton.Error{Code: piton.Unavailable, Op: op, Hint: elsewhere, Err: err}
	}
	cause := fmt.Errorf("%s cannot be used: %w", path, at.Err)
	for dir := path; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			switch {
			case dir != path && !info.IsDir():
				cause = fmt.Errorf("%s is a file, not a folder", dir)
			case dir != path:
				cause = fmt.Errorf("the folder %s cannot be used: %w", dir, at.Err)
			}
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return &piton.Error{Code: piton.Unavailable, Op: op, Hint: elsewhere, Err: cause}
}
