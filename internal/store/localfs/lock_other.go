//go:build !unix

package localfs

import (
	"context"
	"os"
	"time"
)

// Lock fails where there is no flock.
func Lock(context.Context, string, time.Duration) (func(), error) { return nil, ErrNoLocks }

// TryLock fails where there is no flock.
func TryLock(string) (func(), error) { return nil, ErrNoLocks }

// LockIn fails where there is no flock.
func LockIn(context.Context, *os.Root, string, time.Duration) (func(), error) { return nil, ErrNoLocks }

// Held is false where there is no flock.
func Held(string) bool { return false }
