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
	"sync"

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

// typedLines reads lines for those who ask for one. A read of a terminal cannot be broken
// off: a line that comes when nobody asks any more is dropped, because it answers nothing.
type typedLines struct {
	in      *bufio.Reader
	mu      sync.Mutex
	reading bool
	asker   chan<- typedLine // nil: nobody asks
}

type typedLine struct {
	text string
	err  error
}

// next returns the next line that is typed.
func (t *typedLines) next(ctx context.Context) (string, error) {
	line := make(chan typedLine, 1)
	t.mu.Lock()
	t.asker = line
	if !t.reading {
		t.reading = true
		go t.read()
	}
	t.mu.Unlock()
	select {
	case l := <-line:
		return l.text, l.err
	case <-ctx.Done():
		t.mu.Lock()
		defer t.mu.Unlock()
		t.asker = nil
		return "", ctx.Err()
	}
}

// read reads one line, and gives it to who asks then.
func (t *typedLines) read() {
	text, err := t.in.ReadString('\n')
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reading = false; t.asker != nil {
		t.asker <- typedLine{text, err}
		t.asker = nil
	}
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
