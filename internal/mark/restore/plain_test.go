package restore

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/piton-project/piton"
)

// TestPlain: a reason names no file that a person has never seen.
func TestPlain(t *testing.T) {
	opened := &fs.PathError{Op: "openat", Path: "d/" + temporary("mrk_1", "a"), Err: syscall.EACCES}
	for _, x := range []struct {
		err  error
		want string
	}{
		{opened, syscall.EACCES.Error()},
		{errors.Join(opened, nil), syscall.EACCES.Error()},
		{&os.LinkError{Op: "renameat", Old: opened.Path, New: "d/b", Err: syscall.EROFS}, syscall.EROFS.Error()},
		{piton.Errorf(piton.Corrupt, "read", "", "it is damaged"), "it is damaged"},
		{errChanged, errChanged.Error()},
	} {
		if got := plain(x.err); got != x.want {
			t.Errorf("%v: got %q, want %q", x.err, got, x.want)
		}
	}
}
