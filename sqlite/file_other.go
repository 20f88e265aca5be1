//go:build !unix

package sqlite

import (
	"context"
	"time"
)

// lock does nothing where there is no flock: the retries of the first open
// stand alone.
func lock(context.Context, string, time.Duration) (func(), error) { return func() {}, nil }

// syncDir does nothing where folders cannot be synced.
func syncDir(string) error { return nil }
