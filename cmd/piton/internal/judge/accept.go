package judge

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func acceptCommand(con console) *cobra.Command {
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
		Args:    cli.OneLine,
		RunE: func(c *cobra.Command, args []string) error {
			r := installation.TestRequest{Command: args[0], User: user}
			if con.MayAsk(c.Context()) {
				_, err := con.takeTest(c.Context(), con.Asking(c.Context()), r)
				return err
			}
			x, err := con.App().AcceptTest(c.Context(), r)
			return cli.Answer(con, x, err, con.printAccepted)
		},
	}
	c.Flags().BoolVar(&user, "user", false, "add it to your own file, for all projects")
	return c
}

// noTests is said where no test command is known.
const noTests = "No test command was found: 'piton rules accept CMD' names one."

// takeTest accepts a command that a person has typed, once it is known to be one and
// the person has agreed to it. False: it was not taken. Invalid: it cannot be.
func (con console) takeTest(ctx context.Context, ask func(string) (string, bool), r installation.TestRequest) (bool, error) {
	x, err := con.App().UsableTest(r.Command)
	if err != nil {
		return false, err
	}
	if x.Warning != "" {
		con.Say("Piton cannot tell whether it runs tests: %s.", screen.Clean(x.Warning))
	}
	whose := "this project's tests"
	if r.User {
		whose = "the tests of all your projects"
	}
	if text, _ := ask("Take " + con.Bold(screen.Line(x.Command)) + " as the command that runs " + whose + "? [y/N] "); !cli.IsYes(text) {
		con.Say("Not taken.")
		return false, ctx.Err()
	}
	if text, ok := ask("Run it once now, to see that it works? [Y/n] "); ok && (text == "" || cli.IsYes(text)) {
		tried, err := con.runOnce(ctx, x.Command, 0)
		if err != nil {
			return false, err
		}
		if cannotRun(tried) {
			con.Say("Not taken: it cannot run here (exit status %d).", tried.ExitCode)
			return false, nil
		}
		con.sayTried(tried)
	}
	r.Confirmed = true
	x, err = con.App().AcceptTest(ctx, r)
	x.Warning = "" // it was said
	return true, cli.Answer(con, x, err, con.printAccepted)
}

func (con console) printAccepted(x installation.AcceptedTest) error {
	con.warnOfTest(x)
	said := screen.Line(x.File) + " has it already.\n"
	if x.Changed {
		said = fmt.Sprintf("Added to debrief.tests in %s: %s\n", screen.Line(x.File), screen.Line(x.Command))
	}
	err := con.Print(said)
	switch {
	case x.NeedsTrust && x.Known:
		con.Say("A run of it counts already, because Piton knows that it runs tests. The file is not trusted as it is now: with 'piton trust' agents are asked for this command before others.")
	case x.NeedsTrust:
		con.Say("It does not count yet: the file is not trusted as it is now. 'piton trust' shows the file and asks.")
	case x.Trusted && x.Changed:
		con.Say("It counts from now on. Another change of the file needs 'piton trust' again.")
	case x.Trusted:
		con.Say("It counts already.")
	}
	if x.Changed && x.Line > 0 {
		then := ""
		if x.Trusted {
			then = ", then 'piton trust': until then it counts as the file was trusted"
		}
		con.Say("To take it back, remove it from line %d of that file%s.", x.Line, then)
	}
	return err
}
