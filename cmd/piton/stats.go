package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
)

func statsCommand(con *console) *cobra.Command {
	var dir, since string
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show what was counted: saves, decisions, hooks",
		Long: `Show what was counted: checkpoints saved and resumed, stops and their decisions, what
holding agents has cost and caught, how long the hooks took, and what waits in the
outbox. Times are those up to the commit. Counts are kept for 400 days; what holds
have cost and how long hooks took is known for 30.`,
		Example: "  piton stats\n  piton stats --since 7d --project . --json",
		Args:    none("to see what was decided in a session: piton explain %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			span, err := con.app().SpanSince(since)
			if err != nil {
				return err
			}
			x, err := con.app().Stats(c.Context(), app.StatsRequest{Dir: dir, Since: span})
			return answer(con, x, err, paged(con, c, func(x app.Stats) error {
				p := chart{con: con, width: con.chartWidth()}
				return con.print(p.stats(x))
			}))
		},
	}
	c.Flags().StringVar(&dir, "project", "", "a folder (`DIR`) of the project (default: all)")
	c.Flags().StringVar(&since, "since", "30d", "`WHEN` to begin: a duration (12h, 7d, 2w), yesterday, 2026-01-31")
	return c
}
