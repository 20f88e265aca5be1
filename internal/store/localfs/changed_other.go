//go:build !(linux || dragonfly || openbsd || solaris || darwin || freebsd || netbsd)

package localfs

import "io/fs"

// ChangeTime cannot tell here.
func ChangeTime(fs.FileInfo) int64 { return 0 }
