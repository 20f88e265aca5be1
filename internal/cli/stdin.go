package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/states"
)

// How long a save without --state waits for a pipe on stdin. Nobody writes to
// many of them: programs that run commands leave one open.
const (
	firstByte = 500 * time.Millisecond  // for the first byte
	fedByte   = 1500 * time.Millisecond // and then, where another program may write
	nextByte  = 10 * time.Second        // for the rest of a state that has begun
	lastByte  = time.Second             // for more, once the state is whole
)

const stdinOp = "read the state from stdin"

// alone is how to save without what stands on stdin.
const alone = "to save without what stands on standard input, add </dev/null"

// stdinState is the state that stands in a pipe or a file on stdin where
// --state was not given; nil where none does. idle: a pipe stayed open and
// empty. What stands there and is not a state is Invalid, and where the system
// allows it, it is left there: it may be the rest of a script or of a loop.
func (con *Console) stdinState(ctx context.Context) (state []byte, idle bool, err error) {
	f, ok := con.In.(*os.File)
	if !ok {
		return nil, false, nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil, false, nil // closed
	}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		state, err = fileState(f, info)
	case mode&(os.ModeNamedPipe|os.ModeSocket) != 0:
		state, idle, err = pipeState(ctx, f, proc.Fed)
	}
	if err != nil || len(bytes.TrimSpace(state)) == 0 {
		return nil, idle, err
	}
	return state, false, nil
}

// fileState reads a file without moving its offset, unless it is the state.
func fileState(f *os.File, info os.FileInfo) ([]byte, error) {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil || at >= info.Size() {
		return nil, nil
	}
	if at > 0 { // a loop or a script reads it, line by line
		return nil, piton.Errorf(piton.Invalid, stdinOp, alone+"; if the rest of it is the state, add --state -", "standard input is a file that was read in part, up to byte %d", at)
	}
	if info.Size() > states.MaxBytes {
		return nil, states.TooLarge(stdinOp, info.Size())
	}
	b := make([]byte, info.Size())
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, &piton.Error{Code: piton.Invalid, Op: stdinOp, Hint: alone, Err: err}
	}
	if err := acceptable(b[:n]); err != nil {
		return nil, err
	}
	_, _ = f.Seek(0, io.SeekEnd)
	return b[:n], nil
}

// pipeState reads a pipe or a socket to its end. Nothing is read from one that
// stays empty, or that begins with what is not a state. fed tells whether another program
// has it open; one that has not may have written and ended while it was asked.
func pipeState(ctx context.Context, f *os.File, fed func(*os.File) bool) (state []byte, idle bool, err error) {
	ready, err := readable(ctx, f, firstByte)
	switch {
	case err != nil || ready:
	case !fed(f):
		ready, err = readable(ctx, f, 0)
	default:
		if ready, err = readable(ctx, f, fedByte); err != nil || ready {
			break
		}
		if !fed(f) { // a program that was being started had it, say
			ready, err = readable(ctx, f, 0)
			break
		}
		err = piton.Errorf(piton.Invalid, stdinOp, "to wait for its end, add --state -; "+alone,
			"another program has standard input open and wrote nothing for %s", firstByte+fedByte)
	}
	if err != nil || !ready {
		return nil, err == nil, err
	}
	if begin := peek(f); noState(begin) {
		return nil, false, acceptable(begin)
	}
	chunk := make([]byte, 64<<10)
	for len(state) <= states.MaxBytes {
		if ready, err = readable(ctx, f, 0); err == nil && !ready {
			whole := ends(state)
			wait := nextByte
			if whole {
				wait = lastByte
			}
			if ready, err = readable(ctx, f, wait); err == nil && !ready {
				if whole {
					break
				}
				err = piton.Errorf(piton.Invalid, stdinOp, "to wait for its end, add --state -", "standard input stopped in the middle: nothing came for %s", nextByte)
			}
		}
		if err != nil {
			return nil, false, err
		}
		n, err := f.Read(chunk)
		state = append(state, chunk[:n]...)
		if errors.Is(err, io.EOF) || n == 0 {
			break
		}
		if err != nil {
			return nil, false, &piton.Error{Code: piton.Invalid, Op: stdinOp, Hint: alone, Err: err}
		}
	}
	if len(state) > states.MaxBytes {
		return nil, false, states.TooLarge(stdinOp, -1)
	}
	return state, false, acceptable(state)
}

// acceptable refuses what is not a state; blank is nothing at all.
func acceptable(b []byte) error {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil
	}
	_, err := states.Compact(b)
	if err == nil && isHookEvent(b) {
		return piton.Errorf(piton.Invalid, stdinOp, alone+"; if it is the state all the same, add --state -", "this is what a client tells its hooks, and no state")
	}
	var e *piton.Error
	if !errors.As(err, &e) {
		return err
	}
	with := *e
	with.Op, with.Hint = stdinOp, alone
	if e.Hint != "" {
		with.Hint = e.Hint + "; " + alone
	}
	return &with
}

// isHookEvent tells whether an object is an event that a client gives to its
// hooks: a person's own hook that saves has it on stdin.
func isHookEvent(b []byte) bool {
	var event struct {
		Name    *string `json:"hook_event_name"`
		Session *string `json:"session_id"`
	}
	return bytes.Contains(b, []byte(`"hook_event_name"`)) && json.Unmarshal(b, &event) == nil && event.Name != nil && event.Session != nil
}

// noState tells whether what a pipe begins with cannot be a state, whatever
// follows: it is not an object, or more follows after one.
func noState(begin []byte) bool {
	begin = bytes.TrimSpace(begin)
	if len(begin) == 0 {
		return false
	}
	d := jsontext.NewDecoder(bytes.NewReader(begin), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if d.PeekKind() != '{' {
		return true
	}
	err := d.SkipValue()
	if err != nil {
		return !errors.Is(err, io.ErrUnexpectedEOF)
	}
	return len(bytes.TrimSpace(begin[d.InputOffset():])) > 0
}

// ends tells whether a state is whole.
func ends(b []byte) bool {
	b = bytes.TrimSpace(b)
	return bytes.HasSuffix(b, []byte("}")) && jsontext.Value(b).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// pass is how long Ctrl-C waits for a wait.
const pass = 100 * time.Millisecond

// readable waits until something can be read from a file, or its end has come.
func readable(ctx context.Context, f *os.File, wait time.Duration) (bool, error) {
	for {
		if ctx.Err() != nil {
			return false, &piton.Error{Code: piton.Unavailable, Op: stdinOp, Err: ctx.Err()}
		}
		ready, err := poll(f, min(wait, pass))
		if err != nil {
			return false, &piton.Error{Code: piton.Invalid, Op: stdinOp, Hint: alone, Err: err}
		}
		if wait -= pass; ready || wait <= 0 {
			return ready, nil
		}
	}
}
