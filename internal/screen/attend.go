package screen

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Attend runs a program that has our terminal until it ends, and returns why it did not
// start, and how it ended. A Ctrl-C is the program's: the terminal sends it to both of
// us, and we must outlive the program. What is sent to us alone is passed on.
func Attend(x *exec.Cmd) (start, end error) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := x.Start(); err != nil {
		return err, nil
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
			return nil, err
		}
	}
}
