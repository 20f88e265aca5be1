package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/setup"
)

func doctorCommand(con *console) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:     "doctor",
		Short:   "Check the setup of the agent clients and of Piton",
		Long:    "Check every part of the setup, from the agent clients to Piton, and say how to\nrepair what is broken. It exits 6 if something is broken. It asks Codex CLI which\nhooks you have approved.",
		Example: "  piton doctor\n  piton doctor --agent codex\n  piton doctor --json",
		Args:    none("to name the client: --agent %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			d, err := con.app().Doctor(c.Context(), t.request(c))
			for i, x := range d.Checks {
				d.Checks[i].Detail, d.Checks[i].Hint = commandLine(x.Detail), commandLine(x.Hint)
			}
			if d.Broken > 0 {
				con.status = statusOf(piton.Unavailable)
			}
			return answer(con, d, err, con.printChecks)
		},
	}
	t.flags(c, false, "all that are installed or have Piton's hooks")
	return c
}

func (con *console) printChecks(d app.Diagnosis) error {
	var b strings.Builder
	for i, x := range d.Checks {
		if i == 0 || x.Agent != d.Checks[i-1].Agent {
			b.WriteString(strings.Repeat("\n", min(i, 1)) + con.bold(cmp.Or(setup.Title(x.Agent), "Piton")) + "\n")
		}
		mark := con.green("ok  ")
		switch {
		case !x.OK:
			mark = con.red("FAIL")
		case x.Warn:
			mark = con.yellow("warn")
		}
		fmt.Fprintf(&b, "%s  %s: %s\n", mark, line(x.Name), line(x.Detail))
		if x.Hint != "" {
			fmt.Fprintf(&b, "      %s\n", line(x.Hint))
		}
	}
	return con.print(b.String())
}
