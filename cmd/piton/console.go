package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
)

// console is what the commands share: the streams, the terminal, the exit status
// and the application they call.
type console struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	json     bool
	noPager  bool
	status   int    // exit status of a command that did not fail
	soFar    string // what a command has done, should it fail now
	options  app.Options
	zone     *time.Location // of the times that people read; the machine's when nil
	opened   *app.App
}

// app is the application. It is made when it is first asked for, after the flags
// were read.
func (con *console) app() *app.App {
	if con.opened == nil {
		con.opened = app.New(con.appOptions())
	}
	return con.opened
}

// appOptions are what the application is made with.
func (con *console) appOptions() app.Options {
	o := con.options
	o.Getenv, o.StoreFrom = con.getenv, "--store"
	return o
}

func (con *console) close() {
	if con.opened != nil {
		con.opened.Close()
	}
}

// voice is how the commands talk on stderr.
func (con *console) voice() cli.Voice { return cli.Voice{Err: con.err, JSON: con.json} }

// say writes a line to stderr: talk for a person, no data.
func (con *console) say(format string, args ...any) { con.voice().Say(format, args...) }

// advise says a sentence that is wrapped on a terminal: the commands in it stand in
// quotes.
func (con *console) advise(format string, args ...any) {
	v := con.voice()
	if columns, _ := terminalSize(con.err); columns > 0 {
		v.Shape = wrapping{columns: columns, indent: always(0)}.lines
	}
	v.Say(format, args...)
}

// print writes to stdout, fenced: it may have words of others.
func (con *console) print(text string) error {
	_, err := io.WriteString(con.out, cli.Fence(text, cli.IsTerminal(con.out)))
	return err
}

// answer prints what the application has answered: as JSON where that is asked
// for, else as text says.
func answer[T any](con *console, x T, err error, text func(T) error) error {
	switch {
	case err != nil:
		return err
	case con.json:
		return con.printJSON(x)
	}
	return text(x)
}

// printJSON writes one JSON value and a line feed.
func (con *console) printJSON(v any) error { return cli.WriteJSON(con.out, v) }

// forPerson tells whether a person reads our output.
func (con *console) forPerson() bool { return cli.IsTerminal(con.out) && !con.json }

// width is how many columns the terminal has; 0 where that is not known.
func (con *console) width() int {
	columns, _ := con.size()
	return columns
}

// size is how many columns and rows the terminal has; 0 where that is not known.
func (con *console) size() (columns, rows int) { return terminalSize(con.out) }

// terminalSize is how many columns and rows a terminal has; 0 where that is not known, or a
// stream is none.
func terminalSize(stream any) (columns, rows int) {
	if t, ok := stream.(cli.Terminal); ok {
		return t.Columns(), 0
	}
	f, ok := stream.(*os.File)
	if !ok {
		return 0, 0
	}
	columns, rows, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return columns, rows
}

// lines reads a person's answer until ctx ends; the end of the input is io.EOF.
func (con *console) lines(ctx context.Context) func() (string, error) {
	in := bufio.NewReader(app.Interruptible(ctx, con.in))
	return func() (string, error) {
		text, err := in.ReadString('\n')
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case text != "" && errors.Is(err, io.EOF):
			err = nil
		case err != nil && !errors.Is(err, io.EOF):
			err = &piton.Error{Code: piton.Unavailable, Op: "read the answer", Err: err}
		}
		return strings.TrimSpace(text), err
	}
}

// yes asks a person; anything but yes is no.
func (con *console) yes(question string, answer func() (string, error)) (bool, error) {
	if err := con.print(question + " [y/N] "); err != nil {
		return false, err
	}
	text, err := answer()
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return isYes(text), nil
}

func isYes(text string) bool { return slices.Contains([]string{"y", "yes"}, strings.ToLower(text)) }

// person tells whether a person sits at the terminal and can be asked.
func (con *console) person() bool { return con.forPerson() && cli.IsTerminal(con.in) }
