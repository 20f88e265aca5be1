package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/screen"
)

// console is what the commands share: where they print, the exit status and the
// application they call.
type console struct {
	screen.Screen
	status  int    // exit status of a command that did not fail
	soFar   string // what a command has done, should it fail now
	options app.Options
	opened  *app.App
}

// newConsole is the console of a program with these streams and this environment.
func newConsole(in io.Reader, out, errOut io.Writer, getenv func(string) string) *console {
	con := &console{Screen: screen.Screen{In: in, Out: out, Err: errOut, Getenv: getenv, Home: config.UserHome(getenv)}}
	con.Unattended = func(ctx context.Context) bool { return con.app().AsksNobody(ctx) }
	con.options.Warn, con.options.Progress = func(e *piton.Error) { con.voice().Warn(e) }, con.Progress
	return con
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
	o.Getenv, o.StoreFrom, o.Now = con.Getenv, "--store", con.Clock
	return o
}

func (con *console) close() {
	if con.opened != nil {
		con.opened.Close()
	}
}

// voice is how the commands say what went wrong.
func (con *console) voice() cli.Voice { return cli.Voice{Screen: &con.Screen} }

// answer prints what the application has answered: as JSON where that is asked
// for, else as text says.
func answer[T any](con *console, x T, err error, text func(T) error) error {
	switch {
	case err != nil:
		return err
	case con.JSON:
		return con.PrintJSON(x)
	}
	return text(x)
}

// paged is a func that prints an answer, with a pager for a long one.
func paged[T any](con *console, c *cobra.Command, text func(T) error) func(T) error {
	return func(x T) error { return con.InPager(c.Context(), func() error { return text(x) }) }
}

// lines reads a person's answer until ctx ends; the end of the input is io.EOF.
func (con *console) lines(ctx context.Context) func() (string, error) {
	in := bufio.NewReader(app.Interruptible(ctx, con.In))
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
	if err := con.Print(question + " [y/N] "); err != nil {
		return false, err
	}
	text, err := answer()
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return isYes(text), nil
}

func isYes(text string) bool { return slices.Contains([]string{"y", "yes"}, strings.ToLower(text)) }
