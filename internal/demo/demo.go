// Package demo shows Piton at work in a throw-away folder: an agent is held and
// let go, and a program that was killed is resumed. Each step is checked.
package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/piton-project/piton"
)

// Options say how a demo is shown.
type Options struct {
	Out    io.Writer // where it is told
	Err    io.Writer // progress, where Live, and what could not be tidied up
	Live   bool      // Err is a terminal
	Paint  Paint
	Keep   bool // the folder is kept
	Getenv func(string) string
}

// Run shows all parts and removes the folder, whatever happens. A terminal that
// closes or a reader that goes away ends it like Ctrl-C.
func Run(ctx context.Context, o Options) (seen Seen, err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	pipe := make(chan os.Signal, 1) // else a broken pipe would kill us before we have tidied up
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	t := &teller{out: &listened{o.Out, stop}, err: o.Err, live: o.Live, paint: o.Paint}
	s := &stage{teller: t, keep: o.Keep, getenv: o.Getenv}
	if err := s.findPrograms(); err != nil {
		return seen, err
	}
	if err := s.make(); err != nil {
		return seen, err
	}
	defer func() {
		left := s.remove()
		if err == nil {
			err = left
		} else if left != nil {
			fmt.Fprintf(o.Err, "piton: %v\n", left)
		}
	}()
	start := time.Now()
	err = s.build(ctx)
	seen.BuildMS = time.Since(start).Milliseconds()
	start = time.Now()
	if err == nil {
		err = show(ctx, s, &seen)
	}
	if err != nil && ctx.Err() != nil {
		err = piton.Errorf(piton.Internal, "", "", "the demo was interrupted")
	}
	if err != nil {
		return seen, err
	}
	seen.ElapsedMS = time.Since(start).Milliseconds()
	t.printf("\n%s Held, verified, let go; killed, and resumed with nothing lost: %.1f s.\n", t.paint.Green("Done."), float64(seen.ElapsedMS)/1000)
	if o.Keep {
		seen.Kept = s.dir
		t.printf("Kept: %s\nLook around in it with PITON_HOME=%s\n", s.dir, s.state)
	} else {
		t.printf("The folder is removed again. To set Piton up for your agent: piton init\n")
	}
	return seen, nil
}

// show shows the session, the kill and the resume.
func show(ctx context.Context, s *stage, seen *Seen) error {
	p, err := newPlayer(s, seen)
	if err == nil {
		err = p.play(ctx)
	}
	c := &crash{stage: s, seen: seen}
	if err == nil {
		err = c.kill(ctx)
	}
	if err == nil {
		err = c.resume(ctx)
	}
	return err
}

// listened is a writer that ends the demo when nobody listens any more.
type listened struct {
	io.Writer
	stop func()
}

func (l *listened) Write(p []byte) (int, error) {
	n, err := l.Writer.Write(p)
	if err != nil {
		l.stop()
	}
	return n, err
}
