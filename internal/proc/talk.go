package proc

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// maxLine is the longest line of an answer that Talk reads.
const maxLine = 4 << 20

// Talk runs a program that answers on stdout, line by line, what it reads on stdin. It sends c.Stdin first, passes each line to hear,
// and sends what hear returns, until hear is done. Then, and when Timeout runs out or ctx ends, the program's whole group is ended; its
// exit status does not matter. The error is that it could not be started, or ended before hear was done.
func Talk(ctx context.Context, c Command, hear func(line []byte) (more []byte, done bool)) error {
	if len(c.Argv) == 0 {
		return errors.New("run: no program named")
	}
	c.Grace = cmp.Or(c.Grace, grace)
	if c.Timeout > 0 {
		limited, cancel := Within(ctx, c.Timeout)
		defer cancel()
		ctx = limited
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.Dir, c.Env, c.Grace
	group := newGroup(cmd, false)
	cmd.Cancel = group.terminate
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("run %s: %w", c.Argv[0], err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run %s: %w", c.Argv[0], err)
	}
	begun, err := start(cmd, false)
	if err != nil {
		return startError(c, err)
	}
	defer begun.done(cmd.Process.Pid)
	context.AfterFunc(ctx, func() { out.Close(); in.Close() }) // one of its children may hold the streams
	talked := converse(in, out, c.Stdin, hear)
	late := context.Cause(ctx)
	end()
	cmd.Wait()
	group.kill(time.Now().Add(c.Grace))
	if talked != nil && late != nil {
		talked = late
	}
	if talked != nil {
		return fmt.Errorf("talk with %s: %w", c.Argv[0], talked)
	}
	return nil
}

// converse sends and reads until hear is done.
func converse(in io.Writer, out io.Reader, first []byte, hear func(line []byte) ([]byte, bool)) error {
	if _, err := in.Write(first); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		more, done := hear(lines.Bytes())
		if done {
			return nil
		}
		if len(more) > 0 {
			if _, err := in.Write(more); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}
