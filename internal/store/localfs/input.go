package localfs

import (
	"context"
	"errors"
	"io"
)

// OpenInput opens a file that a person has named, for reading until ctx ends.
// It never waits for a pipe's other end.
func OpenInput(ctx context.Context, name string) (io.ReadCloser, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return f, nil
	}
	return &pipe{Reader: Interruptible(ctx, f), Closer: f}, nil
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

// Interruptible reads until ctx ends: a read from a terminal or a pipe cannot
// be interrupted, only left alone.
func Interruptible(ctx context.Context, in io.Reader) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	return r
}
