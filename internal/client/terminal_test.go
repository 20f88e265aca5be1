package client

import (
	"strings"
	"testing"
)

// TestUnready: when a text can be typed, and what stands in the way.
func TestUnready(t *testing.T) {
	t.Parallel()
	ready := Stand{Idle: true, Composer: true}
	for want, change := range map[string]func(*Stand){
		"":                                    func(*Stand) {},
		"it asks a person something":          func(s *Stand) { s.Asking = true },
		"it is at work":                       func(s *Stand) { s.Idle = false },
		"something stands in its input field": func(s *Stand) { s.Typed = "x" },
		"its input field is not to be seen: it may wait for you in its pane": func(s *Stand) { s.Composer = false },
	} {
		s := ready
		change(&s)
		if got := s.Unready(); got != want || s.Empty() != (want == "") {
			t.Errorf("%+v: got %q and empty %t, want %q", s, got, s.Empty(), want)
		}
	}
}

// TestHolds: a text is in the input field as it was typed, or as the client shows a
// long one.
func TestHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed    string
		composer bool
		want     bool
	}{
		{"goon,äh", true, true},
		{"goon,äh", false, false},
		{"goon", true, false},
		{"", true, false},
		{"[Pastedtext#12]", true, true},
		{"[Pastedtext#12]x", true, false},
		{"[PastedContent9chars]", true, true},
		{"[PastedContent10chars]", true, false},
	} {
		if got := (Stand{Composer: c.composer, Typed: c.typed}).Holds("go on,\täh"); got != c.want {
			t.Errorf("%q with its field %t: got %t, want %t", c.typed, c.composer, got, c.want)
		}
	}
	if (Stand{Composer: true}).Holds(" ") {
		t.Error("got that an empty field holds a text")
	}
}

// TestTyped: what stands in the input field that the cursor is in.
func TestTyped(t *testing.T) {
	t.Parallel()
	long := "--|> a" + strings.Repeat("|  b", maxRows-1)
	for _, c := range []struct {
		name, lines, solid string // rows with | between; solid "": as lines
		row, column        int
		want               string
		ok                 bool
	}{
		{"one row", "--|> go on", "", 1, 7, "goon", true},
		{"more rows", "--|> go|  on|", "", 2, 4, "goon", true},
		{"an empty row in it", "--|> go||  on", "", 3, 4, "goon", true},
		{"the rows to the cursor", "--|> go|  on", "", 1, 4, "go", true},
		{"a bare mark", "--|>", "", 1, 2, "", true},
		{"another mark", "--|! ls", "", 1, 4, "ls", true},
		{"a hint", "--|> Type here", "", 1, 2, "", true},
		{"a hint that was typed", "--|> Type here", "", 1, 9, "Typehere", true},
		{"faint words behind the cursor", "--|> try this", "--|>         ", 1, 2, "", true},
		{"faint words before the cursor", "--|> try this", "--|>         ", 1, 5, "trythis", true},
		{"faint words in a further row", "--|> a|  b", "--|> a|   ", 2, 2, "ab", true},
		{"the cursor on the mark", "--|> go", "", 1, 1, "go", false},
		{"nothing above", "> go", "", 0, 4, "", false},
		{"something else above", "x|> go", "", 1, 4, "", false},
		{"no mark", "--|go", "", 1, 2, "", false},
		{"no mark above", "  a|  b", "", 1, 2, "", false},
		{"text that is not indented between", "--|> go|x|  on", "", 3, 4, "", false},
		{"a cursor above the screen", "--|> go", "", -1, 4, "", false},
		{"a cursor below the screen", "--|> go", "", 2, 4, "", false},
		{"screens of two sizes", "--|> go", "--", 1, 4, "", false},
		{"as many rows as a field can have", long, "", maxRows, 3, "a" + strings.Repeat("b", maxRows-1), true},
		{"a row more", long + "|  b", "", maxRows + 1, 3, "", false},
	} {
		if c.solid == "" {
			c.solid = c.lines
		}
		field := Field{Marks: []string{"> ", "! "}, Column: 2, Above: "--", Hint: "Type here"}
		s := Screen{Lines: strings.Split(c.lines, "|"), Solid: strings.Split(c.solid, "|"), Row: c.row, Column: c.column}
		if got, ok := field.Typed(s); got != c.want || ok != c.ok {
			t.Errorf("%s: got %q %t, want %q %t", c.name, got, ok, c.want, c.ok)
		}
	}
	top := Screen{Lines: []string{"> go"}, Solid: []string{"> go"}, Column: 4}
	if got, ok := (Field{Marks: []string{"> "}}).Typed(top); got != "go" || !ok {
		t.Errorf("a field in the first row: got %q %t", got, ok)
	}
}
