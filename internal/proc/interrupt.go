package proc

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible returns a context that ends with the first Ctrl-C or SIGTERM. A second one
// ends the program at once, whatever the first could not end. It is for a main function,
// before anything else.
func Interruptible() context.Context {
	// The first use of processes in package os tries with a child what the system can do.
	// It shares our memory and blocks no signal, so a Ctrl-C that reaches it too can take
	// us down with it. Here, where one ends us anyway, is the moment for that.
	_, _ = os.FindProcess(os.Getpid())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx
}
