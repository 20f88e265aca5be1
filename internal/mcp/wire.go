package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/piton-project/piton/internal/states"
)

// Bounds of the transport.
const (
	maxLine    = states.MaxBytes + 1<<20 // bytes of a message: the largest state and what surrounds it
	maxPending = 256                     // requests without an answer; more are not read
	grace      = time.Minute             // for requests at work at the end: a save of the largest state, on a busy machine
)

// wire is the output that the sessions share, and the count of requests that have
// no answer yet.
type wire struct {
	out     io.Writer
	mu      sync.Mutex
	pending map[jsonrpc.ID]bool
	err     error         // of writing: nobody reads any more
	gone    func()        // called then
	changed chan struct{} // has a value when pending has shrunk
}

// asked notes a request that will be answered; false where one of its id waits for
// an answer already.
func (w *wire) asked(id jsonrpc.ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending[id] {
		return false
	}
	if w.pending == nil {
		w.pending = map[jsonrpc.ID]bool{}
	}
	w.pending[id] = true
	return true
}

// write writes a message.
func (w *wire) write(msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line(text)
	if answer, ok := msg.(*jsonrpc.Response); ok && w.pending[answer.ID] {
		delete(w.pending, answer.ID)
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
	return w.err
}

// refuse writes the answer to a line that is not a message.
func (w *wire) refuse(line []byte, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line(refusal(line, err))
	return w.err
}

// line writes a line, under the lock.
func (w *wire) line(text []byte) {
	if w.err == nil {
		if _, w.err = w.out.Write(append(text, '\n')); w.err != nil {
			w.gone()
		}
	}
}

// drain waits until at most so many requests have no answer, until ctx ends or for
// so long; 0 is without end.
func (w *wire) drain(ctx context.Context, most int, patience time.Duration) {
	var late <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	for {
		w.mu.Lock()
		enough := len(w.pending) <= most || w.err != nil
		w.mu.Unlock()
		if enough {
			return
		}
		select {
		case <-w.changed:
		case <-ctx.Done():
			return
		case <-late:
			return
		}
	}
}

func (w *wire) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// errLong is a line that is longer than what is read of one.
var errLong = fmt.Errorf("the message has more than %d bytes", maxLine)

// readLine reads a line without its end. Of one that is too long nothing is kept:
// errLong, and the next line is read by the next call. The last line may lack its
// end.
func readLine(r *bufio.Reader, most int) (line []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > most; !long {
			// Doubled, not by the quarter that append gives a large slice: 60 MiB are
			// copied once more, not four times.
			if len(line)+len(part) > cap(line) {
				line = slices.Grow(line, max(len(line), len(part)))
			}
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return nil, errLong
		case err != nil && len(line) == 0:
			return nil, err
		}
		return line, nil
	}
}

// refusal is the answer to a line that is not a message, under its id where that can be
// read. The SDK would leave a null id out.
func refusal(line []byte, err error) []byte {
	type failed struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	answer := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   failed          `json:"error"`
	}{"2.0", json.RawMessage("null"), failed{jsonrpc.CodeParseError, "the line is not JSON"}}
	switch {
	case errors.Is(err, errLong):
		answer.Error = failed{jsonrpc.CodeInvalidRequest, err.Error() + "; " + states.HintSize}
	case !json.Valid(line):
		hint, cause := states.Fault(line, nil)
		answer.Error.Message += fmt.Sprintf(": %v; %s", cause, hint)
	default:
		answer.Error = failed{jsonrpc.CodeInvalidRequest, err.Error()}
		var has struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(line, &has)
		if id := has.ID; len(id) > 0 && len(id) <= maxID && strings.IndexByte(`"-0123456789`, id[0]) >= 0 {
			answer.ID = id
		}
	}
	text, _ := json.Marshal(answer)
	return text
}

// exact tells whether the answer to a message will have its id: the SDK reads a number
// as a floating-point number and drops its fraction, so that the answer to a large one,
// or to 1.5, would have another id.
func exact(id jsonrpc.ID, line []byte) bool {
	n, isNumber := id.Raw().(int64)
	if !isNumber {
		return true
	}
	if n >= 1<<53 || n <= -1<<53 {
		return false
	}
	sent, err := strconv.ParseFloat(idText(line), 64)
	return err == nil && sent == float64(n)
}

// idText is the id of a message as it was sent. What stands behind it is not read.
func idText(line []byte) (id string) {
	d := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return ""
		}
		if name.String() == "id" {
			value, err := d.ReadValue()
			if err != nil {
				return ""
			}
			return string(value)
		}
		if d.SkipValue() != nil {
			return ""
		}
	}
	return ""
}
