package judge

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func ignoreCommand(con console) *cobra.Command {
	var r app.IgnoreRequest
	c := &cobra.Command{
		Use:   "ignore [FILE...] --why 'WORDS'",
		Short: "Close what work left open, without a check",
		Long: `Close what agents left open in this project when their turn or session ended: changed
code that no check has run on since, and checks that failed last. 'piton list --open' shows it. A check that passes
and covers the files closes it too, whoever runs it; this command takes a person's word.
With FILE, a path from the project's root or a glob, only what names such a file is
closed. What an agent is held for in a turn that goes on is named, and can be closed once
that has ended.

An agent cannot run it. WORDS are kept in the log of events.`,
		Example: "  piton rules ignore --why 'looked at the page by hand'\n  piton rules ignore 'web/*.tsx' --why 'a spike, thrown away'",
		RunE: func(c *cobra.Command, args []string) error {
			r.Files = args
			x, err := con.App().IgnoreNeeds(c.Context(), r)
			return cli.Answer(con, x, err, con.printIgnored)
		},
	}
	c.Flags().StringVar(&r.Why, "why", "", "why no check is needed, in your `WORDS`")
	return c
}

func (con console) printIgnored(x app.Ignored) error {
	for _, n := range x.Held {
		con.Say("Not closed: %s is held for it (%s), and its turn goes on: %s. Close it once the turn has ended.", screen.Line(n.Agent), n.Session, screen.Line(n.Text))
	}
	if len(x.Needs)+len(x.Held) == 0 {
		con.Say("Nothing is open here. What an agent at work has not verified is open once its turn or its session ends.")
		return nil
	}
	if len(x.Needs) == 0 {
		return nil
	}
	var b strings.Builder
	for _, n := range x.Needs {
		fmt.Fprintf(&b, "Closed: %s\n", screen.Line(n.Text))
	}
	if err := con.Print(b.String()); err != nil {
		return err
	}
	if x.Left > 0 {
		con.Say("Still open: %d. 'piton list --open' shows what.", x.Left)
	}
	return nil
}
