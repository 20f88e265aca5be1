package daemon

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/screen"
)

// newLog is the daemon's log: JSON lines where JSON is asked for, lines for people on a
// terminal, else those of slog. No secret reaches it.
func newLog(out io.Writer, json, colours bool) *slog.Logger {
	var h slog.Handler
	switch {
	case json:
		h = slog.NewJSONHandler(out, nil)
	case screen.IsTerminal(out):
		h = &personLog{out: out, colours: colours, mu: new(sync.Mutex)}
	default:
		h = slog.NewTextHandler(out, nil)
	}
	return slog.New(redact.Handler(h))
}

// personLog writes a line for each message: the time of day, what happened, and what
// it is about.
type personLog struct {
	out     io.Writer
	colours bool
	mu      *sync.Mutex
	attrs   []slog.Attr
}

func (p *personLog) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

func (p *personLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &personLog{p.out, p.colours, p.mu, append(p.attrs[:len(p.attrs):len(p.attrs)], attrs...)}
}

// WithGroup leaves the names as they are: a line has few.
func (p *personLog) WithGroup(string) slog.Handler { return p }

func (p *personLog) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Time.Local().Format("15:04:05") + " ")
	switch {
	case r.Level >= slog.LevelError:
		b.WriteString(p.colour("error", 1) + " ")
	case r.Level >= slog.LevelWarn:
		b.WriteString(p.colour("warning", 3) + " ")
	}
	b.WriteString(screen.Line(r.Message))
	sep := ": "
	add := func(a slog.Attr) bool {
		if text := screen.Line(a.Value.String()); text != "" {
			fmt.Fprintf(&b, "%s%s %s", sep, strings.ReplaceAll(a.Key, "_", " "), text)
			sep = ", "
		}
		return true
	}
	for _, a := range p.attrs {
		add(a)
	}
	r.Attrs(add)
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := io.WriteString(p.out, b.String()+"\n")
	return err
}

// colour gives a text one of the terminal's first eight colours, where they are wanted.
func (p *personLog) colour(text string, number int) string {
	if !p.colours {
		return text
	}
	return fmt.Sprintf("\x1b[3%dm%s\x1b[0m", number, text)
}
