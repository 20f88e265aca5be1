package daemon

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/screen"
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

// newLog is the daemon's log: JSON lines where JSON is asked for, else those of slog, on a
// terminal with the time of day alone. No secret reaches it.
func newLog(out io.Writer, json bool) *slog.Logger {
	o := &slog.HandlerOptions{}
	if screen.IsTerminal(out) {
		o.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
				a.Value = slog.StringValue(a.Value.Time().Local().Format("15:04:05"))
			}
			return a
		}
	}
	if json {
		return slog.New(redact.Handler(slog.NewJSONHandler(out, nil)))
	}
	return slog.New(redact.Handler(slog.NewTextHandler(out, o)))
}
