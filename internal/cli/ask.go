package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

// Confirmation is the flag --yes of a command that destroys something. The rule
// (docs/spec.md, "Questions"): a person at a terminal is asked. Nobody is asked without a
// terminal, inside an agent or with --json: there, what destroys much needs the flag.
type Confirmation struct{ yes bool }

// Flag adds it to a command.
func (x *Confirmation) Flag(c *cobra.Command) {
	c.Flags().BoolVar(&x.yes, "yes", false, "do not ask; needed where nobody can be asked")
}

// Agreed tells whether it may be done. A person is asked what question returns, which is ""
// where there is nothing to destroy; the end of the input is a no. Where nobody can be
// asked, it is an error without the flag, if needed says so. That depends on nothing but
// the call, so that a script fails at its first run and not on the day when there is
// something to destroy.
func (x Confirmation) Agreed(c *cobra.Command, of console, needed bool, question func() (string, error)) (bool, error) {
	con := of.base()
	switch may := con.MayAsk(c.Context()); {
	case !x.yes && !may && needed:
		return false, piton.Errorf(piton.Invalid, c.CommandPath(), "add --yes to do it, or --dry-run to see what would be done", "it asks first, and nobody can be asked here")
	case x.yes || !may:
		return true, nil
	}
	text, err := question()
	if err != nil || text == "" {
		return err == nil, err
	}
	ok, err := con.Yes(text, con.Lines(c.Context()))
	if err == nil && !ok {
		con.Say("Nothing was changed.")
	}
	return ok, err
}

// MayAsk tells whether a person can be asked.
func (con *Console) MayAsk(ctx context.Context) bool {
	return con.Person() && !con.App().AsksNobody(ctx)
}

// Lines reads a person's answer until ctx ends; the end of the input is io.EOF.
func (con *Console) Lines(ctx context.Context) func() (string, error) {
	if con.typed == nil {
		con.typed = &typedLines{in: bufio.NewReader(con.In)}
	}
	return func() (string, error) {
		text, err := con.typed.next(ctx)
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

// Foreground reports whether the person at the terminal can be asked now: not while the
// command runs in the background of their shell.
func (con *Console) Foreground() bool {
	f, ok := con.In.(*os.File)
	return !ok || foreground(f)
}

// Yes asks a person; anything but yes is no.
func (con *Console) Yes(question string, answer func() (string, error)) (bool, error) {
	if err := con.Print(question + " [y/N] "); err != nil {
		return false, err
	}
	text, err := answer()
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return IsYes(text), nil
}

// IsYes tells whether an answer is a yes.
func IsYes(text string) bool { return slices.Contains([]string{"y", "yes"}, strings.ToLower(text)) }

// Asking returns what asks a person a question; false at the end of the input. What was
// typed before a question was there is no answer to it.
func (con *Console) Asking(ctx context.Context) func(question string) (string, bool) {
	next := con.Lines(ctx)
	return func(question string) (string, bool) {
		if f, ok := con.In.(*os.File); ok {
			discardTyped(f)
		}
		fmt.Fprint(con.Err, question)
		text, err := next()
		if err != nil {
			con.Say("")
		}
		return text, err == nil
	}
}
