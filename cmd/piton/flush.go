package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/cli"
)

func flushCommand(con console) *cobra.Command {
	var r app.FlushRequest
	c := &cobra.Command{
		Use:   "flush",
		Short: "Deliver due letters, and copy what hooks saved here to the shared store",
		Long: `Deliver the letters that are due: messages to agents and listeners (docs/spec.md,
"Outbox"). 'piton letters' shows those that wait.

Then copy what hooks have saved on this machine to the configured store, which
PITON_STORE or the settings name (postgres://…, file:DIR), under its final ids and
numbers. Nothing is copied to a store that only --store names.

A hook never waits for a network: it saves to the local file. Commands that read
the configured store also flush before they answer. Flushing twice changes
nothing. It also records the open work of other machines, so that a session's
start can offer it.

What was saved by hand while the store was the local file stays there, unless you
give --all.`,
		Example: "  PITON_STORE=postgres://host/piton piton flush",
		Args:    cli.None(""),
		RunE: func(c *cobra.Command, _ []string) error {
			r.Progress = con.Progress("Copying")
			f, err := con.App().Flush(c.Context(), r)
			if err != nil && f.Flushed != nil {
				con.SoFar = fmt.Sprintf("%d copied, %d completed, %d deleted in the store before that; the next flush continues from there", f.Copied, f.Completed, f.Deleted)
				if f.Letters.Any() {
					con.SoFar += "; letters: " + letterCounts(f)
				}
			}
			return cli.Answer(con, f, err, con.printFlushed)
		},
	}
	c.Flags().BoolVar(&r.All, "all", false, "copy everything in the local file, not only what hooks have saved")
	c.Flags().BoolVar(&r.Wait, "wait", false, "wait until no letter is left, at most five minutes")
	return c
}

func letterCounts(f app.Flushed) string {
	return fmt.Sprintf("%d delivered, %d dropped, %d parked, %d waiting", f.Letters.Delivered, f.Letters.Dropped, f.Letters.Parked, f.Letters.Waiting)
}

func (con console) printFlushed(f app.Flushed) error {
	if f.Letters.Any() {
		if err := con.Print("Letters: " + letterCounts(f) + ".\n"); err != nil {
			return err
		}
		if f.Letters.Parked+f.Letters.Waiting > 0 {
			con.Say("'piton letters' says why they were not delivered.")
		}
	}
	if f.Flushed == nil {
		if !f.Letters.Any() {
			con.Say("Nothing to carry: no letter is due, and the configured store is the local file.")
		}
		return nil
	}
	con.sayAside(f.Aside, "in the store", "those copied")
	if f.LeftOut > 0 {
		con.Say("piton: %d checkpoints were not copied, because they are damaged here; 'piton verify --store sqlite:%s' names them.", f.LeftOut, place.Database(con.App().Home()))
	}
	return con.Print(fmt.Sprintf("Copied %d, completed %d, deleted %d; %d open heads known here.\n", f.Copied, f.Completed, f.Deleted, f.Offered))
}
