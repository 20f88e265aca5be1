package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

func diffCommand(con *console) *cobra.Command {
	return &cobra.Command{
		Use:   "diff ID|NAME [ID|NAME]",
		Short: "Show what changed from one checkpoint to another",
		Long: `Show what changed from one checkpoint to another; with one id, from its parent
to it. A name is one that 'piton save --name' gave. First what the records say, then the states: + added, - removed, ~ changed.
Long values are cut short. With --json the change of the states is RFC 6902.

The exit status is 0 also when they differ.`,
		Example:           "  piton diff chk_1a6b chk_7m2k\n  piton diff chk_7m2k --json | jq .patch",
		Args:              oneOrTwo,
		ValidArgsFunction: con.completeTwoIDs,
		RunE: func(c *cobra.Command, args []string) error {
			to := append(args, "")[1]
			if con.json {
				x, err := con.app().Compare(c.Context(), args[0], to)
				return answer(con, x, err, nil)
			}
			// The values that were replaced are shown too.
			x, err := con.app().Pair(c.Context(), args[0], to)
			if err != nil {
				return err
			}
			return con.printDiff(x)
		},
	}
}

// oneOrTwo takes one id or two.
func oneOrTwo(c *cobra.Command, args []string) error {
	if len(args) > 2 {
		return piton.Errorf(piton.Invalid, c.CommandPath(), seeHelp(c), "two ids at most, not %d", len(args))
	}
	check := one(piton.CheckpointPrefix)
	if len(args) < 2 {
		return check(c, args)
	}
	for i := range args {
		if err := check(c, args[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}
