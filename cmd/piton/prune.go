package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/screen"
)

func pruneCommand(con console) *cobra.Command {
	var verbose bool
	c := cli.Asks(&cobra.Command{
		Use:   "prune",
		Short: "Archive and delete checkpoints by the retention policy",
		Long: `Archive and delete checkpoints by the retention policy, and return the freed space.

Old checkpoints move to the archive and can still be listed and loaded by the same
ids; older ones are deleted. Heads of unfinished work, named checkpoints and
completed phases are kept (docs/config.md has the bounds). --verbose prints a row with
the reason for each. --dry-run prints what would go, and does nothing. With another
store, the local file, where hooks save, is pruned too. Files of the archive that
this store wrote at least 30 days ago and that nothing names any more are removed.

It works in short steps, so that no agent waits for it. What was done before
Ctrl-C or --max-time stays done; the next prune continues from there.`,
		Example: "  piton prune --dry-run\n  piton prune --project . --json",
		Args:    cli.None(""),
	}, func(c *cobra.Command, r piton.PruneRequest) error {
		p, err := con.App().Prune(c.Context(), r)
		if err != nil && p.Stopped == "" {
			return err // before anything was archived or deleted
		}
		if failed := cli.Answer(con, p, nil, func(p history.Pruning) error { return con.printPruning(p, verbose) }); err == nil {
			err = failed
		}
		return err
	})
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print a row for each checkpoint, and why")
	return c
}

// stopped says why a prune ended before all was done.
var stopped = map[string]string{history.StoppedInterrupted: "It was interrupted", history.StoppedTime: "The time was over", history.StoppedError: "It could not go on"}

// printPruning prints the sums on stderr, and a line a checkpoint where it is verbose;
// a dry run says at least what would go.
func (con console) printPruning(p history.Pruning, verbose bool) error {
	shown := func(action piton.Action) bool { return verbose || p.DryRun && action != piton.Keep }
	rows := slices.DeleteFunc(slices.Clone(p.Rows), func(v piton.Verdict) bool { return !shown(v.Action) })
	if err := con.printVerdicts(rows, 7); err != nil {
		return err
	}
	removed, err := con.printOrphans(p.Orphans, shown)
	if err != nil {
		return err
	}
	if p.DryRun {
		if removed > 0 {
			con.Say("It would remove %d archive files that no checkpoint names.", removed)
		}
		if p.Marks > 0 {
			con.Say("It would delete %s of files.", screen.Counted(p.Marks, "mark"))
		}
		con.Say("It would archive %d and delete %d of %d, and free %d bytes. Nothing was done: --dry-run.", p.Archived, p.Deleted, len(p.Rows), p.FreedBytes)
		return nil
	}
	con.Say("Archived %d and deleted %d of %d; %d bytes freed.", p.Archived, p.Deleted, len(p.Rows), p.FreedBytes)
	if removed > 0 {
		con.Say("Removed %d archive files that no checkpoint named.", removed)
	}
	if p.Marks > 0 {
		con.Say("Deleted %s of files.", screen.Counted(p.Marks, "mark"))
	}
	if p.Stopped != "" {
		con.Say("%s: %d are left. 'piton prune' continues from there.", stopped[p.Stopped], p.Left)
	}
	return nil
}

// printOrphans prints a line for each archive file that no checkpoint names, and counts
// those that are removed.
func (con console) printOrphans(list []history.Orphan, shown func(piton.Action) bool) (removed int, err error) {
	var rows []piton.Verdict
	for _, x := range list {
		if shown(x.Action) {
			rows = append(rows, piton.Verdict{ID: x.File, Action: x.Action, Reason: x.Reason})
		}
		if x.Action == piton.DeleteForever {
			removed++
		}
	}
	return removed, con.printVerdicts(rows, 7)
}
