//go:build !unix

package filestore

import (
	"context"
	"errors"
	"time"
)

// lock fails where there is no flock: without it two writers would give out
// the same number.
func lock(context.Context, string, time.Duration) (func(), error) {
	return nil, errors.New("this system has no file locks that Piton knows")
}

// syncDir does nothing where folders cannot be synced.
func syncDir(string) error { return nil }
