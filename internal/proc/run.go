// Package proc runs programs in process groups of their own, with limits, and says which process owns what.
package proc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"time"
)

const (
	maxOutput = 64 << 20
	grace     = 500 * time.Millisecond
)

// Command says what to run. Argv is looked up in our own PATH, whatever Env says.
type Command struct {
	Argv      []string
	Dir       string        // ours when empty
	Env       []string      // inherited when nil
	Stdin     []byte        // nothing when empty
	Out, Err  io.Writer     // also get the streams, all of them, as they come; what these writers say is not heard. Nil: none
	MaxOutput int           // bytes kept of each stream; 64 MiB when 0
	Ends      bool          // of a longer stream the beginning and the end are kept, half each, instead of the beginning
	Joined    bool          // stderr goes into Stdout, in the order it was written
	Alone     bool          // in a session of its own: it cannot reach our terminal, and what it leaves running in its group is killed, also if we are; when it is ended, all that came of it, as far as the system tells
	Mark      string        // NAME=VALUE, added to Env: what has it and still runs at the end is killed, wherever it went (Linux)
	Timeout   time.Duration // counted as Within counts; none when 0
	Grace     time.Duration // from the request to end (SIGTERM) to SIGKILL; 500 ms when 0

	watched func() // tests are told when a command that runs Alone is watched
}

// Result is what a program that was started left behind.
type Result struct {
	Stdout, Stderr []byte
	Code           int  // exit status; 128 + n when signal n ended it, as shells count
	Cut            bool // a stream was longer than MaxOutput
	TimedOut       bool // Timeout ran out
}

// Run runs c to its end. Exit statuses and time-outs are Results; an error is a program that could not be started
// (errors.Is exec.ErrNotFound where there is none) or a ctx that ended first; then it wraps ctx's own.
//
// When Timeout runs out or ctx ends, the whole process group is told to end and after Grace killed. A program that ends by itself
// may leave others running in the background; they are left alone (but see Alone), and what they write after Grace is not waited for.
func Run(ctx context.Context, c Command) (Result, error) {
	if len(c.Argv) == 0 {
		return Result{}, errors.New("run: no program named")
	}
	c.MaxOutput = cmp.Or(c.MaxOutput, maxOutput)
	c.Grace = cmp.Or(c.Grace, grace)
	limited, cancel := ctx, context.CancelFunc(func() {})
	if c.Timeout > 0 {
		limited, cancel = Within(ctx, c.Timeout)
	}
	defer cancel()

	stdout, stderr := newKept(c.MaxOutput, c.Ends), newKept(c.MaxOutput, c.Ends)
	cmd := exec.CommandContext(limited, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.environ()
	out, err := newStream(beside(stdout, c.Out))
	if err != nil {
		return Result{}, startError(c, err)
	}
	errs := out
	if !c.Joined {
		if errs, err = newStream(beside(stderr, c.Err)); err != nil {
			out.close()
			return Result{}, startError(c, err)
		}
	}
	cmd.Stdout, cmd.Stderr = out.theirs, errs.theirs
	if len(c.Stdin) > 0 {
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	group := newGroup(cmd, c.Alone)
	var ended time.Time // when we asked it to end; Wait returns after Cancel, so no lock
	cmd.Cancel = func() error {
		ended = time.Now()
		look() // while parents live it is clear whose children they are
		return group.terminate()
	}
	cmd.WaitDelay = c.Grace // then the leader is killed

	var watch watcher
	if c.Alone {
		watch = newWatcher()
		defer watch.end()
	}
	begun, err := start(cmd, c.Alone)
	if err != nil {
		out.close()
		errs.close()
		return Result{}, startError(c, err)
	}
	defer begun.done(cmd.Process.Pid)
	out.theirs.Close()
	errs.theirs.Close()
	watch.name(group)
	if c.watched != nil {
		c.watched()
	}
	err = cmd.Wait()
	stopped, last := limited.Err() != nil && !ended.IsZero(), time.Now().Add(c.Grace)
	if stopped {
		last = ended.Add(c.Grace)
		group.kill(last)
	}
	out.wait(last)
	errs.wait(last)
	if c.Alone && !stopped {
		group.kill(time.Time{})
	}
	if c.Alone && (stopped || c.Mark != "") {
		begun.end()
	}
	if c.Mark != "" {
		EndMarked(c.Mark)
	}
	r := Result{Stdout: stdout.bytes(), Stderr: stderr.bytes(), Cut: stdout.left > 0 || stderr.left > 0, Code: exitCode(cmd.ProcessState)}
	var exit *exec.ExitError
	switch {
	case stopped && ctx.Err() != nil:
		return r, fmt.Errorf("run %s: %w", c.Argv[0], context.Cause(ctx))
	case stopped:
		r.TimedOut = true
		return r, nil
	case err == nil, errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay):
		return r, nil
	}
	return r, fmt.Errorf("run %s: %w", c.Argv[0], err)
}

// environ is the program's environment, with the mark; nil for ours.
func (c Command) environ() []string {
	switch {
	case c.Mark == "":
		return c.Env
	case c.Env == nil:
		return append(os.Environ(), c.Mark)
	}
	return append(slices.Clip(c.Env), c.Mark)
}

// startError makes the error exec.ErrNotFound for a missing program, also where it was named with its folder. The kernel gives the same
// error for a missing Dir.
func startError(c Command, err error) error {
	if _, dir := os.Stat(c.Dir); c.Dir != "" && dir != nil {
		err = dir
	} else if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("%w: %w", exec.ErrNotFound, err)
	}
	return notStarted{fmt.Errorf("run %s: %w", c.Argv[0], err)}
}

// ErrNotStarted is of a program that did not start: it has done nothing.
var ErrNotStarted = errors.New("the program did not start")

type notStarted struct{ error }

func (e notStarted) Unwrap() error      { return e.error }
func (notStarted) Is(target error) bool { return target == ErrNotStarted }
