//go:build !unix

package localfs

import (
	"context"
	"time"
)

// Lock fails where there is no flock.
func Lock(context.Context, string, time.Duration) (func(), error) { return nil, ErrNoLocks }

// SyncDir does nothing where folders cannot be synced.
func SyncDir(string) error { return nil }
