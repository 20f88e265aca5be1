package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

func pruneCommand(a *app) *cobra.Command {
	var dir, session string
	var dry bool
	var most time.Duration
	c := &cobra.Command{
		Use:   "prune",
		Short: "Archive and delete checkpoints by the retention policy",
		Long: `Archive and delete checkpoints by the retention policy, and give the space back.

Old checkpoints move to the archive and stay listed and loadable by the same
ids; still older ones are deleted. Heads of unfinished work, named checkpoints
and completed phases are kept (docs/config.md has the bounds). Every row says
why. --dry-run prints what a real run would do, and does nothing. With another
store the local file, where hooks save, is pruned too.

It works in short steps, so that no agent waits for it. What was done before
Ctrl-C, or before --max-time was over, stays done; the next prune goes on from
there.`,
		Example: "  piton prune --dry-run\n  piton prune --project . --json",
		Args:    none(""),
		RunE: func(c *cobra.Command, _ []string) error {
			ctx := c.Context()
			prune := a.pruner
			if dry {
				prune = func(ctx context.Context) (history.Keeper, error) { return a.keeper(ctx, true) } // writes nothing
			}
			k, err := prune(ctx)
			if missing(err) {
				return a.printPruning(history.Pruning{Rows: []piton.Verdict{}, DryRun: dry})
			}
			if err != nil {
				return err
			}
			set, err := a.settings("") // a slip in a bound must not delete at its default
			if err != nil {
				return err
			}
			if a.far != nil && set.Checkpoints.Archive == a.homeArchive() {
				// In a folder of this machine the others would not find them.
				k.Archive = nil
			}
			o := history.PruneOptions{Policy: set.Checkpoints.Retention, DryRun: dry, MaxTime: most, Progress: a.progress("Pruning")}
			defer o.Progress(1, 1)
			if dir != "" {
				p, err := a.project(ctx, dir, false)
				if err != nil {
					return err
				}
				o.Project = p.ID
			}
			if session != "" {
				s, err := k.Local.Session(ctx, session)
				if err != nil {
					return err
				}
				o.Session = s.ID
			}
			p, err := k.Prune(ctx, o)
			if err == nil && a.far != nil && !k.OneOff && o.Project == "" {
				err = a.pruneOwn(ctx, k, o, &p)
			}
			o.Progress(1, 1)
			if err != nil && p.Stopped == "" {
				return err // before anything was archived or deleted
			}
			if printed := a.printPruning(p); err == nil {
				err = printed
			}
			return err
		},
	}
	c.Flags().StringVar(&dir, "project", "", "a folder (`DIR`) of the project (default all projects)")
	c.Flags().StringVar(&session, "session", "", "of this `SESSION` only, by our id or the client's")
	c.Flags().DurationVar(&most, "max-time", 0, "stop archiving and deleting after this `TIME`, such as 30s")
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would be done and do nothing")
	return c
}

// pruneOwn deletes by the same policy what hooks have saved on this machine, once
// the store has it. It goes to no archive: the store's own copy does.
func (a *app) pruneOwn(ctx context.Context, k history.Keeper, o history.PruneOptions, p *history.Pruning) error {
	if _, err := k.Flush(ctx, nil); err != nil {
		a.log().WarnContext(ctx, "the local file was not pruned: the store does not have all of it", "err", err)
		return nil
	}
	k.Store, k.Archive, o.Progress = a.store, nil, nil
	own, err := k.Prune(ctx, o)
	for _, row := range own.Rows {
		known := slices.ContainsFunc(p.Rows, func(v piton.Verdict) bool { return v.ID == row.ID && v.Action == row.Action })
		if row.Action == piton.DeleteForever && !known {
			row.Reason += ", in the local file"
			p.Rows = append(p.Rows, row)
			p.Deleted++
		}
	}
	p.FreedBytes += own.FreedBytes
	p.Left += own.Left
	p.Stopped = firstOf(p.Stopped, own.Stopped)
	return err
}

// printPruning prints a line a checkpoint, and the sums on stderr.
func (a *app) printPruning(p history.Pruning) error {
	if a.json {
		return a.printJSON(p)
	}
	var b strings.Builder
	for _, row := range p.Rows {
		fmt.Fprintf(&b, "%s  %-7s  %s\n", row.ID, row.Action, line(row.Reason))
	}
	if _, err := io.WriteString(a.out, b.String()); err != nil {
		return err
	}
	if p.DryRun {
		fmt.Fprintf(a.err, "It would archive %d and delete %d of %d, and set %d bytes free. Nothing was done: --dry-run.\n", p.Archived, p.Deleted, len(p.Rows), p.FreedBytes)
		return nil
	}
	fmt.Fprintf(a.err, "Archived %d and deleted %d of %d; %d bytes set free.\n", p.Archived, p.Deleted, len(p.Rows), p.FreedBytes)
	if p.Stopped != "" {
		why := map[string]string{history.StoppedInterrupted: "It was interrupted", history.StoppedTime: "The time was over", history.StoppedError: "It could not go on"}[p.Stopped]
		fmt.Fprintf(a.err, "%s: %d are left. 'piton prune' goes on from there.\n", why, p.Left)
	}
	return nil
}
