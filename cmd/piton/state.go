package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/states"
)

// givenState is the state that --state names, else what stands on stdin; nil
// where there is neither. idle: stdin stayed open and empty.
func (con *console) givenState(c *cobra.Command, file string) (state []byte, idle bool, err error) {
	if !c.Flags().Changed("state") {
		return con.stdinState(c.Context())
	}
	if state, err = con.readState(c.Context(), file); err == nil {
		_, err = states.Compact(state)
	}
	return state, false, err
}

// readState reads a state from a file or stdin, no more than fits.
func (con *console) readState(ctx context.Context, file string) ([]byte, error) {
	const hint = "give a file that can be read, or - for stdin"
	in, op, size := con.In, "read the state from "+file, int64(-1)
	switch {
	case file != "-":
		f, err := app.OpenInput(ctx, file)
		if err != nil && strings.HasPrefix(strings.TrimSpace(file), "{") {
			return nil, piton.Errorf(piton.Invalid, "read the state", "give it on stdin: echo '{…}' | piton save --state -", "this is a state and no file")
		}
		if err != nil {
			return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
		}
		defer f.Close()
		in, size = f, sizeOf(os.Stat(file))
	case screen.IsTerminal(in):
		con.Say("Type the state, a JSON object, and end with Ctrl-D.")
		fallthrough
	default:
		if f, ok := in.(*os.File); ok {
			size = sizeOf(f.Stat())
		}
		in, op = app.Interruptible(ctx, in), stdinOp
	}
	b, err := io.ReadAll(io.LimitReader(in, states.MaxBytes+1))
	switch {
	case ctx.Err() != nil:
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Err: ctx.Err()}
	case err != nil:
		return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
	case len(b) > states.MaxBytes:
		return nil, states.TooLarge(op, size)
	case len(bytes.TrimSpace(b)) == 0:
		return nil, piton.Errorf(piton.Invalid, op, "give a JSON object, {} at least; without --state Piton finds a state itself", "it is empty")
	}
	return b, nil
}

// sizeOf is how large a file is; -1 for what has no size before it is read.
func sizeOf(info os.FileInfo, err error) int64 {
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// readInput reads a file that a person has named, - for stdin, no more than a
// state may have.
func (con *console) readInput(ctx context.Context, file, what string) ([]byte, error) {
	op := "read " + what + " " + file
	in := con.In
	if file != "-" {
		f, err := app.OpenInput(ctx, file)
		if err != nil {
			return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: "give a file that can be read, or - for stdin", Err: err}
		}
		defer f.Close()
		in = f
	} else {
		in = app.Interruptible(ctx, in)
	}
	b, err := io.ReadAll(io.LimitReader(in, states.MaxBytes+1))
	switch {
	case ctx.Err() != nil:
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Err: ctx.Err()}
	case err != nil:
		return nil, &piton.Error{Code: piton.Invalid, Op: op, Err: err}
	case len(bytes.TrimSpace(b)) == 0:
		return nil, piton.Errorf(piton.Invalid, op, "'piton schema plan' describes plans", "it is empty")
	}
	return b, nil
}

// sayIdle says that nothing was read from a pipe that stayed open and empty.
func (con *console) sayIdle() {
	if !con.JSON {
		con.Say("piton: standard input stayed open and empty for %s and was not read; add --state - to read it to its end", firstByte)
	}
}
