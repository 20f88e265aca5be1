package client

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Terminal reads the client's terminal.
type Terminal interface {
	// Stand says how the client stands, by what its terminal shows. All of it may be
	// forged by what the agent prints, except where the cursor is and what the title
	// says while the client runs; so a composer counts only where the cursor is in it.
	Stand(s Screen) Stand
}

// Screen is what a terminal shows. Columns and rows count from 0.
type Screen struct {
	Title string
	Dir   string   // the folder of its program
	Lines []string // without colours
	Solid []string // the same, with spaces in the place of what is faint or grey
	// Column and Row are where the cursor is.
	Column, Row int
}

// Stand is how a client in a terminal stands.
type Stand struct {
	Idle     bool // by its title: no turn runs
	Untold   bool // its title does not say whether one runs
	Asking   bool // it waits for a person's answer to a question of its own
	Composer bool // its input field was found, with the cursor in it
	// Typed is what stands in the input field, without white space.
	Typed string
}

// Empty reports whether a text can be typed: nobody has begun one.
func (s Stand) Empty() bool { return s.Unready() == "" }

// Unready says why a text cannot be typed now; "" where it can.
func (s Stand) Unready() string {
	switch {
	case s.Asking:
		return "it asks a person something"
	case !s.Idle:
		return "it is at work"
	case !s.Composer:
		return "its input field is not to be seen: it may wait for you in its pane"
	case s.Typed != "":
		return "something stands in its input field"
	}
	return ""
}

// pasted is how clients show a long text that was pasted.
var pasted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[Pasted(?:Content|Text:|text)(?:#[0-9]+|([0-9]+)chars)\]$`)
})

// Holds reports whether a text stands in the input field, and nothing else.
func (s Stand) Holds(text string) bool {
	if !s.Composer || s.Typed == "" {
		return false
	}
	if s.Typed == Squeeze(text) {
		return true
	}
	m := pasted().FindStringSubmatch(s.Typed)
	return m != nil && (m[1] == "" || m[1] == strconv.Itoa(utf8.RuneCountInString(text)))
}

// Squeeze is a text without white space, as it can be compared with one that a
// terminal has wrapped.
func Squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// Field is the shape of a client's input field.
type Field struct {
	Marks  []string // what its first row begins with, one of them
	Column int      // where its text begins
	// Above is what the row above the field begins with; "": anything.
	Above string
	Hint  string // what may stand in an empty field, where colours do not tell
}

// maxRows bounds the input field.
const maxRows = 100

// Typed reads the input field that the cursor is in; false: the cursor is in none.
// With the cursor at its beginning what stands there was not typed, if it is faint.
func (f Field) Typed(s Screen) (string, bool) {
	if s.Row < 0 || s.Row >= len(s.Lines) || len(s.Solid) != len(s.Lines) {
		return "", false
	}
	for first := s.Row; first >= 0 && first > s.Row-maxRows; first-- {
		mark, ok := f.mark(s.Lines[first])
		if !ok {
			if !strings.HasPrefix(s.Lines[first], strings.Repeat(" ", f.Column)) && s.Lines[first] != "" {
				return "", false // not a further row of a field
			}
			continue
		}
		if f.Above != "" && (first == 0 || !strings.HasPrefix(s.Lines[first-1], f.Above)) {
			return "", false
		}
		lines := s.Lines
		if first == s.Row && s.Column == f.Column {
			lines = s.Solid
		}
		var b strings.Builder
		for row := first; row <= s.Row; row++ {
			b.WriteString(strings.TrimPrefix(lines[row], mark))
		}
		typed := Squeeze(b.String())
		if s.Column == f.Column && typed == Squeeze(f.Hint) {
			typed = ""
		}
		return typed, s.Column >= f.Column
	}
	return "", false
}

func (f Field) mark(line string) (string, bool) {
	for _, m := range f.Marks {
		if strings.HasPrefix(line, m) || line == strings.TrimRight(m, " \u00a0") {
			return strings.TrimRight(m, " \u00a0"), true
		}
	}
	return "", false
}
