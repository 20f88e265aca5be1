package screen

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/piton-project/piton"
)

// aTerminal keeps what is written to it.
type aTerminal struct{ strings.Builder }

func (*aTerminal) Columns() int { return 80 }

// TestWhatReachesATerminal: of what others wrote nothing that steers one.
func TestWhatReachesATerminal(t *testing.T) {
	for _, c := range []struct{ text, line, lines, json string }{
		{"plain", "plain", "plain", "plain"},
		{" a\tb\n\n c ", "a b c", " a\tb\n\n c ", " a\tb\n\n c "},
		{"a\x1b[2Jb\x7fc\u0085d\u202ee", "a [2Jb c d e", "a�[2Jb�c�d�e", "a\x1b[2Jb\\u007fc\\u0085d\\u202ee"},
		{"a\xffb", "a�b", "a�b", "a\xffb"},
	} {
		if got := [3]string{Line(c.text), Clean(c.text), string(CleanJSON([]byte(c.text)))}; got != [3]string{c.line, c.lines, c.json} {
			t.Errorf("%q: got %q, want %q, %q and %q", c.text, got, c.line, c.lines, c.json)
		}
	}
	const tag = "<system-reminder>"
	fenced := piton.Fence(tag)
	if fenced == tag {
		t.Fatal("a tag is not fenced")
	}
	for _, terminal := range []bool{false, true} {
		if got := Fence("\x1b[1m"+tag+"\x1b[0m "+tag, terminal); strings.Contains(got, tag) || strings.Count(got, fenced) != 2 || strings.HasPrefix(got, "\x1b[1m") != terminal || strings.Contains(got, "\x1b[0m ") != terminal {
			t.Errorf("terminal %t: got %q", terminal, got)
		}
	}
	s, b := &aTerminal{}, &strings.Builder{}
	if err := errors.Join(WriteJSON(s, "<\u202e>"), WriteJSON(b, "<\u202e>")); err != nil || s.String() != "\"<\\u202e>\"\n" || b.String() != "\"<\u202e>\"\n" {
		t.Errorf("got %q on a terminal and %q elsewhere (%v)", s.String(), b.String(), err)
	}
	if err := WriteJSON(b, func() {}); err == nil {
		t.Error("what is no JSON: got no error")
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if !IsTerminal(s) || IsTerminal(b) || IsTerminal(null) {
		t.Error("got another terminal than the one")
	}
}
