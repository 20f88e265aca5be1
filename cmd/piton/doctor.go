package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/verbs"
)

func doctorCommand(con console) *cobra.Command {
	var t target
	var verbose bool
	c := &cobra.Command{
		Use:     "doctor",
		Short:   "Check the setup of the agent clients and of Piton",
		Long:    "Check every part of the setup, from the agent clients to Piton, and say how to\nrepair what is broken. Findings that one command mends are one line; --verbose shows\neach. It exits 6 if something is broken. It asks Codex CLI which hooks you have\napproved.",
		Example: "  piton doctor\n  piton doctor --agent codex\n  piton doctor --json",
		Args:    cli.None("to name the client: --agent %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			d, err := con.App().Doctor(c.Context(), t.request(c))
			for i, x := range d.Checks {
				d.Checks[i].Detail, d.Checks[i].Hint = verbs.CommandLine(x.Detail), verbs.CommandLine(x.Hint)
			}
			if d.Broken > 0 {
				con.Status = cli.StatusOf(piton.Unavailable)
			}
			return cli.Answer(con, d, err, cli.Paged(con, c, func(d app.Diagnosis) error { return con.printChecks(d, verbose) }))
		},
	}
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "show every finding, also those that one command mends")
	t.flags(c, false, "all that are installed or have Piton's hooks")
	return c
}

// oneCause joins an agent's findings that are mended by the same command: the first is
// told, of the others their names.
func oneCause(checks []setup.Check) (list []setup.Check) {
	type cause struct {
		agent, hint string
		ok          bool
	}
	first, more := map[cause]int{}, map[int][]string{}
	for _, x := range checks {
		of := cause{x.Agent, x.Hint, x.OK}
		if at, known := first[of]; known && x.Hint != "" {
			more[at] = append(more[at], x.Name)
			continue
		}
		first[of] = len(list)
		list = append(list, x)
	}
	for at, names := range more {
		list[at].Detail += fmt.Sprintf(" (and %d more of this cause: %s)", len(names), strings.Join(names, ", "))
	}
	return list
}

// notSetUp joins what is said of clients into none of which Piton is installed, where
// there is more than one: that alone is told of them, and what else is to be looked at.
func notSetUp(checks []setup.Check) (list []setup.Check) {
	var titles []string
	agents := map[string]bool{}
	for _, x := range checks {
		if x.Agent == "" {
			continue
		}
		agents[x.Agent] = true
		if title := setup.Title(x.Agent); !x.OK && x.Detail == setup.NotInstalled+title {
			titles = append(titles, title)
		}
	}
	if len(titles) < 2 || len(titles) < len(agents) {
		return checks
	}
	told := false
	for _, x := range checks {
		switch {
		case x.Agent == "" && !told:
			told = true
			list = append(list, setup.Check{Name: "hooks", Detail: setup.NotInstalled + strings.Join(titles, ", "), Hint: "run 'piton init'"}, x)
		case x.Agent == "" || x.Warn || !x.OK && !strings.HasPrefix(x.Detail, setup.NotInstalled):
			list = append(list, x)
		}
	}
	return list
}

func (con console) printChecks(d app.Diagnosis, verbose bool) error {
	var b strings.Builder
	total := fmt.Sprintf("\n%d ok, %s, %s\n", d.Sound, screen.Counted(d.Warnings, "warning"), screen.Counted(d.Broken, "failure"))
	if !verbose {
		d.Checks = oneCause(notSetUp(d.Checks))
	}
	for i, x := range d.Checks {
		if i == 0 || x.Agent != d.Checks[i-1].Agent {
			b.WriteString(strings.Repeat("\n", min(i, 1)) + con.Bold(cmp.Or(setup.Title(x.Agent), "Piton")) + "\n")
		}
		mark := con.Green("ok  ")
		switch {
		case !x.OK:
			mark = con.Red("FAIL")
		case x.Warn:
			mark = con.Yellow("warn")
		}
		fmt.Fprintf(&b, "%s  %s: %s\n", mark, screen.Line(x.Name), screen.Line(x.Detail))
		if x.Hint != "" {
			fmt.Fprintf(&b, "      %s\n", screen.Line(x.Hint))
		}
	}
	b.WriteString(total)
	return con.Print(con.Wrapped(b.String(), screen.Always(len("ok    "))))
}
