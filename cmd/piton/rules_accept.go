package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
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
added to your own file and counts in all projects. In a project's file that is not
trusted ('piton trust') it is asked for in addition to what is found in the
project.`,
		Example: "  piton rules accept 'make check'\n  piton rules accept --user 'just test'",
		Args:    oneLine,
		RunE: func(c *cobra.Command, args []string) error {
			x, err := con.app().AcceptTest(c.Context(), args[0], user)
			return answer(con, x, err, func(x app.AcceptedTest) error { return con.printAccepted(x, user) })
		},
	}
	c.Flags().BoolVar(&user, "user", false, "add it to your own file, for all projects")
	return c
}

// oneLine refuses a command that was given as several arguments, or none.
func oneLine(c *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	hint := c.CommandPath() + " 'make test'"
	if len(args) > 1 {
		hint = "put it in quotes: " + c.CommandPath() + " " + quote(strings.Join(args, " "))
	}
	return piton.Errorf(piton.Invalid, c.CommandPath(), hint, "give one command line, not %d arguments", len(args))
}

func (con *console) printAccepted(x app.AcceptedTest, user bool) error {
	if x.Warning != "" {
		con.say("piton: warning: %s. Its success counts as passed tests: make sure that it fails when a test does.", clean(x.Warning))
	}
	if !x.Changed {
		return con.print(line(x.File) + " has it already.\n")
	}
	err := con.print(fmt.Sprintf("Added to debrief.tests in %s: %s\n", line(x.File), line(x.Command)))
	switch {
	case x.NeedsTrust:
		con.say("The file was trusted and has changed: 'piton trust' asks again. Until then what needs trust in it does not count.")
	case !user:
		con.say("The file is not trusted: agents are asked for the command besides what is found here. After 'piton trust' it counts for itself.")
	}
	return err
}
