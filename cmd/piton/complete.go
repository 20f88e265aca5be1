package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

func completeCommand(con *console) *cobra.Command {
	var x choice
	c := &cobra.Command{
		Use:               "complete [ID | NAME]",
		Short:             "Mark the head of a branch as completed and close its workflow",
		Long:              "Mark the head of a checkpoint's branch (or of --workflow, or --session) as\ncompleted and close its workflow. It is no longer offered for resuming. A later\nsave opens it again.",
		Example:           "  piton complete chk_7m2k\n  piton complete --workflow import",
		Args:              chosen(false),
		ValidArgsFunction: con.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			head, err := con.app().Complete(c.Context(), x.of(c, args))
			return answer(con, head, err, func(head piton.Checkpoint) error {
				if con.forPerson() {
					return con.print(fmt.Sprintf("Completed %s; the workflow %s is closed.\n", con.bold(head.ID), line(head.Label())))
				}
				return con.print(head.ID + "\n")
			})
		},
	}
	x.flags(c)
	return c
}
