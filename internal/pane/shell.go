package pane

import (
	"context"
	"errors"
	"strings"
	"time"
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

// type_ types the command to the person's shell, once that has its terminal back: on a
// clean line, and Enter only where the line says the command and nothing else.
func (r *restart) type_(ctx context.Context) error {
	why := "the shell in the pane is not at its prompt"
	for end := time.Now().Add(maxShell); time.Now().Before(end) && ctx.Err() == nil; r.sleep(ctx, between) {
		v, _, hidden := look(ctx, r.session.Agent, *r.session.Pane)
		switch {
		case hidden != "":
			continue
		case v.client.PID != 0: // a script, say, or a loop
			why = r.session.Agent + " was started again by something else"
			continue
		case v.Unsafe != "" || !v.belowShell() || !v.tree[0].Foreground:
			continue
		}
		line := r.line(v)
		clean, err := r.clean(ctx, v)
		if err != nil || clean.ID == "" {
			why = "the shell in the pane does not come to rest"
			continue
		}
		if done, err := v.server.Paste(ctx, clean, line); err != nil || !done {
			continue
		}
		for range 20 {
			r.sleep(ctx, between)
			now, err := v.server.Look(ctx, v.ID)
			if err != nil {
				break
			}
			if !shows(clean, now, line) {
				continue
			}
			if done, err := v.server.Enter(ctx, now); err == nil && done {
				return nil
			}
		}
		why = "the shell does not show what is typed to it"
		break
	}
	return r.unavailable("start it yourself: "+strings.Join(r.done.Command, " "), errors.New(why))
}

// line is the command as it is typed: in the folder in which the old client ran, and
// with its conversations where that one had them.
func (r *restart) line(at view) string {
	words := r.done.Command // safe ones: see check
	for _, v := range r.env {
		name, value, _ := strings.Cut(v, "=")
		words = append([]string{name + "=" + quoted(value)}, words...)
	}
	line := strings.Join(words, " ")
	if r.view.client.PID != 0 && r.view.Dir != "" && r.view.Dir != at.Dir {
		line = "cd " + quoted(r.view.Dir) + " && " + line
	}
	return line
}

// quoted is a text as a shell takes it as it is.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// clean gives the shell an empty line: what was typed ahead, what an ended program's
// terminal has answered, and a command that goes on over several lines are given up. It
// returns the pane as it is then, at rest; one without an id where it does not rest. The
// letter leaves vi's command mode; in any other it is typed, and removed again.
func (r *restart) clean(ctx context.Context, v view) (tmux.Pane, error) {
	p := v.Pane
	for _, key := range []string{"C-c", "i", "C-u"} {
		done, err := v.server.Key(ctx, p, key)
		if err == nil && done {
			p, err = r.rest(ctx, v)
		}
		if err != nil || !done || p.ID == "" {
			return tmux.Pane{}, err
		}
	}
	return p, nil
}

// rest waits until two looks in turn show the same.
func (r *restart) rest(ctx context.Context, v view) (last tmux.Pane, err error) {
	for range 10 {
		r.sleep(ctx, between)
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
