package main

import (
	"context"
	"io"

	"github.com/piton-project/piton/localfs"
)

// openInput opens a file that a person has named, for reading until ctx ends.
// It never waits for a pipe's other end.
func openInput(ctx context.Context, name string) (io.ReadCloser, error) {
	f, err := localfs.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return f, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{interruptible(ctx, f), f}, nil
}
