package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func loadCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "load [ID | NAME]",
		Short: "Print a checkpoint's state, byte for byte in compact form",
		Long: `Print a checkpoint's state in compact form: the order of keys, numbers and escapes
are as they were given. --session and --workflow take their newest checkpoint. A
NAME is the one given by 'piton save --name': the newest of that name in the
project.

A damaged checkpoint is never replaced silently: the command fails (exit 5), and
the hint names the nearest intact ancestor. --nearest takes that one and says so.`,
		Example: `  piton load chk_7m2k
  piton load before-refactor
  piton load --workflow import | jq .next`,
		Args:              cli.AtMostOne(piton.CheckpointPrefix),
		ValidArgsFunction: con.CompleteIDs,
	}, func(c *cobra.Command, r piton.LoadRequest) error {
		l, err := con.App().Load(c.Context(), r)
		if err != nil {
			return err
		}
		if l.RecoveredFrom != "" {
			con.Say("piton: %s is damaged (%s); this is its nearest intact ancestor %s", l.RecoveredFrom, screen.Clean(l.Why), l.Checkpoint.ID)
		}
		if con.Filtered() {
			return con.PrintJSON(json.RawMessage(l.State))
		}
		if screen.IsTerminal(con.Out) {
			l.State = screen.CleanJSON(l.State)
		}
		_, err = fmt.Fprintf(con.Out, "%s\n", l.State)
		return err
	})
}
