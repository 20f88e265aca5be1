//go:build unix

package api

import "syscall"

// openFiles is how many files and connections this process may have open.
func openFiles() uint64 {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return 0
	}
	return uint64(r.Cur) // a signed number on some systems
}
