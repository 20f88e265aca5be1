package setup

import (
	"bytes"
	"io/fs"
)

// Change is one file before and after.
type Change struct {
	Path    string
	Before  []byte      // what is on disk; nil: no such file
	After   []byte      // what is to be there; nil: no such file
	What    string      // what it is, for people
	Mode    fs.FileMode // of a new file; 0644 less the umask when 0. An old file keeps its own
	Folders []string    // removed with the file if they are empty then, in this order
	Locked  bool        // the file's own program holds Path.lock while it writes
}

// nothing reports whether the file stays as it is.
func (c Change) nothing() bool { return same(c.Before, c.After) }

// same reports whether two texts are equal. No file is not the same as an empty one.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }
