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

func purgeCommand(con console) *cobra.Command {
	var verbose bool
	var ask cli.Confirmation
	c := cli.Asks(&cobra.Command{
		Use:   "purge --secrets",
		Short: "Remove secrets from what is already stored",
		Long: `Remove secrets from what is already stored, by the rules of this version: from
states, records, sessions, events, decisions, archive files and logs. Changed
checkpoints get a new sum; nothing else ever changes a checkpoint. The database is
rewritten, so that the old bytes are gone from its file; saves wait for that. The
command names what it cannot reach. Change a secret that was stored in any case.
--verbose prints the id of each checkpoint with a secret. On a terminal it asks
first, unless you give --yes; where nobody can be asked, it needs --yes.`,
		Example: "  piton purge --secrets --dry-run\n  piton purge --secrets --yes",
		Args:    cli.None(""),
	}, func(c *cobra.Command, r piton.PurgeRequest) error {
		if r.Secrets && !r.DryRun {
			question := func() (string, error) { return con.askPurge(c.Context()) }
			if ok, err := ask.Agreed(c, con, true, question); err != nil || !ok {
				return err
			}
		}
		show := func(p history.Purged) error { return con.printPurged(p, verbose) }
		p, err := con.App().Purge(c.Context(), r)
		if err != nil && p.Stopped != "" {
			if failed := cli.Answer(con, p, nil, show); failed != nil {
				return failed
			}
		}
		return cli.Answer(con, p, err, show)
	})
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print the id of each checkpoint that had a secret")
	ask.Flag(c)
	return c
}

// askPurge is the question to a person who sees how many secrets were found; "" where none
// was: the old bytes of an earlier purge may still have to go.
func (con console) askPurge(ctx context.Context) (string, error) {
	p, err := con.App().Purge(ctx, piton.PurgeRequest{Secrets: true, DryRun: true})
	if err != nil || p.Taken == 0 {
		return "", err
	}
	return fmt.Sprintf("Remove %s from %s, %s and what else is stored? What is removed cannot be restored.", screen.Counted(p.Taken, "secret"), screen.Counted(len(p.Checkpoints), "checkpoint"), screen.Counted(len(p.Files), "archive file")), nil
}

// printPurged says how much was done, with verbose where; what was done before an
// interruption, too.
func (con console) printPurged(p history.Purged, verbose bool) error {
	if verbose && len(p.Checkpoints) > 0 {
		if err := con.Print(strings.Join(p.Checkpoints, "\n") + "\n"); err != nil {
			return err
		}
	}
	what := "Secrets removed"
	if p.DryRun {
		what = "Secrets found, nothing was changed"
	}
	if p.Marked > 0 {
		con.Say("Kept files that may hold a secret: %d. They can no longer be brought back.", p.Marked)
	}
	con.Say("%s: %d, in %s and %s.", what, p.Taken, screen.Counted(len(p.Checkpoints), "checkpoint"), screen.Counted(len(p.Files), "archive file"))
	if p.Stopped != "" && !p.DryRun {
		con.Say("It did not finish: there may be more, and the old bytes are still in the store's files. Run it again.")
	}
	for _, x := range p.Beyond {
		con.Say("Not reached: %s.", screen.Line(x))
	}
	return nil
}
