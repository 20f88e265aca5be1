package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func completeCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:               "complete [ID | NAME]",
		Short:             "Mark the head of a branch as completed and close its workflow",
		Long:              "Mark the head of a checkpoint's branch (or of --workflow, or --session) as\ncompleted and close its workflow. It is no longer offered for resuming. A later\nsave opens it again.",
		Example:           "  piton complete chk_7m2k\n  piton complete --workflow import",
		Args:              cli.AtMostOne(piton.CheckpointPrefix),
		ValidArgsFunction: con.CompleteIDs,
	}, func(c *cobra.Command, r piton.CompleteRequest) error {
		head, err := con.App().Complete(c.Context(), r)
		if r.DryRun {
			return cli.Answer(con, head, err, con.printWouldComplete)
		}
		return cli.Answer(con, head, err, func(head piton.Checkpoint) error {
			if con.ForPerson() {
				return con.Print(fmt.Sprintf("Completed %s; the workflow %s is closed.\n", con.Bold(head.ID), screen.Line(head.Label())))
			}
			return con.Print(head.ID + "\n")
		})
	})
}

// printWouldComplete says what a dry run has found.
func (con console) printWouldComplete(head piton.Checkpoint) error {
	if err := con.Print(head.ID + "\n"); err != nil {
		return err
	}
	if head.Completed {
		con.Say("It is completed already. Nothing was changed: --dry-run.")
		return nil
	}
	con.Say("It would mark %s as completed and close the workflow %s. Nothing was changed: --dry-run.", head.ID, screen.Line(head.Label()))
	return nil
}
