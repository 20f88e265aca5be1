package pane

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/tmux"
)

// belowShell reports whether the pane's own process is a shell that a person types to.
func (v view) belowShell() bool {
	return !v.Dead && len(v.tree) > 0 && isShell(v.tree[0]) && v.client.PID != v.PID
}

// unfit says why a client could not be started again in a pane; "" where it can be.
func (v view) unfit(name string) string {
	switch {
	case v.belowShell() && v.Unsafe != "":
		return v.Unsafe
	case v.Dead, v.client.PID != 0, v.belowShell() && v.tree[0].Foreground:
		return ""
	}
	return "something else than " + name + " runs in pane " + v.ID
}

// quoted is a text as a shell takes it as it is.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// clean gives the shell an empty line: what was typed ahead, what an ended program's
// terminal has answered, and a command that goes on over several lines are given up. It
// returns the pane as it is then, at rest; one without an id where it does not rest. The
// letter leaves vi's command mode; in any other it is typed, and removed again.
func (p Panes) clean(ctx context.Context, v view) (tmux.Pane, error) {
	at := v.Pane
	for _, key := range []string{"C-c", "i", "C-u"} {
		done, err := v.server.Key(ctx, at, key)
		if err == nil && done {
			at, err = p.rest(ctx, v)
		}
		if err != nil || !done || at.ID == "" {
			return tmux.Pane{}, err
		}
	}
	return at, nil
}

// rest waits until two looks in turn show the same.
func (p Panes) rest(ctx context.Context, v view) (last tmux.Pane, err error) {
	for range 10 {
		p.sleep(ctx, between)
		now, err := v.server.Look(ctx, v.ID)
		if err != nil {
			return tmux.Pane{}, err
		}
		if last.ID != "" && last.Same(now) {
			return now, nil
		}
		last = now
	}
	return tmux.Pane{}, nil
}

// shows reports whether a line, and nothing else, was typed since a look: it stands
// before the cursor, which has gone as far as the line is long.
func shows(before, now tmux.Pane, line string) bool {
	if now.Width <= 0 || now.Row >= len(now.Lines) {
		return false
	}
	n := utf8.RuneCountInString(line)
	rows := (before.Column+n)/now.Width + 1
	shown := client.Squeeze(strings.Join(now.Lines[max(0, now.Row-rows):now.Row+1], ""))
	moved := (before.Column + n - now.Column) % now.Width
	return strings.Contains(shown, client.Squeeze(line)) && (moved == 0 || n != len(line) || now.Column == now.Width-1)
}
