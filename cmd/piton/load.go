package main

import (
	"fmt"

	"github.com/piton-project/piton/internal/cli"
	"github.com/spf13/cobra"
)

func loadCommand(con *console) *cobra.Command {
	var x choice
	var nearest bool
	c := &cobra.Command{
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
		Args:              chosen(false),
		ValidArgsFunction: con.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			l, err := con.app().Load(c.Context(), x.of(c, args), nearest)
			if err != nil {
				return err
			}
			if l.RecoveredFrom != "" {
				con.say("piton: %s is damaged (%s); this is its nearest intact ancestor %s", l.RecoveredFrom, clean(l.Why), l.Checkpoint.ID)
			}
			if cli.IsTerminal(con.out) {
				l.State = cli.CleanJSON(l.State)
			}
			_, err = fmt.Fprintf(con.out, "%s\n", l.State)
			return err
		},
	}
	x.flags(c)
	x.nameFlag(c)
	c.Flags().BoolVar(&nearest, "nearest", false, "take the nearest intact ancestor of a damaged checkpoint")
	return c
}
