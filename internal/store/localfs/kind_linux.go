package localfs

import (
	"math"
	"syscall"
)

// Kind is the kind of file system that a folder lies on.
func Kind(dir string) (kind uint32, err error) {
	var st syscall.Statfs_t
	err = syscall.Statfs(dir, &st)
	return uint32(st.Type), err
}

// Free is how many bytes may still be written to a folder's file system; many
// where it cannot be told.
func Free(dir string) uint64 {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return math.MaxUint64
	}
	return st.Bavail * uint64(st.Bsize)
}
