package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

func diffCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "diff ID|NAME [ID|NAME]",
		Short: "Show what changed from one checkpoint to another",
		Long: `Show what changed from one checkpoint to another; with one id, from its parent
to it. A name is one that 'piton save --name' gave. First what the records say, then the states: + added, - removed, ~ changed.
Long values are cut short. With --json the change of the states is RFC 6902.

The exit status is 0 also when they differ.`,
		Example:           "  piton diff chk_1a6b chk_7m2k\n  piton diff chk_7m2k --json | jq .patch",
		Args:              oneOrTwo,
		ValidArgsFunction: a.completeTwoIDs,
		RunE: func(c *cobra.Command, args []string) error {
			k, err := a.keeper(c.Context(), true)
			if err != nil {
				return err
			}
			var ids [2]string
			for i, arg := range args {
				if ids[i], err = a.id(c, k, arg); err != nil {
					return err
				}
			}
			if !a.json { // the values that were replaced are shown too: see printDiff
				x, err := k.Pair(c.Context(), ids[0], ids[1])
				if err != nil {
					return err
				}
				return a.printDiff(x)
			}
			x, err := k.Compare(c.Context(), ids[0], ids[1])
			if err != nil {
				return err
			}
			return a.printJSON(struct {
				From  piton.Checkpoint `json:"from"`
				To    piton.Checkpoint `json:"to"`
				Patch json.RawMessage  `json:"patch"`
			}{x.From, x.To, x.Patch})
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

// completeTwoIDs offers ids for the first argument and the second.
func (a *app) completeTwoIDs(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeIDs(c, nil, begin)
}
