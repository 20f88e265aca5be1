package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
)

func rulesAcceptCommand(con *console) *cobra.Command {
	var user bool
	c := &cobra.Command{
		Use:   "accept 'CMD'",
		Short: "Add a command that runs this project's tests",
		Long: `Add a command to debrief.tests in the project's .piton.yaml. A successful run of it
proves that the tests pass, and agents are asked to run it. The rest of the file
does not change, and adding the command twice changes nothing. With --user it is
added to your own file and counts in all projects.

A command in a project's file counts once the file is trusted. At a terminal you are
asked whether the command is right; a yes trusts the file too, where it is new or was
trusted as it was. Else 'piton trust' shows the file and asks. To take a command back,
remove it from the line that is named, then run 'piton trust': a file that has changed
counts as it was trusted until then.`,
		Example: "  piton rules accept 'make check'\n  piton rules accept --user 'just test'",
		Args:    oneLine,
		RunE: func(c *cobra.Command, args []string) error {
			r := app.TestRequest{Command: args[0], User: user}
			if con.mayAsk(c.Context()) {
				_, err := con.takeTest(c.Context(), con.asking(c.Context()), r)
				return err
			}
			x, err := con.app().AcceptTest(c.Context(), r)
			return answer(con, x, err, con.printAccepted)
		},
	}
	c.Flags().BoolVar(&user, "user", false, "add it to your own file, for all projects")
	return c
}
