package daemon

import (
	"io"
	"log/slog"

	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/screen"
)

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
