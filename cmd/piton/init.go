package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
)

func initCommand(con *console) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:   "init",
		Short: "Set up the agents' hooks, their /checkpoint command and the MCP server",
		Long: `Add Piton's hooks, the /checkpoint command and the MCP server ('piton mcp') to the
settings of every agent client on this machine. Agents may then call the server's
tools that save, load, list, inspect, search and compare without being asked;
deleting and completing still ask. Nothing else in your files is changed. Running
it again changes nothing, and 'piton uninstall' restores the files.`,
		Example: "  piton init --dry-run\n  piton init --agent claude,codex\n  piton init --scope project\n  piton init --no-mcp\n  piton init --statusline",
		Args:    none("to name the client: --agent %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			x, err := con.app().Init(t.request(c))
			return answer(con, x, err, func(x app.Changed) error {
				if err := con.printChanged(x, "Set up", "everything is set up already"); err != nil || t.dry {
					return err
				}
				con.say("Piton is set up for %s; open sessions use the hooks at once or at their next start. 'piton doctor' checks the setup.", x.Targets.Titles())
				return con.askTests(c.Context())
			})
		},
	}
	t.flags(c, true, "all that are installed")
	c.Flags().BoolVar(&t.noMCP, "no-mcp", false, "leave the MCP server out, or remove it again")
	c.Flags().BoolVar(&t.status, "statusline", false, "show Piton's status line in Claude Code too, if you have none there")
	return c
}

// maxTests bounds the test commands that a person is asked about.
const maxTests = 4

// askTests names the project's test command and, on a terminal, asks whether it
// is the right one. Another one is accepted as a rule of the project's.
func (con *console) askTests(ctx context.Context) error {
	found, err := con.app().UnnamedTests()
	if err != nil || len(found) == 0 {
		return err
	}
	if n := len(found) - maxTests; n > 0 {
		found = append(found[:maxTests], fmt.Sprintf("and %d more", n))
	}
	run := line(strings.Join(found, ", "))
	if !cli.IsTerminal(con.in) || !cli.IsTerminal(con.err) {
		con.say("Test commands found in this project: %s ('piton rules accept CMD' names another; 'piton rules verify CMD' lets Piton run one itself where an agent did not)", run)
		return nil
	}
	next := con.lines(ctx)
	question := "Tests are run with " + con.bold(run) + ": right? [Y/n or another command] "
	for {
		fmt.Fprint(con.err, question)
		text, err := next()
		if err != nil {
			con.say("")
			return ctx.Err() // the end of the input is a yes: everything is set up
		}
		switch strings.ToLower(text) {
		case "", "y", "yes":
			con.say("Agents are asked for it. To let Piton run it itself where an agent did not: piton rules verify 'CMD'")
			return nil
		case "n", "no":
			con.say("Then name it: piton rules accept 'CMD'")
			return nil
		}
		x, err := con.app().AcceptTest(ctx, text, false)
		if piton.CodeOf(err) != piton.Invalid {
			return answer(con, x, err, func(x app.AcceptedTest) error { return con.printAccepted(x, false) })
		}
		con.say("%s", line(err.Error()))
		question = "Which command, then? [none: Enter] "
	}
}
