package tmux

import (
	"context"
	"strings"

	"github.com/piton-project/piton"
)

// buffer and option are the names under which a text, and what a pane looked like,
// are handed to tmux.
const (
	buffer = "piton"
	option = "@piton_pane"
)

// Paste puts a text into a pane's program as one paste, if the pane is still as it
// was looked at; false: it is not, and nothing was typed. The text is one line of
// printable characters: whether the program asked for bracketed paste cannot be
// seen, and without it a line's end is Enter.
func (s Server) Paste(ctx context.Context, p Pane, text string) (bool, error) {
	name := buffer + strings.TrimPrefix(p.ID, "%")
	if _, err := s.call(ctx, OneLine(text), "load-buffer", "-b", name, "-"); err != nil {
		return false, err
	}
	done, err := s.if_(ctx, p, "paste-buffer -d -p -b "+name+" -t "+p.ID)
	if err != nil || !done {
		_, _ = s.call(ctx, "", "delete-buffer", "-b", name) // it may be gone
	}
	return done, err
}

// Enter presses Enter in a pane (see Key).
func (s Server) Enter(ctx context.Context, p Pane) (bool, error) { return s.Key(ctx, p, "Enter") }

// Key presses a key in a pane, by tmux's name of it, if the pane is still as it was
// looked at; false: it is not, and nothing was pressed.
func (s Server) Key(ctx context.Context, p Pane, name string) (bool, error) {
	return s.if_(ctx, p, "send-keys -t "+p.ID+" "+name)
}

// if_ runs a command if the pane's title, cursor and modes are what they were. The
// server compares and runs it in one go, so that nothing it knows of can happen
// between the two.
func (s Server) if_(ctx context.Context, p Pane, command string) (bool, error) {
	const yes, no = "piton-done", "piton-not"
	out, err := s.call(ctx, "",
		"set-option", "-p", "-t", p.ID, option, literal(p.mark), ";",
		"if-shell", "-F", "-t", p.ID, "#{==:"+mark+",#{"+option+"}}", command+" ; display-message -p "+yes, "display-message -p "+no, ";",
		"set-option", "-p", "-u", "-t", p.ID, option)
	return strings.TrimSpace(out) == yes, err
}

// OneLine is a text as it is typed: in one line, without control characters.
func OneLine(text string) string { return strings.Join(strings.Fields(piton.Say(text)), " ") }
