package main

import (
	"context"
	"errors"
	"io"

	"github.com/piton-project/piton/internal/store/localfs"
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
	return &pipe{Reader: interruptible(ctx, f), Closer: f}, nil
}

// pipe is a pipe that a person has named. One that ends before it has given
// anything had no writer.
type pipe struct {
	io.Reader
	io.Closer
	begun bool
}

func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err == io.EOF && n == 0 && !p.begun {
		return 0, errors.New("it is a pipe that nothing has been written to; give - and pipe the data in")
	}
	p.begun = p.begun || n > 0
	return n, err
}
