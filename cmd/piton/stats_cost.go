package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/cmd/piton/internal/runs"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func statsCostCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "cost",
		Short: "Show what agents have used, and what that costs",
		Long: `Show the tokens that agents have used, from their clients' own logs, and what they cost
by the list prices of the APIs. Each request counts once. Prices of your own go into the
setting run.prices. A model whose price is not known costs nothing here: the sum is then
"at least". With a subscription it is what the API would have asked for the same.`,
		Example: "  piton stats cost --since 7d\n  piton stats cost --by session --project .\n  piton stats cost --by model --json",
		Args:    cli.None("to see the turns of a session: piton stats cost --by turn"),
	}, func(c *cobra.Command, r piton.CostRequest) error {
		x, err := con.App().Cost(c.Context(), r)
		return cli.Answer(con, x, err, cli.Paged(con, c, func(x insight.Cost) error {
			err := con.printCost(x)
			if err == nil && x.More > 0 {
				con.Say("Show all: %s", cli.AllAgain(c))
			}
			return err
		}))
	})
}

// printCost prints rows, the sum, and what is to be known of it.
func (con console) printCost(x insight.Cost) error {
	if len(x.Rows) == 0 {
		con.Say("No session of this time has used any tokens.")
		return nil
	}
	t := screen.NewTable(screen.Whole(strings.ToUpper(x.By[:1])+x.By[1:]), screen.Whole("Cost"), screen.Whole("Input"), screen.Whole("From cache"), screen.Whole("Output"), screen.Whole("Client").Spared(), screen.Wording("Prompt").Spared())
	for _, r := range x.Rows {
		u := r.Usage
		t.Add(screen.Line(cmp.Or(r.Key, "not known")), costs(r.CostSum), runs.Many(u.Input+u.CacheWrite), runs.Many(u.CacheRead), runs.Many(u.Output), screen.Line(r.Agent), screen.Line(r.Prompt))
	}
	if err := con.PrintTable(t); err != nil {
		return err
	}
	prices, before := map[string]any{}, ""
	for model, p := range con.App().Config("").Run.Prices {
		prices[model], before = p, ", and before them those of the setting run.prices"
	}
	text := fmt.Sprintf("\nTogether: %s for %s\nPrices: list prices of %s%s.\n", costs(x.Total), used(x.Total.Usage), x.Prices, before)
	own := len(prices)
	for _, m := range x.Models {
		if m.Source == "" {
			text += fmt.Sprintf("No price is known for %s (%s tokens).\n", screen.Line(cmp.Or(m.Key, "a model that the log does not name")), runs.Many(m.Usage.Total()))
			if m.Key != "" {
				prices[m.Key] = map[string]int{"input": 1, "output": 5}
			}
		}
	}
	if all, err := json.Marshal(prices); err == nil && len(prices) > own {
		text += "To set prices of your own, all at once: piton config set --scope user run.prices " + screen.Quote(string(all)) + "\n"
	}
	for _, n := range x.Notes {
		text += "Note: " + n + ".\n"
	}
	return con.Print(text)
}

// costs writes what something costs.
func costs(s insight.CostSum) string {
	text := fmt.Sprintf("$%.2f", s.CostUSD)
	switch {
	case s.Unpriced > 0 && s.CostUSD < 0.005:
		return "not known"
	case s.Unpriced > 0:
		return "at least " + text
	case s.CostUSD > 0 && s.CostUSD < 0.005:
		return "under $0.01"
	}
	return text
}

// used writes how many tokens were used.
func used(u piton.TokenUsage) string {
	return fmt.Sprintf("%d tokens in, %d out", u.Input+u.CacheRead+u.CacheWrite, u.Output)
}
