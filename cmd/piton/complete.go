package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/history"
)

func completeCommand(a *app) *cobra.Command {
	var s history.Selector
	var dir string
	c := &cobra.Command{
		Use:               "complete [ID | NAME]",
		Short:             "Mark the head of a branch as completed and close its workflow",
		Long:              "Mark the head of a checkpoint's branch (or of --workflow, or --session) as\ncompleted and close its workflow: it is not offered for resuming any more. A\nlater save opens it again.",
		Example:           "  piton complete chk_7m2k\n  piton complete --workflow import",
		Args:              chosen(false),
		ValidArgsFunction: a.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			k, err := a.keeper(c.Context(), true)
			if err != nil {
				return err
			}
			if err := a.selector(c, args, &s, dir); err != nil {
				return err
			}
			head, err := k.Complete(c.Context(), s)
			if err != nil {
				return err
			}
			switch {
			case a.json:
				return a.printJSON(head)
			case a.outTerminal():
				_, err = fmt.Fprintf(a.out, "Completed %s; the workflow %s is closed.\n", a.bold(head.ID), line(head.Label()))
			default:
				_, err = fmt.Fprintln(a.out, head.ID)
			}
			return err
		},
	}
	selectFlags(c, &s, &dir)
	return c
}
