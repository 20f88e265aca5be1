// Package cli is what the commands of piton share: where they print and whom they ask, how
// they read arguments, flags and states, which exit status an error has.
package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/screen"
)

// Console is what the commands share: where they print, the exit status and the
// application they call.
type Console struct {
	screen.Screen
	Status  int    // exit status of a command that did not fail
	Debug   bool   // what is logged, and more, is said on stderr too
	SoFar   string // what a command has done, should it fail now
	Options caller.Options
	opened  *app.App
	began   time.Time   // of the command, with Debug
	typed   *typedLines // what a person answers; nil: nothing was asked yet
}

// New is the console of a program with these streams and this environment.
func New(in io.Reader, out, errOut io.Writer, getenv func(string) string) *Console {
	con := &Console{Screen: screen.Screen{In: in, Out: out, Err: errOut, Getenv: getenv, Home: config.UserHome(getenv)}}
	con.Unattended = func(ctx context.Context) bool { return con.App().AsksNobody(ctx) }
	return con
}

// App is the application. It is made when it is first asked for, after the flags
// were read.
func (con *Console) App() *app.App {
	if con.opened == nil {
		con.opened = app.New(con.AppOptions())
	}
	return con.opened
}

// AppOptions are what the application is made with.
func (con *Console) AppOptions() caller.Options {
	o := con.Options
	o.Getenv, o.StoreFrom, o.Now = con.Getenv, "--store", con.Clock
	if con.Debug {
		o.Debug = con.Talk()
	}
	return o
}

// Begins notes for --debug that a command begins.
func (con *Console) Begins(c *cobra.Command) {
	if con.Debug {
		con.began = time.Now()
		o := con.App().Options
		o.Log.DebugContext(c.Context(), "begins", "command", c.CommandPath(), "version", piton.Version(), "home", o.Home)
	}
}

// Ended notes for --debug how a command has ended.
func (con *Console) Ended(c *cobra.Command, status int) {
	if !con.began.IsZero() {
		con.App().Options.Log.DebugContext(c.Context(), "ended", "command", c.CommandPath(), "status", status, "ms", time.Since(con.began).Milliseconds())
	}
}

// At is a console like this one that works in another folder. Close it.
func (con *Console) At(dir string) *Console {
	other := *con
	other.opened, other.Options.Dir = nil, dir
	return &other
}

func (con *Console) Close() {
	if con.opened != nil {
		con.opened.Close()
	}
}

// base is the console itself, for functions that take what a package of commands has made
// of it.
func (con *Console) base() *Console { return con }

// console is a Console, or a type that embeds one.
type console interface{ base() *Console }

// Answer prints what the application has answered: as JSON where that is asked
// for, else as text says.
func Answer[T any](of console, x T, err error, text func(T) error) error {
	con := of.base()
	switch {
	case err != nil:
		return err
	case con.JSON:
		return con.PrintJSON(x)
	}
	return text(x)
}

// Paged is a func that prints an answer, with a pager for a long one.
func Paged[T any](con console, c *cobra.Command, text func(T) error) func(T) error {
	return func(x T) error { return con.base().InPager(c.Context(), func() error { return text(x) }) }
}
