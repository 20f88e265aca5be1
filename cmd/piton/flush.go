package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/history"
)

func flushCommand(a *app) *cobra.Command {
	var all, wait bool
	c := &cobra.Command{
		Use:   "flush",
		Short: "Deliver what waits for an agent, and carry what hooks have saved here to the store of several machines",
		Long: `Deliver the letters that are due: what an agent is to be told whose client reads
no answer to its hooks (docs/spec.md, "Delivery").

Then carry what hooks have saved on this machine to the configured store, which
PITON_STORE or the settings name (postgres://…, file:DIR), under its final ids and
numbers. Nothing is ever carried to a store that only --store names.

A hook never waits for a network: it saves to the local file. Commands that read
the configured store do this too before they answer. Doing it twice changes
nothing. It also notes the open work of other machines, so that a session's start
can offer it.

What was saved by hand while the store was the local file stays there, unless
--all carries that over too.`,
		Example: "  PITON_STORE=postgres://host/piton piton flush",
		Args:    none(""),
		RunE: func(c *cobra.Command, _ []string) error {
			if isFar(a.storeFlag) && !a.configured() {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "make it the configured one: PITON_STORE, or 'store' in the settings; to copy checkpoints once: 'piton export', then 'piton import --store STORE'",
					"what hooks have saved goes to the configured store only, and --store names another")
			}
			letters, err := a.deliver(c.Context(), wait)
			if err != nil {
				return err
			}
			far, err := a.openFar(c.Context(), false)
			if err != nil {
				return err
			}
			if far == nil && letters.Any() {
				return a.printFlushed(letters, nil)
			}
			if far == nil {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "a store to carry to is named by PITON_STORE or 'store' in the settings: postgres://… or file:DIR", "no letter waits, and the configured store is the local file: there is nothing to carry")
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
				a.soFar = fmt.Sprintf("%d copied, %d completed, %d deleted in the store before that; the next flush goes on from there", f.Copied, f.Completed, f.Deleted)
				if letters.Any() {
					a.soFar += fmt.Sprintf("; letters: %d delivered, %d dropped, %d parked, %d waiting", letters.Delivered, letters.Dropped, letters.Parked, letters.Waiting)
				}
				return err
			}
			return a.printFlushed(letters, &f)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "carry everything of the local file, not only what hooks have saved")
	c.Flags().BoolVar(&wait, "wait", false, "stay until no letter waits any more, at most five minutes")
	return c
}

// flushJSON is what a flush did, as docs/json.md has it.
type flushJSON struct {
	Letters courier.Carried `json:"letters"`
	*history.Flushed
}

func (a *app) printFlushed(letters courier.Carried, f *history.Flushed) error {
	if a.json {
		return a.printJSON(flushJSON{letters, f})
	}
	if letters.Any() {
		if _, err := fmt.Fprintf(a.out, "Letters: %d delivered, %d dropped, %d parked, %d waiting.\n", letters.Delivered, letters.Dropped, letters.Parked, letters.Waiting); err != nil {
			return err
		}
		if letters.Parked+letters.Waiting > 0 {
			fmt.Fprintf(a.err, "What kept them from their agent stands in %s\n", filepath.Join(a.home(), "piton.log"))
		}
	}
	if f == nil {
		return nil
	}
	for _, x := range f.Aside {
		fmt.Fprintf(a.err, "piton: workflow %s has gone on by itself in the store and keeps its head there: %d of those copied are on its branch %s.\n%s",
			line(firstOf(x.Workflow, x.WorkflowID)), x.Count, line(strings.Join(x.Branches, ", ")), asideHint(x))
	}
	if f.LeftOut > 0 {
		fmt.Fprintf(a.err, "piton: %d checkpoints were not copied, because they are damaged here; 'piton verify --store sqlite:%s' names them.\n", f.LeftOut, filepath.Join(a.home(), "piton.db"))
	}
	_, err := fmt.Fprintf(a.out, "Copied %d, completed %d, deleted %d; %d open heads known here.\n", f.Copied, f.Completed, f.Deleted, f.Offered)
	return err
}

// waitMost is how long a flush stays for letters that are due later: as long as
// all of a letter's attempts take.
const waitMost = 5 * time.Minute

// deliver carries the letters that are due.
func (a *app) deliver(ctx context.Context, wait bool) (courier.Carried, error) {
	st, err := a.open(ctx, true)
	if missing(err) {
		return courier.Carried{}, nil
	}
	if err != nil {
		return courier.Carried{}, err
	}
	c := courier.Courier{Local: st.Local(), Log: a.log()}
	if wait {
		return c.DeliverAll(ctx, waitMost)
	}
	return c.Deliver(ctx)
}
