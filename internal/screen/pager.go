package screen

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
)

// InPager lets a func print, and shows what it has printed in a pager where that is
// longer than the screen. The rule (docs/spec.md, "CLI"): only where a person sits at the
// terminal, neither inside an agent nor with --json. What the func says on stderr comes
// after the pager has ended.
func (s *Screen) InPager(ctx context.Context, print func() error) error {
	argv := s.pager()
	columns, rows := terminalSize(s.Out)
	if len(argv) == 0 || rows <= 0 || !s.Person() {
		return print()
	}
	out, errOut := s.Out, s.Err
	text, talk := &longText{columns: columns}, &longText{}
	talk.columns, _ = terminalSize(errOut)
	s.Out, s.Err = text, &talk.Buffer
	if IsTerminal(errOut) {
		s.Err = talk
	}
	err := print()
	s.Out, s.Err = out, errOut
	var failed error
	if text.rows() < rows || s.Unattended(ctx) || !s.page(ctx, argv, text.Bytes()) {
		_, failed = out.Write(text.Bytes())
	}
	_, _ = errOut.Write(talk.Bytes())
	if err != nil {
		return err
	}
	return failed
}

// pager is the command of the pager; nil for none. An empty variable and 'cat' mean
// none, as in git.
func (s *Screen) pager() []string {
	if s.NoPager || s.Getenv("TERM") == "" || s.Getenv("TERM") == "dumb" {
		return nil
	}
	for _, name := range []string{"PITON_PAGER", "PAGER"} {
		argv := strings.Fields(s.Getenv(name))
		switch {
		case len(argv) > 0 && argv[0] == "cat":
			return nil
		case len(argv) > 0:
			return argv
		}
		if _, set := os.LookupEnv(name); set {
			return nil
		}
	}
	return []string{"less"}
}

// page shows a text in a pager until the person ends it, which may be before the text
// does. It reports false where the person has to be shown the text in another way: the
// pager could not be started, or has failed.
func (s *Screen) page(ctx context.Context, argv []string, text []byte) bool {
	x := exec.Command(argv[0], argv[1:]...)
	x.Stdin, x.Stdout, x.Stderr = bytes.NewReader(text), s.Out, s.Err
	x.Env = os.Environ()
	// As git has them: short texts without a key, colours, and the text stays on the screen.
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if _, set := os.LookupEnv(name); !set {
			x.Env = append(x.Env, name+"="+value)
		}
	}
	start, end := Attend(x)
	return start == nil && (end == nil || ctx.Err() != nil)
}

// longText is a terminal that keeps what is printed to it.
type longText struct {
	bytes.Buffer
	columns int
}

// Columns is how wide the terminal is that it stands for.
func (t *longText) Columns() int { return t.columns }

// rows is how many rows the text takes on the terminal.
func (t *longText) rows() int {
	n := 0
	for l := range bytes.Lines(t.Bytes()) {
		n += max(1, (Columns(strings.TrimSuffix(string(l), "\n"))+t.columns-1)/max(t.columns, 1))
	}
	return n
}
