//go:build !unix

package announce

import "io/fs"

// owner is not known by a number.
func owner(fs.FileInfo) (uid int, ok bool) { return 0, false }
