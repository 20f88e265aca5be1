package cli

import (
	"bufio"
	"context"
	"sync"
)

// typedLines reads lines for those who ask for one. A read of a terminal cannot be broken
// off: a line that comes when nobody asks any more is dropped, because it answers nothing.
type typedLines struct {
	in      *bufio.Reader
	mu      sync.Mutex
	reading bool
	asker   chan<- typedLine // nil: nobody asks
}

type typedLine struct {
	text string
	err  error
}

// next returns the next line that is typed.
func (t *typedLines) next(ctx context.Context) (string, error) {
	line := make(chan typedLine, 1)
	t.mu.Lock()
	t.asker = line
	if !t.reading {
		t.reading = true
		go t.read()
	}
	t.mu.Unlock()
	select {
	case l := <-line:
		return l.text, l.err
	case <-ctx.Done():
		t.mu.Lock()
		defer t.mu.Unlock()
		t.asker = nil
		return "", ctx.Err()
	}
}

// read reads one line, and gives it to who asks then.
func (t *typedLines) read() {
	text, err := t.in.ReadString('\n')
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reading = false; t.asker != nil {
		t.asker <- typedLine{text, err}
		t.asker = nil
	}
}
