package sqlite

import (
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// local refuses a folder on a file system that is not local.
func (o Options) local(op, dir string) error {
	kind := o.statfs
	if kind == nil {
		kind = localfs.Kind
	}
	k, err := kind(dir)
	if err != nil {
		return nil // what cannot be told is not refused
	}
	name := localfs.Remote(k)
	if name == "" {
		return nil
	}
	return &piton.Error{
		Code: piton.Unavailable, Op: op, Hint: "put it on a local disk: 'store sqlite:PATH', PITON_STORE or PITON_HOME",
		Err: fmt.Errorf("%s lies on %s, a file system that is not local", dir, name),
	}
}
