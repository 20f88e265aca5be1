//go:build !linux

package sqlite_test

import "context"

func fullChild(context.Context, []string) error { return nil }

func mountChild(context.Context, []string) error { return nil }
