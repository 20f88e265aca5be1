package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

func flushCommand(a *app) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "flush",
		Short: "Carry what hooks have saved here to the store of several machines",
		Long: `Carry what hooks have saved on this machine to the store that --store, PITON_STORE
or the settings name (postgres://…, file:DIR), under its final ids and numbers.

A hook never waits for a network: it saves to the local file. Commands that read
do this too before they answer. Doing it twice changes nothing. It also notes
the open work of other machines, so that a session's start can offer it.

What was saved by hand while the store was the local file stays there, unless
--all carries that over too.`,
		Example: "  piton flush --store postgres://host/piton",
		Args:    none(""),
		RunE: func(c *cobra.Command, _ []string) error {
			far, err := a.openFar(c.Context(), false)
			if err != nil {
				return err
			}
			if far == nil {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give --store postgres://… or file:DIR", "the store is the local file: there is nothing to carry")
			}
			k, err := a.keeper(c.Context(), false)
			if err != nil {
				return err
			}
			if all {
				k.Carries = nil
			}
			f, err := k.Flush(c.Context(), a.progress("Carrying"))
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(f)
			}
			if f.LeftOut > 0 {
				fmt.Fprintf(a.err, "piton: %d checkpoints were left out: their workflows have gone on by themselves in the store; piton.log names them.\n"+
					"'piton export --store sqlite:PATH' takes them out, 'piton delete' removes one line of the two.\n", f.LeftOut)
			}
			_, err = fmt.Fprintf(a.out, "Copied %d, completed %d, deleted %d; %d open heads known here.\n", f.Copied, f.Completed, f.Deleted, f.Offered)
			return err
		},
	}
	c.Flags().BoolVar(&all, "all", false, "carry everything of the local file, not only what hooks have saved")
	return c
}
