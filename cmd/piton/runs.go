package main

import (
	"github.com/spf13/cobra"
)

func runsCommand(con *console) *cobra.Command {
	c := &cobra.Command{
		Use:   "runs",
		Short: "List, show and steer runs of plans",
		Long: `List and show runs of plans, and steer them from any terminal. RUN is a run's id or
an unambiguous beginning of it, or the name of its workflow: its unfinished run,
else its newest.`,
		Example: "  piton runs list --open\n  piton runs show run_7m2k\n  piton runs approve run_7m2k",
		Args:    knownSubcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(runsListCommand(con), runsShowCommand(con), runsLogsCommand(con), runsApproveCommand(con),
		runsSteerCommand(con, "pause"), runsContinueCommand(con), runsSteerCommand(con, "cancel"))
	return c
}
