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
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	o.Home = app.New(o).Home()
	d := Daemon{
		App: o, Listen: listen, Reload: hangups, Manager: TakeManager(o.Getenv),
		Log: newLog(out, json),
	}
	return d.Run(ctx)
}
