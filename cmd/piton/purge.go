package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

func purgeCommand(con *console) *cobra.Command {
	var secrets, dry bool
	c := &cobra.Command{
		Use:   "purge --secrets",
		Short: "Remove secrets from what is already stored",
		Long: `Remove secrets from what is already stored, by the rules of this version: from
states, records, sessions, events, decisions, archive files and the log. Changed
checkpoints get a new sum; nothing else ever changes a checkpoint. The database is
rewritten, so that the old bytes are gone from its file; saves wait for that. The
command names what it cannot reach. Change a secret that was stored in any case.`,
		Example: "  piton purge --secrets --dry-run\n  piton purge --secrets",
		Args:    none(""),
		RunE: func(c *cobra.Command, _ []string) error {
			if !secrets {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give --secrets; 'piton delete' and 'piton prune' remove whole checkpoints", "nothing to purge is named")
			}
			p, err := con.app().Purge(c.Context(), dry, con.progress)
			if err != nil && p.Stopped != "" {
				if failed := answer(con, p, nil, con.printPurged); failed != nil {
					return failed
				}
			}
			return answer(con, p, err, con.printPurged)
		},
	}
	c.Flags().BoolVar(&secrets, "secrets", false, "remove secrets")
	c.Flags().BoolVar(&dry, "dry-run", false, "count them and change nothing")
	return c
}

func (con *console) printPurged(p history.Purged) error {
	if len(p.Checkpoints) > 0 {
		if err := con.print(strings.Join(p.Checkpoints, "\n") + "\n"); err != nil {
			return err
		}
	}
	what := "Secrets removed"
	if p.DryRun {
		what = "Secrets found, nothing was changed"
	}
	con.say("%s: %d, in %d checkpoints and %d archive files.", what, p.Taken, len(p.Checkpoints), len(p.Files))
	if p.Stopped != "" && !p.DryRun {
		con.say("It did not finish: there may be more, and the old bytes are still in the store's files. Run it again.")
	}
	for _, x := range p.Beyond {
		con.say("Not reached: %s.", line(x))
	}
	return nil
}
