package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/screen"
)

func deleteCommand(con console) *cobra.Command {
	var ask cli.Confirmation
	c := cli.Asks(&cobra.Command{
		Use:   "delete [ID]",
		Short: "Delete one checkpoint, or those of a workflow or a session",
		Long: `Delete one checkpoint, by its id and not by a name, or all of a workflow or a
session; with --older-than, only those that are older. The children of a deleted
checkpoint get the nearest remaining ancestor as parent and can still be loaded. On a
terminal the command asks first, unless you give --yes. Where nobody can be asked, as
in a script, one checkpoint is deleted at once; a workflow or a session needs --yes.
--dry-run shows what it would delete.`,
		Example:           "  piton delete chk_7m2k\n  piton delete --workflow import --older-than 7d --dry-run\n  piton delete --workflow import --older-than 7d --yes",
		Args:              cli.AtMostOne(piton.CheckpointPrefix),
		ValidArgsFunction: con.CompleteIDs,
	}, func(c *cobra.Command, r piton.DeleteRequest) error {
		if !r.DryRun {
			question := func() (string, error) { return con.askDelete(c.Context(), r) }
			if ok, err := ask.Agreed(c, con, r.Workflow+r.Session != "", question); err != nil || !ok {
				return err
			}
		}
		done, err := con.App().Delete(c.Context(), r)
		if err != nil && done.Deleted > 0 && !r.DryRun {
			con.SoFar = fmt.Sprintf("%s deleted before that", screen.Counted(done.Deleted, "checkpoint"))
		}
		return cli.Answer(con, done, err, func(done history.Removal) error { return con.printRemoval(done, r.DryRun) })
	})
	ask.Flag(c)
	return c
}

// askDelete is the question to a person who sees what would go; "" where nothing would.
func (con console) askDelete(ctx context.Context, r piton.DeleteRequest) (string, error) {
	r.DryRun = true
	would, err := con.App().Delete(ctx, r)
	if err != nil || would.Deleted == 0 {
		return "", err
	}
	question := fmt.Sprintf("Delete %s (%s)? A deleted checkpoint cannot be restored.", screen.Counted(would.Deleted, "checkpoint"), screen.Line(would.Rows[0].Reason))
	if r.Ref != "" && would.Deleted == 1 {
		id := would.Rows[0].ID
		question = fmt.Sprintf("Delete %s? It cannot be restored.", con.Bold(id))
		if x, err := con.App().Inspect(ctx, piton.InspectRequest{OneRequest: piton.OneRequest{Ref: id}}); err == nil {
			question = fmt.Sprintf("Delete %s, %s? It cannot be restored.", con.Bold(id), screen.Line(x.Checkpoint.Label()))
		}
	}
	return question, nil
}

// printRemoval prints a line a checkpoint, and the sum on stderr.
func (con console) printRemoval(r history.Removal, dry bool) error {
	if err := con.printVerdicts(r.Rows, 6); err != nil {
		return err
	}
	if dry {
		con.Say("It would delete %d and free %d bytes. Nothing was deleted: --dry-run.", r.Deleted, r.FreedBytes)
		return nil
	}
	con.Say("Deleted %d, %d bytes freed.", r.Deleted, r.FreedBytes)
	return nil
}

// printVerdicts prints a line a checkpoint: what is done with it, and why.
func (con console) printVerdicts(rows []piton.Verdict, width int) error {
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%s  %-*s  %s\n", row.ID, width, row.Action, screen.Line(row.Reason))
	}
	return con.Print(b.String())
}
