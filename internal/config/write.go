package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// write puts a file of Piton's own in its place in one step, for its owner
// alone.
func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return notWritten(path, err)
	}
	return notWritten(path, localfs.Replace(path, text, 0o600, nil))
}

// errChanged: another program has written the file since it was read.
var errChanged = errors.New("another program has changed it in the meantime")

// replace writes a person's file in one step. Its mode stays; if its name is a
// link, the target of the link is replaced. It fails if the file does not hold
// old any more. Of two of ours at once the second sees what the first has written;
// before an editor, which takes no lock, a moment is left.
func replace(path string, old, text []byte) error {
	mode := os.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return notWritten(path, err)
	}
	unlock := lockFolder(filepath.Dir(path))
	defer unlock()
	return notWritten(path, localfs.Replace(path, text, mode, func() error {
		if now, err := read(path); err == nil && bytes.Equal(now, old) || errors.Is(err, fs.ErrNotExist) && old == nil {
			return nil
		}
		return errChanged
	}))
}

// notWritten is the error of a file that could not be written; nil where it was.
func notWritten(path string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, errChanged) {
		return &piton.Error{Code: piton.Conflict, Op: "write " + path, Hint: "do it again", Err: err}
	}
	return &piton.Error{Code: piton.Unavailable, Op: "write " + path, Hint: "see that the folder can be written to", Err: err}
}
