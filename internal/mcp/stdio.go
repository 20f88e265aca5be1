package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton/internal/store/localfs"
)

// Serve answers the messages on in, one on a line, until in or ctx ends, and
// writes nothing but messages to out.
//
// It reads the lines itself, because the SDK's transport ends at the first line
// that is not a message, and drops the requests at work when the input ends. And it
// serves two sessions of the SDK's over the one pair of streams (see lanes).
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	s, _ := newServer(o)
	return serve(ctx, s, in, out)
}

func serve(ctx context.Context, s *mcp.Server, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w := &wire{out: out, changed: make(chan struct{}, 1), gone: stop}
	l := lanes{server: s, wire: w}
	r := bufio.NewReaderSize(localfs.Interruptible(ctx, in), 64<<10)
	for ctx.Err() == nil {
		line, err := readLine(r, maxLine)
		if err == nil || errors.Is(err, errLong) {
			err = l.take(ctx, line, err)
		}
		if err != nil {
			break
		}
	}
	w.drain(context.WithoutCancel(ctx), 0, grace)
	l.close()
	return w.failed()
}
