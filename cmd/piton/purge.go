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
		Short: "Take secrets out of what is already stored",
		Long: `Take secrets out of what is already stored, by the rules of this version: states,
records, sessions, events, decisions, the archive's files and the log. What is
changed gets a new sum; nothing else ever changes a checkpoint. The database is
written anew, so that the old bytes are gone from its file; savers wait for that.
It names what it cannot reach. A secret that was stored is to be changed anyway.`,
		Example: "  piton purge --secrets --dry-run\n  piton purge --secrets",
		Args:    none(""),
		RunE: func(c *cobra.Command, _ []string) error {
			if !secrets {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give --secrets; 'piton delete' and 'piton prune' remove whole checkpoints", "what to purge is not said")
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
	c.Flags().BoolVar(&secrets, "secrets", false, "take secrets out")
	c.Flags().BoolVar(&dry, "dry-run", false, "count them and change nothing")
	return c
}

func (con *console) printPurged(p history.Purged) error {
	if len(p.Checkpoints) > 0 {
		if err := con.print(strings.Join(p.Checkpoints, "\n") + "\n"); err != nil {
			return err
		}
	}
	what := "Secrets taken out"
	if p.DryRun {
		what = "Secrets found, nothing was changed"
	}
	con.say("%s: %d, in %d checkpoints and %d archive files.", what, p.Taken, len(p.Checkpoints), len(p.Files))
	if p.Stopped != "" && !p.DryRun {
		con.say("It ended before all was done: there may be more, and the old bytes still lie in the store's files. Run it again.")
	}
	for _, x := range p.Beyond {
		con.say("Not reached: %s.", line(x))
	}
	return nil
}
