// Package localfs is what the stores need of a local file system: a lock that processes
// queue on, names that last, what kind of file system it is, and files opened that
// others may have put there.
package localfs

import "errors"

// ErrBusy is Lock's error when another process holds the lock for long.
var ErrBusy = errors.New("another process is writing")

// ErrNoLocks is Lock's error on a system without file locks that Piton knows.
var ErrNoLocks = errors.New("this system has no file locks that Piton knows")

// remote are the file systems on which locks and shared memory do not hold
// between machines (statfs(2) magic numbers).
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

// Remote is the name of the kind of file system where it is not local, "" where
// it is. kind is Kind's.
func Remote(kind uint32) string { return remote[kind] }
