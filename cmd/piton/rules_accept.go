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

A command in a project's file counts once the file is trusted. At a terminal you are
asked whether the command is right; a yes trusts the file too, where it is new or was
trusted as it was. Else 'piton trust' shows the file and asks. To take a command back,
remove it from the line that is named.`,
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

func (con *console) printAccepted(x app.AcceptedTest) error {
	con.warnOfTest(x)
	said := line(x.File) + " has it already.\n"
	if x.Changed {
		said = fmt.Sprintf("Added to debrief.tests in %s: %s\n", line(x.File), line(x.Command))
	}
	err := con.print(said)
	switch {
	case x.NeedsTrust && x.Known:
		con.say("A run of it counts already, because Piton knows that it runs tests. The file is not trusted as it is now: with 'piton trust' agents are asked for this command before others.")
	case x.NeedsTrust:
		con.say("It does not count yet: the file is not trusted as it is now. 'piton trust' shows the file and asks.")
	case x.Trusted && x.Changed:
		con.say("It counts from now on. Another change of the file needs 'piton trust' again.")
	case x.Trusted:
		con.say("It counts already.")
	}
	if x.Changed && x.Line > 0 {
		con.say("To take it back, remove it from line %d of that file.", x.Line)
	}
	return err
}
