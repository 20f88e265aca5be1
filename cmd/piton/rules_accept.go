package main

import (
	"fmt"

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

A command in a project's file counts once the file is trusted. What you type here at a
terminal is trusted at once, where the file is new or was trusted as it was; else
'piton trust' shows the file and asks.`,
		Example: "  piton rules accept 'make check'\n  piton rules accept --user 'just test'",
		Args:    oneLine,
		RunE: func(c *cobra.Command, args []string) error {
			x, err := con.app().AcceptTest(c.Context(), app.TestRequest{Command: args[0], User: user, Confirmed: con.mayAsk(c.Context())})
			return answer(con, x, err, con.printAccepted)
		},
	}
	c.Flags().BoolVar(&user, "user", false, "add it to your own file, for all projects")
	return c
}

func (con *console) printAccepted(x app.AcceptedTest) error {
	con.warnOfTest(x)
	said := line(x.File) + " has it already.\n"
	if x.Changed {
		said = fmt.Sprintf("Added to debrief.tests in %s: %s\n", line(x.File), line(x.Command))
	}
	err := con.print(said)
	switch {
	case x.NeedsTrust:
		con.say("It does not count yet: the file is not trusted as it is now. 'piton trust' shows the file and asks.")
	case x.Trusted:
		con.say("It counts from now on. Another change of the file needs 'piton trust' again.")
	}
	return err
}
