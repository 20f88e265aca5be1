package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

func statsCommand(con *console) *cobra.Command {
	return asks(con, &cobra.Command{
		Use:   "stats",
		Short: "Show what was counted: saves, decisions, hooks",
		Long: `Show what was counted: checkpoints saved and resumed, stops and their decisions, what
holding agents has cost and caught, how long the hooks took, and what waits in the
outbox. Times are those up to the commit. Counts are kept for 400 days; what holds
have cost and how long hooks took is known for 30.`,
		Example: "  piton stats\n  piton stats --since 7d --project . --json",
		Args:    none("to see what was decided in a session: piton explain %s"),
	}, func(c *cobra.Command, r piton.StatsRequest) error {
		x, err := con.app().Stats(c.Context(), r)
		return answer(con, x, err, paged(con, c, func(x app.Stats) error {
			p := chart{con: con, width: con.chartWidth()}
			return con.print(p.stats(x))
		}))
	})
}
