package daemon

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
)

// Serve runs the daemon with the application's options until ctx ends. It listens on an
// address of the loopback too where one is given, and logs to out.
func Serve(ctx context.Context, o caller.Options, listen string, out io.Writer, json bool) error {
	signal.Ignore(syscall.SIGPIPE) // nobody may be reading the log any more
	o.Home = app.New(o).Home()
	d := Daemon{
		App: o, Listen: listen, Reload: hangups(ctx), Manager: TakeManager(o.Getenv),
		Log: newLog(out, json),
	}
	return d.Run(ctx)
}

// hangups passes SIGHUP on until ctx ends.
func hangups(ctx context.Context) <-chan struct{} {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	reload := make(chan struct{})
	go func() {
		defer signal.Stop(hangup)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangup:
			}
			select {
			case <-ctx.Done():
				return
			case reload <- struct{}{}:
			}
		}
	}()
	return reload
}
