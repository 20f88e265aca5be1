package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/cmd/piton/internal/judge"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
)

func initCommand(con console) *cobra.Command {
	var t target
	var verify, noVerify, yes bool
	c := &cobra.Command{
		Use:   "init",
		Short: "Set up the agents' hooks, their /checkpoint command and the MCP server",
		Long: `Add Piton's hooks, the /checkpoint command and the MCP server ('piton mcp') to the
settings of every agent client on this machine. Agents may then call the server's
tools that save, load, list, inspect, search and compare without being asked;
deleting and completing still ask. Nothing else in your files is changed. Running
it again changes nothing, and 'piton uninstall' restores the files.

On a terminal it asks whether the test commands that it found are right. Another one
is repeated, must be here, can be tried, and is taken only after a yes. --verify takes
one too: piton init --verify 'make check'.`,
		Example: "  piton init --dry-run\n  piton init --agent claude,codex\n  piton init --scope project\n  piton init --verify\n  piton init --no-mcp\n  piton init --statusline",
		Args: func(c *cobra.Command, args []string) error {
			if verify && len(args) > 0 {
				return cli.OneLine(c, args)
			}
			if len(args) > 0 && !slices.Contains(strings.Split(installation.SetupNames(), ", "), args[0]) {
				return cli.None("to name the test command: --verify %s")(c, args)
			}
			return cli.None("to name the client: --agent %s")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if verify && noVerify {
				return piton.Errorf(piton.Invalid, "", "give one of them", "--verify has Piton run the tests, and --no-verify does not")
			}
			q := judge.Tests{Command: append(args, "")[0], Verify: verify, NoVerify: noVerify, Yes: yes, Setup: t.request(c)}
			if q.Command != "" { // before anything is written
				if _, err := con.App().UsableTest(q.Command); err != nil {
					return err
				}
			}
			x, err := con.App().Init(c.Context(), q.Setup)
			if err == nil && con.JSON && verify && !t.dry {
				x.Test, err = q.Try(c.Context(), con.Console)
			}
			return cli.Answer(con, x, err, func(x installation.Changed) error {
				if err := con.printChanged(x, "Set up", "everything is set up already"); err != nil {
					return err
				}
				if !t.dry {
					con.Say("Piton is set up for %s; open sessions use the hooks at once or at their next start. 'piton doctor' checks the setup.", x.Targets.Titles())
				}
				if err := q.Ask(c.Context(), con.Console); err != nil || t.dry || yes {
					return err
				}
				return con.offerTrial(c.Context(), x.Targets.Installed())
			})
		},
	}
	t.flags(c, true, "all that are installed")
	c.Flags().BoolVar(&t.noMCP, "no-mcp", false, "leave the MCP server out, or remove it again")
	c.Flags().BoolVar(&verify, "verify", false, "try the project's test command once, and let Piton run it where an agent did not")
	c.Flags().BoolVar(&noVerify, "no-verify", false, "do not ask whether Piton may run the tests itself")
	c.Flags().BoolVar(&yes, "yes", false, "ask nothing: the test commands that were found are right")
	c.Flags().BoolVar(&t.status, "statusline", false, "show Piton's status line in Claude Code too, if you have none there")
	return c
}
