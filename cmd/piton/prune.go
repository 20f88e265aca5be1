package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/history"
)

func pruneCommand(con *console) *cobra.Command {
	var r app.PruneRequest
	c := &cobra.Command{
		Use:   "prune",
		Short: "Archive and delete checkpoints by the retention policy",
		Long: `Archive and delete checkpoints by the retention policy, and return the freed space.

Old checkpoints move to the archive and can still be listed and loaded by the same
ids; older ones are deleted. Heads of unfinished work, named checkpoints and
completed phases are kept (docs/config.md has the bounds). Every row gives a
reason. --dry-run prints what a real run would do, and does nothing. With another
store, the local file, where hooks save, is pruned too.

It works in short steps, so that no agent waits for it. What was done before
Ctrl-C or --max-time stays done; the next prune continues from there.`,
		Example: "  piton prune --dry-run\n  piton prune --project . --json",
		Args:    none(""),
		RunE: func(c *cobra.Command, _ []string) error {
			r.Progress = con.progress("Pruning")
			p, err := con.app().Prune(c.Context(), r)
			r.Progress(1, 1)
			if err != nil && p.Stopped == "" {
				return err // before anything was archived or deleted
			}
			if failed := answer(con, p, nil, con.printPruning); err == nil {
				err = failed
			}
			return err
		},
	}
	c.Flags().StringVar(&r.Dir, "project", "", "a folder (`DIR`) of the project (default all projects)")
	c.Flags().StringVar(&r.Session, "session", "", "of this `SESSION` only, by Piton's id or the client's")
	c.Flags().DurationVar(&r.MaxTime, "max-time", 0, "stop archiving and deleting after this `TIME`, such as 30s")
	c.Flags().BoolVar(&r.DryRun, "dry-run", false, "say what would be done and do nothing")
	return c
}

// stopped says why a prune ended before all was done.
var stopped = map[string]string{history.StoppedInterrupted: "It was interrupted", history.StoppedTime: "The time was over", history.StoppedError: "It could not go on"}

// printPruning prints a line a checkpoint, and the sums on stderr.
func (con *console) printPruning(p history.Pruning) error {
	if err := con.printVerdicts(p.Rows, 7); err != nil {
		return err
	}
	if p.DryRun {
		con.say("It would archive %d and delete %d of %d, and free %d bytes. Nothing was done: --dry-run.", p.Archived, p.Deleted, len(p.Rows), p.FreedBytes)
		return nil
	}
	con.say("Archived %d and deleted %d of %d; %d bytes freed.", p.Archived, p.Deleted, len(p.Rows), p.FreedBytes)
	if p.Stopped != "" {
		con.say("%s: %d are left. 'piton prune' continues from there.", stopped[p.Stopped], p.Left)
	}
	return nil
}
