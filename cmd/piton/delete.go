package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/history"
)

func deleteCommand(a *app) *cobra.Command {
	var s history.Selector
	var dir, older string
	var dry bool
	c := &cobra.Command{
		Use:   "delete [ID]",
		Short: "Delete one checkpoint, a workflow's or a session's",
		Long: `Delete one checkpoint, a workflow's or a session's, each only where it is older
than --older-than, if that is given. The children of a deleted checkpoint get
the nearest surviving ancestor as parent and stay loadable. It does not ask:
--dry-run shows first what would go.`,
		Example:           "  piton delete chk_7m2k\n  piton delete --workflow import --older-than 7d --dry-run",
		Args:              chosen(false),
		ValidArgsFunction: a.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			var age time.Duration
			var err error
			if older != "" {
				if age, err = span(older); err != nil {
					return err
				}
			}
			k, err := a.keeper(c.Context(), true)
			if err != nil {
				return err
			}
			if err := a.selector(c, args, &s, dir); err != nil {
				return err
			}
			r, err := k.Delete(c.Context(), s, age, dry)
			if err != nil {
				if r.Deleted > 0 && !dry {
					a.soFar = fmt.Sprintf("%d checkpoints were deleted before that", r.Deleted)
				}
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			return a.printRemoval(r, dry)
		},
	}
	selectFlags(c, &s, &dir)
	c.Flags().Lookup("workflow").Usage = "all of this `WORKFLOW`, by id or name"
	c.Flags().Lookup("session").Usage = "all of this `SESSION`, by our id or the client's"
	c.Flags().StringVar(&older, "older-than", "", "only those older than this `TIME`: 90m, 12h, 7d")
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would be deleted and delete nothing")
	return c
}

// printRemoval prints a line a checkpoint, and the sum on stderr.
func (a *app) printRemoval(r history.Removal, dry bool) error {
	var b strings.Builder
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "%s  %-6s  %s\n", row.ID, row.Action, line(row.Reason))
	}
	if _, err := io.WriteString(a.out, b.String()); err != nil {
		return err
	}
	if dry {
		fmt.Fprintf(a.err, "It would delete %d and set %d bytes free. Nothing was deleted: --dry-run.\n", r.Deleted, r.FreedBytes)
		return nil
	}
	fmt.Fprintf(a.err, "Deleted %d, %d bytes set free.\n", r.Deleted, r.FreedBytes)
	return nil
}
