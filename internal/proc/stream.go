package proc

import (
	"errors"
	"io"
	"os"
	"time"
)

// stream is one of the streams that a program writes, on its way to us. What the
// program wrote before its end arrives, however slow who watches it or the machine is:
// os/exec would leave what is still in the pipe WaitDelay after the end.
type stream struct {
	from, theirs *os.File
	copied       chan struct{}
}

// newStream begins to copy a stream. The program is given theirs.
func newStream(to io.Writer) (*stream, error) {
	from, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s := &stream{from: from, theirs: theirs, copied: make(chan struct{})}
	go func() {
		defer close(s.copied)
		if _, err := io.Copy(to, struct{ io.Reader }{from}); errors.Is(err, os.ErrDeadlineExceeded) {
			drain(from, to)
		}
	}()
	return s, nil
}

// wait waits until all is copied. Who else holds the stream, a program in the
// background, is read until the deadline.
func (s *stream) wait(deadline time.Time) {
	if s.from.SetReadDeadline(deadline) != nil { // a system without deadlines for pipes
		select {
		case <-s.copied:
		case <-time.After(time.Until(deadline)):
		}
		s.from.Close()
	}
	<-s.copied
	s.from.Close()
}

// close ends a stream of a program that was not started.
func (s *stream) close() {
	s.theirs.Close()
	s.wait(time.Now())
}
