//go:build !linux

package sqlite_test

import "context"

func fullChild(context.Context, []string) error { return nil }
