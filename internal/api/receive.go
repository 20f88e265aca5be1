package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/piton-project/piton/internal/states"
)

// receive reads the body of a request before a verb sees it, so that a body that is too
// large, late or broken off is one of three failures, wherever it was sent. A streamed
// one is read by its verb. free gives its memory back.
func (s *Server) receive(p *paced, r *http.Request, x bounds) (free func(), err error) {
	if r.ContentLength == 0 {
		return func() {}, nil
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, refuse(http.StatusUnsupportedMediaType, "send it as it is, without Content-Encoding", "the body is encoded as %s", coding)
	}
	if r.ContentLength > x.limit {
		return nil, tooLarge(r.ContentLength, x.limit)
	}
	release, err := place(r.Context(), s.bodies, x.weight(r.ContentLength), "large bodies are being received")
	if err != nil {
		return nil, err
	}
	b := &bounded{ReadCloser: http.MaxBytesReader(p, r.Body, x.limit), until: p.control.SetReadDeadline, end: time.Now().Add(x.patience), pause: x.pause}
	b.wait()
	calm := context.AfterFunc(s.ending, b.hurry)
	free = func() { calm(); release() }
	r.Body = b
	if x.streamed {
		return free, nil
	}
	text := bytes.NewBuffer(make([]byte, 0, max(r.ContentLength, 0)+bytes.MinRead))
	if _, err := text.ReadFrom(b); err != nil {
		free()
		return nil, b.broken()
	}
	r.ContentLength = int64(text.Len())
	r.Body = io.NopCloser(text)
	return free, nil
}

// tooLarge refuses a body of so many bytes; of a negative number nobody has counted
// them.
func tooLarge(size, limit int64) error {
	has, hint := fmt.Sprintf("has %d bytes", size), ""
	if size < 0 {
		has = "is too large"
	}
	if limit == maxState {
		hint = states.HintSize
	}
	return refuse(http.StatusRequestEntityTooLarge, hint, "the body %s: at most %d bytes are taken here", has, limit)
}

// bounded is a body that must come within its time, and each piece of it within the
// pause. At its end the time is lifted: net/http would end the request with it.
type bounded struct {
	io.ReadCloser
	until  func(time.Time) error
	pause  time.Duration
	failed error // of a read, other than its end

	mu      sync.Mutex
	end     time.Time
	over    bool // it has come, or cannot
	hurried bool // the server is to stop
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.pause > 0 {
		b.wait()
	}
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		b.lift()
	case err != nil:
		b.failed = err
	}
	return n, err
}

// lift takes the time away: nothing more is to come.
func (b *bounded) lift() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	_ = b.until(time.Time{})
}

// hurry gives what is still to come a short time.
func (b *bounded) hurry() {
	b.mu.Lock()
	if last := time.Now().Add(lastPatience); last.Before(b.end) {
		b.end, b.hurried = last, true
	}
	b.mu.Unlock()
	b.wait()
}

// wait sets until when is waited for what comes next.
func (b *bounded) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return
	}
	end := b.end
	if next := time.Now().Add(b.pause); b.pause > 0 && next.Before(end) {
		end = next
	}
	_ = b.until(end)
}

// broken is why the body could not be read to its end; nil where it could.
func (b *bounded) broken() error {
	var large *http.MaxBytesError
	var late net.Error
	b.mu.Lock()
	hurried := b.hurried
	b.mu.Unlock()
	switch {
	case b.failed == nil:
		return nil
	case errors.As(b.failed, &large):
		return tooLarge(-1, large.Limit)
	case errors.As(b.failed, &late) && late.Timeout() && hurried:
		return refuse(http.StatusServiceUnavailable, "send it again when it runs again", "the daemon is about to end, and the body had not come")
	case errors.As(b.failed, &late) && late.Timeout():
		return refuse(http.StatusRequestTimeout, "send it again", "the body did not come in time")
	}
	return refuse(http.StatusUnprocessableEntity, "send all of it", "the body was broken off, or is not sent as HTTP has it")
}
