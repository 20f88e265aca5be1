package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/piton-project/piton"
)

// execute runs a client with our terminal and ends as it does.
func (con *console) execute(argv []string) error {
	if len(argv) == 0 {
		return piton.Errorf(piton.Invalid, "start the client", "give --agent", "there is no command for this checkpoint")
	}
	x := exec.Command(argv[0], argv[1:]...)
	x.Stdin, x.Stdout, x.Stderr = con.in, con.out, con.err
	// A Ctrl-C is the client's: the terminal sends it to both of us, and we
	// must outlive the client. What is sent to us alone is passed on.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := x.Start(); err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: "start " + argv[0], Hint: "see that it is installed and in PATH", Err: err}
	}
	done := make(chan error, 1)
	go func() { done <- x.Wait() }()
	for {
		select {
		case s := <-signals:
			if s != os.Interrupt {
				_ = x.Process.Signal(s)
			}
		case err := <-done:
			var ended *exec.ExitError
			if !errors.As(err, &ended) && err != nil {
				return &piton.Error{Code: piton.Unavailable, Op: "run " + argv[0], Err: err}
			}
			con.status = exitOf(ended)
			return nil
		}
	}
}

// exitOf is a program's exit status as shells have it; nil ended well.
func exitOf(ended *exec.ExitError) int {
	if ended == nil {
		return 0
	}
	if w, ok := ended.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return max(ended.ExitCode(), 1)
}
