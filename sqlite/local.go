package sqlite

import (
	"fmt"

	"github.com/piton-project/piton"
)

// remote are the file systems on which SQLite's locks and shared memory do not
// hold between machines (statfs(2) magic numbers).
var remote = map[uint32]string{
	0x6969:     "NFS",
	0x517b:     "SMB",
	0xff534d42: "CIFS",
	0xfe534d42: "SMB2",
	0x00c36400: "Ceph",
	0x5346414f: "AFS",
	0x73757245: "Coda",
	0x01161970: "GFS2",
	0x7461636f: "OCFS2",
	0x0bd00bd0: "Lustre",
	0x47504653: "GPFS",
}

// local refuses a folder on a file system that is not local.
func (o Options) local(op, dir string) error {
	kind := o.statfs
	if kind == nil {
		kind = statfs
	}
	k, err := kind(dir)
	if err != nil {
		return nil // what cannot be told is not refused
	}
	name, ok := remote[k]
	if !ok {
		return nil
	}
	return &piton.Error{
		Code: piton.Unavailable, Op: op, Hint: "put it on a local disk: --store sqlite:PATH, PITON_STORE or PITON_HOME",
		Err: fmt.Errorf("%s lies on %s, a file system that is not local", dir, name),
	}
}
