package runs

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/cli"
)

// Commands are run and runs.
func Commands(con *cli.Console) []*cobra.Command {
	return []*cobra.Command{runCommand(console{con}), runsCommand(console{con})}
}

func runsCommand(con console) *cobra.Command {
	list := listCommand(con)
	c := &cobra.Command{
		Use:   "runs",
		Short: "List, show and steer runs of plans",
		Long: `List and show runs of plans, and steer them from any terminal. RUN is a run's id or
an unambiguous beginning of it, or the name of its workflow: its unfinished run,
else its newest. 'piton runs' alone lists them, as 'piton runs list' does.`,
		Example: "  piton runs list --open\n  piton runs show run_7m2k\n  piton runs approve run_7m2k",
		Args:    cli.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			list.SetContext(c.Context())
			return list.RunE(list, nil)
		},
	}
	c.AddCommand(list, showCommand(con), logsCommand(con), artifactsCommand(con), approveCommand(con),
		steerCommand(con, "pause"), continueCommand(con), steerCommand(con, "cancel"), signalCommand(con), undoCommand(con), scheduleCommand(con))
	return c
}
