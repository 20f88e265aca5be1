package tmux

import (
	"context"
	"slices"
	"strings"
)

// Pane is a pane as it was at one moment.
type Pane struct {
	ID        string // %3
	Socket    string // of its server, as the server names it
	ServerPID int
	PID       int // of its own process
	Dead      bool
	// Unsafe says why keys that are sent to it would not reach its program alone;
	// empty: they would.
	Unsafe string
	Dir    string
	Width  int // in columns
	Column int // of the cursor, from 0
	Row    int
	Title  string   // hostile
	Lines  []string // what is visible, without colours, with trailing space cut; hostile
	// Solid are the same lines with spaces for what is faint or grey: hints in an
	// input field, say.
	Solid []string

	mark string // what must not have changed when something is typed
}

// form is what tmux is asked of a pane. What a program can write comes last. mark
// is the part of it that must still hold when something is typed.
const (
	mark = "#{pid} #{pane_id} #{pane_pid} #{pane_dead} #{pane_in_mode} #{pane_synchronized} #{pane_input_off} #{cursor_x} #{cursor_y} #{cursor_flag} #{pane_width} #{pane_height} #{pane_title}"
	form = mark + "\n#{socket_path}\n#{pane_current_path}"
)

// markFields is how many fields of mark stand before the title.
const markFields = 12

// Look reads a pane.
func (s Server) Look(ctx context.Context, id string) (Pane, error) {
	if !IsPane(id) {
		return Pane{}, &Refusal{said: "not a pane: panes are named like %3"}
	}
	if err := s.owned(); err != nil {
		return Pane{}, err
	}
	text, err := s.call(ctx, "", "display-message", "-p", "-t", id, form)
	if err != nil {
		return Pane{}, err
	}
	p, ok := parse(text)
	if !ok || p.ID != id {
		return Pane{}, &Refusal{said: "no pane " + id} // an older tmux answers for another pane
	}
	screen, err := s.call(ctx, "", "capture-pane", "-p", "-e", "-t", id)
	if err != nil {
		return Pane{}, err
	}
	p.Lines, p.Solid = Read(screen)
	return p, nil
}

// Same reports whether a pane shows what it showed at another look.
func (p Pane) Same(other Pane) bool {
	return p.mark == other.mark && slices.Equal(p.Lines, other.Lines)
}

// parse reads what tmux said of a pane.
func parse(text string) (Pane, bool) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 3 {
		return Pane{}, false
	}
	p := Pane{mark: lines[0], Socket: lines[1], Dir: strings.Join(lines[2:], "\n")}
	f := strings.SplitN(lines[0], " ", markFields+1)
	if len(f) <= markFields {
		return Pane{}, false
	}
	p.ServerPID, p.ID, p.PID, p.Dead = number(f[0]), f[1], number(f[2]), f[3] == "1"
	p.Column, p.Row, p.Width, p.Title = number(f[7]), number(f[8]), number(f[10]), f[markFields]
	switch {
	case f[4] != "0":
		p.Unsafe = "the pane is in copy mode"
	case f[5] != "0":
		p.Unsafe = "the pane is synchronized with others"
	case f[6] != "0":
		p.Unsafe = "input to the pane is off"
	}
	return p, p.PID > 0 && p.ServerPID > 0
}
