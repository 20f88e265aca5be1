//go:build !linux

package sqlite

import (
	"errors"
	"math"
)

// statfs cannot tell here.
func statfs(string) (kind uint32, err error) { return 0, errors.ErrUnsupported }

// free cannot tell here.
func free(string) uint64 { return math.MaxUint64 }
