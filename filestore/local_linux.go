package filestore

import (
	"fmt"
	"syscall"
)

// remote are the file systems on which flock does not hold between machines
// (statfs(2) magic numbers).
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
func local(dir string) error {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return nil // what cannot be told is not refused
	}
	if name, ok := remote[uint32(st.Type)]; ok {
		return fmt.Errorf("%s lies on %s, a file system that is not local", dir, name)
	}
	return nil
}
