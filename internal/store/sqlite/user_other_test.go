//go:build !unix

package sqlite_test

import "context"

func userChild(context.Context, []string) error { return nil }

func readChild(context.Context, []string) error { return nil }
