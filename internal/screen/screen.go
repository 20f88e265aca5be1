// Package screen is how a program prints for people, and for programs that read it: texts
// of others made safe, tables, wrapped lines, colours, times, a pager. It knows nothing of
// what is printed.
package screen

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"
	"golang.org/x/term"

	"github.com/piton-project/piton/internal/nearest"
	"github.com/piton-project/piton/internal/redact"
)

// Screen is where a program prints: the streams, who reads them, and how they like it.
type Screen struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Home     string // the user's, which paths begin with as ~
	JSON     bool   // a program reads what is printed
	Filter   Filter // of what is printed as JSON
	Color    string // auto, always or never; empty: auto
	Quiet    bool   // talk is left out
	NoPager  bool
	// Unattended tells whether no person reads along at the terminal: an agent has it.
	Unattended func(context.Context) bool
	Zone       *time.Location   // of the times that people read; the machine's when nil
	Clock      func() time.Time // what ages are counted to; time.Now when nil
}

// Say writes a line to stderr: talk for a person, no data. It may repeat what was typed or
// what stands in a file, so secrets are redacted, and it is fenced.
func (s *Screen) Say(format string, args ...any) {
	if !s.Quiet {
		s.Tell(format, args...)
	}
}

// Tell says what has to be said, also where talk is left out: errors and warnings.
func (s *Screen) Tell(format string, args ...any) { s.say(0, format, args...) }

// Advise says a sentence that is wrapped on a terminal: the commands in it stand in
// quotes.
func (s *Screen) Advise(format string, args ...any) {
	if columns, _ := terminalSize(s.Err); !s.Quiet {
		s.say(columns, format, args...)
	}
}

func (s *Screen) say(columns int, format string, args ...any) {
	text, _ := redact.Text(fmt.Sprintf(format, args...))
	fmt.Fprintln(s.Err, Fence(Wrap(text, columns, Always(0)), IsTerminal(s.Err)))
}

// Print writes to stdout, fenced: it may have words of others.
func (s *Screen) Print(text string) error {
	_, err := io.WriteString(s.Out, Fence(text, IsTerminal(s.Out)))
	return err
}

// Filtered reports whether only a part of an answer is to be printed.
func (s *Screen) Filtered() bool { return !s.Filter.empty() }

// PrintJSON writes one JSON value and a line feed, or what the filter makes of it.
func (s *Screen) PrintJSON(v any) error {
	if s.Filter.empty() {
		return WriteJSON(s.Out, v)
	}
	known := map[string]bool{}
	fieldsOf(reflect.TypeOf(v), known)
	for _, name := range s.Filter.Fields {
		if !known[name] && len(known) > 0 {
			names := slices.Sorted(maps.Keys(known))
			rest := "it has: " + strings.Join(names, ", ")
			if near := nearest.Name(name, names); near != "" {
				rest = "did you mean " + near + "?"
			}
			s.Tell("piton: warning: the answer has no field %s; %s", name, rest)
		}
	}
	return s.Filter.each(v, s.printResult)
}

// printResult writes a text as it is, and any other value as JSON.
func (s *Screen) printResult(v any) error {
	if text, ok := v.(string); ok && s.Filter.Jq != nil {
		return s.Print(text + "\n")
	}
	text, err := gojq.Marshal(v)
	if err != nil {
		return err
	}
	whole := *s
	whole.Filter = Filter{}
	return whole.PrintJSON(json.RawMessage(text))
}

// Talk is stderr for what is logged: each write is a line.
func (s *Screen) Talk() io.Writer { return talk{s} }

type talk struct{ s *Screen }

func (t talk) Write(line []byte) (int, error) {
	t.s.Tell("%s", strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// ForPerson tells whether a person reads our output.
func (s *Screen) ForPerson() bool { return IsTerminal(s.Out) && !s.JSON }

// Person tells whether a person sits at the terminal and can be asked.
func (s *Screen) Person() bool { return s.ForPerson() && IsTerminal(s.In) }

// Width is how many columns the terminal has; 0 where that is not known.
func (s *Screen) Width() int {
	columns, _ := terminalSize(s.Out)
	return columns
}

// terminal is a terminal that is not a file of ours: one behind a pager, or a test's.
type terminal interface{ Columns() int }

// IsTerminal tells whether a stream is a terminal.
func IsTerminal(stream any) bool {
	if _, ok := stream.(terminal); ok {
		return true
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalSize is how many columns and rows a terminal has; 0 where that is not known, or a
// stream is none.
func terminalSize(stream any) (columns, rows int) {
	if t, ok := stream.(terminal); ok {
		return t.Columns(), 0
	}
	if f, ok := stream.(*os.File); ok {
		columns, rows, _ = term.GetSize(int(f.Fd())) // 0, 0 with an error
	}
	return columns, rows
}

// WriteJSON writes one JSON value and a line feed.
func WriteJSON(w io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	text := []byte(b.String())
	if IsTerminal(w) {
		text = CleanJSON(text)
	}
	_, err := w.Write(text)
	return err
}
