package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

// confirmation is the flag --yes of a command that destroys something. The rule
// (docs/spec.md, "Questions"): a person at a terminal is asked. Nobody is asked without a
// terminal, inside an agent or with --json: there, what destroys much needs the flag.
type confirmation struct{ yes bool }

func (x *confirmation) flag(c *cobra.Command) {
	c.Flags().BoolVar(&x.yes, "yes", false, "do not ask; needed where nobody can be asked")
}

// asks tells whether a person has to agree.
func (x confirmation) asks(ctx context.Context, con *console) bool {
	return !x.yes && con.mayAsk(ctx)
}

// needed is the error where neither a person can agree nor the flag does. It depends on
// nothing but the call, so that a script fails at its first run and not on the day when
// there is something to destroy.
func (x confirmation) needed(c *cobra.Command, con *console) error {
	if x.yes || con.mayAsk(c.Context()) {
		return nil
	}
	return piton.Errorf(piton.Invalid, c.CommandPath(), "add --yes to do it, or --dry-run to see what would be done", "it asks first, and nobody can be asked here")
}

// mayAsk tells whether a person can be asked.
func (con *console) mayAsk(ctx context.Context) bool {
	return con.Person() && !con.app().AsksNobody(ctx)
}

// agreed puts a question to a person. The end of the input is a no.
func (con *console) agreed(ctx context.Context, question string) (bool, error) {
	ok, err := con.yes(question, con.lines(ctx))
	if err == nil && !ok {
		con.Say("Nothing was changed.")
	}
	return ok, err
}
