package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/screen"
)

func forkCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "fork ID | NAME",
		Short: "Start a branch from any checkpoint",
		Long: `Start a branch of a workflow from any of its checkpoints. The new checkpoint has
the chosen one as its parent, with its state and its position (step, phase, task,
progress), and is not completed. --state gives it another state; so does a pipe or
a file on standard input, as in 'piton save'. Save to the branch with 'piton save
--workflow W --branch B'.

A damaged checkpoint is never replaced silently: the command fails (exit 5), and
the hint names the nearest intact ancestor. --nearest takes that one and says so.

In a pipe, it prints only the id of the new checkpoint.`,
		Example: `  piton fork chk_7m2k
  piton fork chk_7m2k --branch try-streams --description "without the buffer"`,
		Args:              cli.AtMostOne(piton.CheckpointPrefix),
		ValidArgsFunction: con.CompleteIDs,
	}, func(c *cobra.Command, r piton.ForkRequest) error {
		state, idle, err := con.GivenState(c, string(r.State))
		if err != nil {
			return err
		}
		if idle {
			con.SayIdle() // the state is the checkpoint's own
		}
		r.State = state
		forked, err := con.App().Fork(c.Context(), r)
		if err != nil {
			return err
		}
		if forked.RecoveredFrom != "" {
			con.Say("piton: %s is damaged (%s); the branch starts from its nearest intact ancestor %s", forked.RecoveredFrom, screen.Clean(forked.Why), forked.ParentID)
		}
		con.SoFar = "the branch is there: " + forked.ID
		return printed(con.printForked(forked))
	})
}

// printForked prints a fork as a save is printed, with its branch.
func (con console) printForked(f history.Forked) error {
	if con.JSON {
		return con.PrintJSON(f)
	}
	if err := con.printSaved(f.Saved); err != nil || !con.ForPerson() {
		return err
	}
	return con.Print(fmt.Sprintf("Branch: %s, from %s\n", screen.Line(f.Branch), f.ParentID))
}
