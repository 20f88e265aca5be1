package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store/localfs"
)

// GivenState is the state that --state names, else what stands on stdin; nil
// where there is neither. idle: stdin stayed open and empty.
func (con *Console) GivenState(c *cobra.Command, file string) (state []byte, idle bool, err error) {
	if !c.Flags().Changed("state") {
		return con.stdinState(c.Context())
	}
	if state, err = con.readState(c.Context(), file); err == nil {
		_, err = states.Compact(state)
	}
	return state, false, err
}

// readState reads a state from a file or stdin, no more than fits.
func (con *Console) readState(ctx context.Context, file string) ([]byte, error) {
	op, size := "read the state from "+file, sizeOf(os.Stat(file))
	if file == "-" {
		op, size = stdinOp, -1
		if f, ok := con.In.(*os.File); ok {
			size = sizeOf(f.Stat())
		}
		if screen.IsTerminal(con.In) {
			con.Say("Type the state, a JSON object, and end with Ctrl-D.")
		}
	}
	b, err := con.ReadInput(ctx, file, op, toRead, "give a JSON object, {} at least; without --state Piton finds a state itself")
	switch {
	case err != nil && strings.HasPrefix(strings.TrimSpace(file), "{"):
		return nil, piton.Errorf(piton.Invalid, "read the state", "give it on stdin: echo '{…}' | piton save --state -", "this is a state and no file")
	case len(b) > states.MaxBytes:
		return nil, states.TooLarge(op, size)
	}
	return b, err
}

// sizeOf is how large a file is; -1 for what has no size before it is read.
func sizeOf(info os.FileInfo, err error) int64 {
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// toRead is the hint where an input cannot be read.
const toRead = "give a file that can be read, or - for stdin"

// ReadInput reads a file that a person has named, - for stdin, and a byte more than a state
// may have at most. The hints are for what fails while it is read, and is empty.
func (con *Console) ReadInput(ctx context.Context, file, op, torn, empty string) ([]byte, error) {
	in := con.In
	if file == "-" {
		in = localfs.Interruptible(ctx, in)
	} else {
		f, err := localfs.OpenInput(ctx, file)
		if err != nil {
			return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: toRead, Err: err}
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, states.MaxBytes+1))
	switch {
	case ctx.Err() != nil:
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Err: ctx.Err()}
	case err != nil:
		return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: torn, Err: err}
	case len(bytes.TrimSpace(b)) == 0:
		return nil, piton.Errorf(piton.Invalid, op, empty, "it is empty")
	}
	return b, nil
}

// SayIdle says that nothing was read from a pipe that stayed open and empty.
func (con *Console) SayIdle() {
	if !con.JSON {
		con.Say("piton: standard input stayed open and empty for %s and was not read; add --state - to read it to its end", firstByte)
	}
}

// NotRead is the error of a save that could not do without what stands on stdin, which
// stayed open and empty.
func NotRead(err error) error {
	return piton.Errorf(piton.Invalid, stdinOp, "add --state - to read it to its end; "+alone, "standard input stayed open and empty for %s: %v", firstByte, err)
}
