//go:build !linux

package localfs

import (
	"errors"
	"math"
)

// Kind cannot tell here.
func Kind(string) (kind uint32, err error) { return 0, errors.ErrUnsupported }

// Free cannot tell here.
func Free(string) uint64 { return math.MaxUint64 }
