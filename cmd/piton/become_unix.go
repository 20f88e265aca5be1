//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/piton-project/piton"
)

// become has another program take the place of this one in its process: who has started
// this one keeps its number, its streams, its signals and its exit status. It returns
// only where that failed, or where ctx has ended.
func (con *console) become(ctx context.Context, argv []string) error {
	signal.Reset(os.Interrupt, syscall.SIGTERM) // from here on they end the process
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := syscall.Exec(argv[0], argv, os.Environ())
	return &piton.Error{Code: piton.Unavailable, Op: "start " + argv[0], Err: err}
}
